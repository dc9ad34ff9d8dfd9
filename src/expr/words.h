/*
 * words.h
 *	  Keywords and reserved words, which are not case-sensitive.  Private to
 *	  expr/ and partiql/.
 */
#ifndef DYNAMO_EXPR_WORDS_H
#define DYNAMO_EXPR_WORDS_H

#include "exported.h"
#include "item/item.h"

/* Whether text is this word, ignoring case. */
extern DYNAMO_EXPORT bool WordIs(Slice text, const char *word);

/*
 * Whether text is one of n words, ignoring case.  The words are upper case and
 * sorted by bytes.
 */
extern DYNAMO_EXPORT bool WordIsListed(Slice text, const char *const *words, size_t n);

#endif							/* DYNAMO_EXPR_WORDS_H */
