/*
 * template_parts.h
 *	  What composing keys, taking them apart and comparing templates have in
 *	  common.  Private to the files beside it.
 */
#ifndef DYNAMO_ENTITY_TEMPLATE_PARTS_H
#define DYNAMO_ENTITY_TEMPLATE_PARTS_H

#include "entity/template.h"

/* Whether {x:word} may have it. */
extern bool IsWordCharacter(char c);

/* Whether a text is a number, written as numbers are. */
extern bool TextIsNumber(Slice text);

/* The digits of the greatest shard's number. */
extern int	ShardDigits(uint32 shards);

/* Where a text is found first, or last; text.len if it is nowhere. */
extern uint32 FindFirst(Slice text, Slice wanted);
extern uint32 FindLast(Slice text, Slice wanted);

/* ---- template_apart.c ---- */

/* The bytes of a part of fixed width; 0 for text. */
extern uint32 PartWidth(const TemplatePart *part);

/*
 * Whether byte i of a part of fixed width may be this, the part being
 * otherwise right.
 */
extern bool PartByteFits(const TemplatePart *part, uint32 i, char c);

/* Whether a part's text may have this byte at all, the part being text. */
extern bool PartTextByteFits(const TemplatePart *part, char c);

#endif							/* DYNAMO_ENTITY_TEMPLATE_PARTS_H */
