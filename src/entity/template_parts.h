/*
 * template_parts.h
 *	  Functions that composing keys, taking them apart and comparing templates
 *	  share.  Private to the files beside it.
 */
#ifndef DYNAMO_ENTITY_TEMPLATE_PARTS_H
#define DYNAMO_ENTITY_TEMPLATE_PARTS_H

#include "entity/template.h"

/* Whether {x:word} may contain the byte. */
extern bool IsWordCharacter(char c);

/* Whether a text is a number in canonical form. */
extern bool TextIsNumber(Slice text);

/* Returns the number of digits in the greatest shard's number. */
extern int	ShardDigits(uint32 shards);

/*
 * Return the position of the first or last occurrence of a text; text.len if
 * there is none.
 */
extern uint32 FindFirst(Slice text, Slice wanted);
extern uint32 FindLast(Slice text, Slice wanted);

/* ---- template_apart.c ---- */

/* Returns the length of a part of fixed width; 0 for text. */
extern uint32 PartWidth(const TemplatePart *part);

/*
 * Whether byte i of a part of fixed width may have this value, if the rest of
 * the part is valid.
 */
extern bool PartByteFits(const TemplatePart *part, uint32 i, char c);

/* Whether a part of text may contain this byte. */
extern bool PartTextByteFits(const TemplatePart *part, char c);

#endif							/* DYNAMO_ENTITY_TEMPLATE_PARTS_H */
