/*
 * client.h
 *	  Typed clients: programs as text, made of the document of a model.
 *
 * dynamo.generate_client (client.sql) makes a description of a client out of the document
 * that dynamo.export_model returns: its entities with their attributes, its access patterns
 * with their parameters, all with names that the language accepts.  A template of the
 * language (typescript.sql and so on) says what the text of the description is.
 *
 * A template is text with tags:
 *
 *		@{name}				the member "name" of the description, or of what is around it
 *		@{name|filter}		the same, as a literal or in a comment
 *		@{.}				the element of a list itself
 *		@{#name}...@{/name}	for each element of a list; once, if it is an object or true
 *		@{^name}...@{/name}	once, if it is absent, false, null or empty
 *
 * and -last is true in the last element of a list.  A tag of a section, alone in its line,
 * takes the line with it.  The filters are these:
 *
 *		string		a literal in double quotes, for all of the languages
 *		property	the name of a property in TypeScript: as it is, or such a literal
 *		comment		a part of a line in a comment that star and slash end
 *		line		a part of a line in a comment to the end of the line
 *		doc			a part of a line in a literal in three double quotes
 *
 * Names and descriptions are what somebody has declared: every tag for one of these has a
 * filter, or its text was made by client_names.
 */
#ifndef DYNAMO_CLIENT_H
#define DYNAMO_CLIENT_H

#include "lib/stringinfo.h"
#include "utils/jsonb.h"

#include "item/item.h"

/* ---- client_escape.c ---- */

/* Appends a text by a filter; false if there is none of this name. */
extern bool ClientAppendFiltered(StringInfo out, Slice text, Slice filter);

#endif							/* DYNAMO_CLIENT_H */
