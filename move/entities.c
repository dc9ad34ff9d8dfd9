/*
 * entities.c
 *	  Proposes entities from the keys of sampled items.
 *
 * Items are of one kind if they have the same value of an attribute such as "type", or else
 * if their keys have the same shape: "CUSTOMER#c7" and "CUSTOMER#c9" have the parts
 * CUSTOMER, which is text, and one that varies.  A part that varies becomes {name} if every
 * item of the kind has an attribute of that name with that value.  A kind of which a part
 * is in no attribute cannot be declared, because its key could not be composed: it is only
 * reported.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "move.h"

#define SEPARATORS	"#|:/"

static const char *const type_attributes[] = {"_et", "__edb_e__", "_type", "__typename", "entity", "entityType", "entity_type", "EntityType",
	"Entity", "type", "Type", "kind", "_tp"};

/* The text of a string or a number. */
static const char *
ScalarText(json_t *value)
{
	const char *text = JsonString(value, "S");

	return text != NULL ? text : JsonString(value, "N");
}

/* The length of the part of a key that begins here. */
static size_t
PartLength(const char *key)
{
	return strcspn(key, SEPARATORS);
}

/* Whether a part looks like the name of a kind: letters, the first one a capital. */
static bool
IsWord(const char *part, size_t len)
{
	if (len == 0 || !isupper((unsigned char) part[0]))
		return false;
	for (size_t i = 0; i < len; i++)
	{
		if (!isupper((unsigned char) part[i]) && part[i] != '_' && part[i] != '-')
			return false;
	}
	return true;
}

/* The key with "*" for parts that vary. */
static void
AddShape(Text *shape, const char *key)
{
	for (;;)
	{
		size_t		len = PartLength(key);

		TextAdd(shape, IsWord(key, len) ? key : "*", IsWord(key, len) ? len : 1);
		key += len;
		if (*key == '\0')
			break;
		TextAdd(shape, key++, 1);
	}
}

/* The attribute that tells the kind of most items, or NULL. */
static const char *
FindTypeAttribute(json_t *items)
{
	for (size_t k = 0; k < sizeof(type_attributes) / sizeof(type_attributes[0]); k++)
	{
		json_t	   *values = json_object(),
				   *item;
		size_t		found = 0,
					i;
		bool		good;

		json_array_foreach(items, i, item)
		{
			const char *value = JsonString(json_object_get(item, type_attributes[k]), "S");

			if (value != NULL)
			{
				found++;
				json_object_set_new(values, value, json_true());
			}
		}
		good = found * 10 >= json_array_size(items) * 9 && json_object_size(values) <= 30 && found > 0;
		json_decref(values);
		if (good)
			return type_attributes[k];
	}
	return NULL;
}

/* Items by their kind. */
static json_t *
GroupItems(json_t *key, json_t *items, const char *type_attribute)
{
	json_t	   *groups = json_object(),
			   *item;
	size_t		i;

	json_array_foreach(items, i, item)
	{
		Text		shape = {0};
		const char *name;
		const char *kind = type_attribute != NULL ? JsonString(json_object_get(item, type_attribute), "S") : NULL;
		json_t	   *type,
				   *group;

		TextClear(&shape);
		if (kind != NULL)
			TextAddString(&shape, kind);
		else
		{
			json_object_foreach(key, name, type)
			{
				TextAddString(&shape, shape.len > 0 ? " " : "");
				if (ScalarText(json_object_get(item, name)) != NULL)
					AddShape(&shape, ScalarText(json_object_get(item, name)));
			}
		}
		group = json_object_get(groups, shape.data);
		if (group == NULL)
		{
			group = json_array();
			json_object_set_new(groups, shape.data, group);
		}
		json_array_append(group, item);
		TextFree(&shape);
	}
	return groups;
}

/* The n-th part of a key; false if it has fewer. */
static bool
FindPart(const char *key, int n, const char **part, size_t *len)
{
	for (;; n--)
	{
		*len = PartLength(key);
		*part = key;
		if (n == 0)
			return true;
		if (key[*len] == '\0')
			return false;
		key += *len + 1;
	}
}

static bool
IsDigits(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
	{
		if (!isdigit((unsigned char) text[i]))
			return false;
	}
	return len > 0;
}

