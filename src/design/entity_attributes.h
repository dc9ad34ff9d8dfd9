/*
 * entity_attributes.h
 *	  The attributes of an entity, as its declaration has them.
 */
#ifndef DYNAMO_DESIGN_ENTITY_ATTRIBUTES_H
#define DYNAMO_DESIGN_ENTITY_ATTRIBUTES_H

#include "lib/stringinfo.h"

#include "item/item.h"

/* The caller's declaration of an attribute. */
typedef struct DeclaredAttribute
{
	char	   *name;
	char	   *type;			/* SQL type as written */
	Oid			type_oid;
	int32		typmod;
	const char *holds;			/* "S", "N", "uuid" or NULL */
	bool		required;
	char	   *constant;		/* json; NULL if there is none */
	char	   *initial;
	char	   *allowed;
	char	   *function;		/* name of the default function; NULL: none */
	bool		read_only;
	char	   *computed;		/* SQL expression; NULL: none */
} DeclaredAttribute;

typedef struct DeclaredAttributes
{
	bool		given;			/* false: the entity declares none, and may have any */
	int			count;
	DeclaredAttribute *list;
} DeclaredAttributes;

/* Reads the argument attributes, of dynamo_internal.json_text.  SPI must be connected. */
extern void DeclaredAttributesRead(DeclaredAttributes *attributes, Datum json);

/* Returns the declaration with this name; NULL if there is none. */
extern const DeclaredAttribute *DeclaredAttributeFind(const DeclaredAttributes *attributes, Slice name);

/* Whether values of a type are times. */
extern bool DeclaredTypeIsTime(Oid type);

/* Appends "attributes" to an entity in JSON. */
extern void DeclaredAttributesAppend(StringInfo out, const DeclaredAttributes *attributes);

/* Appends a member with a text. */
extern void AppendEntityMember(StringInfo out, const char *name, const char *value);

#endif							/* DYNAMO_DESIGN_ENTITY_ATTRIBUTES_H */
