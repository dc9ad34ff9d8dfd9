/*
 * words.h
 *	  Keywords and reserved words, which are of any case.  Private to expr/ and
 *	  partiql/.
 */
#ifndef DYNAMO_EXPR_WORDS_H
#define DYNAMO_EXPR_WORDS_H

#include "item/item.h"

/* Whether text is this word, in any case. */
extern bool WordIs(Slice text, const char *word);

/* Whether text is, in any case, one of n words: in upper case and byte order. */
extern bool WordIsListed(Slice text, const char *const *words, size_t n);

#endif							/* DYNAMO_EXPR_WORDS_H */