/* Whether an attribute is what the part is made of; with a width, if the number is padded. */
static bool
IsPartOf(json_t *value, const char *part, size_t len, bool padded)
{
	const char *text = ScalarText(value);
	size_t		text_len;

	if (text == NULL || *text == '\0')
		return false;
	text_len = strlen(text);
	if (!padded)
		return text_len == len && memcmp(text, part, len) == 0;
	if (JsonString(value, "N") == NULL || !IsDigits(text, text_len) || !IsDigits(part, len) || text_len > len)
		return false;
	for (size_t i = 0; i < len - text_len; i++)
	{
		if (part[i] != '0')
			return false;
	}
	return memcmp(part + len - text_len, text, text_len) == 0;
}

/* The width of a part in all items, or 0 if it varies. */
static size_t
PartWidth(json_t *items, const char *attribute, int n)
{
	json_t	   *item;
	size_t		i,
				width = 0;

	json_array_foreach(items, i, item)
	{
		const char *part;
		size_t		len;

		if (!FindPart(ScalarText(json_object_get(item, attribute)), n, &part, &len) || (i > 0 && len != width))
			return 0;
		width = len;
	}
	return width;
}

static bool
AllHavePart(json_t *items, const char *key, int n, const char *name, bool padded)
{
	json_t	   *item;
	size_t		i;

	json_array_foreach(items, i, item)
	{
		const char *part;
		size_t		len;

		if (!FindPart(ScalarText(json_object_get(item, key)), n, &part, &len) || !IsPartOf(json_object_get(item, name), part, len, padded))
			return false;
	}
	return true;
}

/* Whether all keys have the same text there. */
static bool
IsConstantPart(json_t *items, const char *key, int n)
{
	const char *first,
			   *part;
	size_t		first_len,
				len,
				i;
	json_t	   *item;

	if (!FindPart(ScalarText(json_object_get(json_array_get(items, 0), key)), n, &first, &first_len))
		return false;
	json_array_foreach(items, i, item)
	{
		if (!FindPart(ScalarText(json_object_get(item, key)), n, &part, &len) || len != first_len || memcmp(part, first, len) != 0)
			return false;
	}
	return json_array_size(items) > 1 || IsWord(first, first_len);
}

/* Adds {name} for a part that varies; the names it takes are remembered. */
static bool
AddAttribute(Text *template, json_t *keys, json_t *items, const char *key, int n, json_t *used)
{
	const char *name;
	json_t	   *value;

	json_object_foreach(json_array_get(items, 0), name, value)
	{
		size_t		width = PartWidth(items, key, n);
		bool		padded = width > 1 && AllHavePart(items, key, n, name, true);

		if (json_object_get(keys, name) != NULL || strpbrk(name, "{}:.#\"") != NULL || !(padded || AllHavePart(items, key, n, name, false)))
			continue;
		TextAddString(template, "{");
		TextAddString(template, name);
		if (padded)
		{
			char	   *format = MoveFormat(":0%zu", width);

			TextAddString(template, format);
			free(format);
		}
		TextAddString(template, "}");
		json_object_set_new(used, name, json_true());
		return true;
	}
	return false;
}

/* The template of a key attribute; NULL if there is none, with a part that has no attribute. */
static char *
MakeTemplate(json_t *keys, json_t *items, const char *key, json_t *used, char **missing)
{
	Text		template = {0};
	const char *first = ScalarText(json_object_get(json_array_get(items, 0), key)),
			   *part;
	size_t		len;

	TextClear(&template);
	for (int n = 0; FindPart(first, n, &part, &len); n++)
	{
		if (IsConstantPart(items, key, n) && memchr(part, '{', len) == NULL && memchr(part, '}', len) == NULL)
			TextAdd(&template, part, len);
		else if (!AddAttribute(&template, keys, items, key, n, used))
		{
			*missing = MoveFormat("part %d of %s, as in \"%s\"", n + 1, key, first);
			TextFree(&template);
			return NULL;
		}
		if (part[len] != '\0')
			TextAdd(&template, part + len, 1);
	}
	return template.data;
}

/* Only attributes of which all sampled values have one type. */
static json_t *
AttributesOf(json_t *keys, json_t *items, json_t *used)
{
	json_t	   *attributes = json_object(),
			   *value,
			   *item;
	const char *name;
	size_t		i;

	json_array_foreach(items, i, item)
	{
		json_object_foreach(item, name, value)
		{
			const char *type = JsonString(value, "S") != NULL ? "text" : JsonString(value, "N") != NULL ? "numeric" :
				json_object_get(value, "BOOL") != NULL ? "boolean" : NULL,
					   *old = JsonString(attributes, name);

			if (json_object_get(keys, name) != NULL)
				continue;
			if (type == NULL || (old != NULL && strcmp(old, type) != 0))
				json_object_set_new(attributes, name, json_null());
			else if (old == NULL && json_object_get(attributes, name) == NULL)
				json_object_set_new(attributes, name, json_string(type));
		}
	}
	json_object_foreach(used, name, value)
	{
		if (JsonString(attributes, name) == NULL)
			json_object_set_new(attributes, name, json_string("text"));
	}
	item = json_object();
	json_object_foreach(attributes, name, value)
	{
		if (json_is_string(value))
			json_object_set(item, name, value);
	}
	json_decref(attributes);
	return item;
}

/* A name for the kind: letters, digits and _ of its type or of its shape. */
static char *
NameOf(const char *kind, size_t number, json_t *taken)
{
	Text		name = {0};
	char	   *result;

	TextClear(&name);
	for (const char *c = kind; *c != '\0'; c++)
	{
		char		lower = (char) tolower((unsigned char) *c);

		if (isalnum((unsigned char) *c))
			TextAdd(&name, &lower, 1);
		else if (name.len > 0 && name.data[name.len - 1] != '_')
			TextAdd(&name, "_", 1);
	}
	while (name.len > 0 && name.data[name.len - 1] == '_')
		name.data[--name.len] = '\0';
	result = name.len > 0 && name.len < 50 && json_object_get(taken, name.data) == NULL ? MoveCopy(name.data) : MoveFormat("kind_%zu", number);
	json_object_set_new(taken, result, json_true());
	TextFree(&name);
	return result;
}

static json_t *
ProposeEntity(json_t *key, json_t *items, const char *name, char **missing)
{
	json_t	   *keys = json_object(),
			   *used = json_object(),
			   *entity = NULL,
			   *type;
	const char *attribute;

	json_object_foreach(key, attribute, type)
	{
		char	   *template = strcmp(json_string_value(type), "S") == 0 ? MakeTemplate(key, items, attribute, used, missing) : NULL;

		if (template != NULL)
			json_object_set_new(keys, attribute, json_string(template));
		free(template);
	}
	if (*missing == NULL && json_object_size(keys) > 0)
		entity = json_pack("{s:s,s:O,s:o}", "entity_name", name, "keys", keys, "attributes", AttributesOf(key, items, used));
	json_decref(keys);
	json_decref(used);
	return entity;
}

/* Prints the kinds of items, and returns those that can be declared. */
json_t *
ProposeEntities(json_t *description, json_t *items)
{
	const char *type_attribute = FindTypeAttribute(items),
			   *kind;
	json_t	   *key = TableKey(description),
			   *groups = GroupItems(key, items, type_attribute),
			   *entities = json_array(),
			   *taken = json_object(),
			   *group;
	size_t		number = 0;

	if (json_array_size(items) > 0)
		MovePrint("  kinds among %zu sampled items%s%s:\n", json_array_size(items), type_attribute != NULL ? ", by the attribute " : ", by their keys",
			   type_attribute != NULL ? type_attribute : "");
	json_object_foreach(groups, kind, group)
	{
		char	   *missing = NULL,
				   *name = NameOf(kind, ++number, taken);
		json_t	   *entity = number <= 50 ? ProposeEntity(key, group, name, &missing) : NULL;

		if (entity != NULL)
		{
			char	   *templates = JsonText(json_object_get(entity, "keys"));

			if (type_attribute != NULL && JsonString(json_object_get(json_array_get(group, 0), type_attribute), "S") != NULL)
			{
				json_object_set_new(entity, "type_attribute", json_string(type_attribute));
				json_object_set_new(entity, "type_value", json_string(kind));
			}
			json_array_append_new(entities, entity);
			MovePrint("    %s (%zu): %s\n", name, json_array_size(group), templates);
			free(templates);
		}
		else if (number <= 50)
			MovePrint("    %s (%zu): no entity%s%s%s\n", kind, json_array_size(group), missing != NULL ? ", because no attribute has " : "",
				   missing != NULL ? missing : "", missing != NULL ? "" : ": its key has no text");
		free(missing);
		free(name);
	}
	json_decref(taken);
	json_decref(groups);
	json_decref(key);
	return entities;
}
