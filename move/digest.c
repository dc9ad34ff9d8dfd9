/*
 * digest.c
 *	  Equal items have the same digest, however they are written: the order of members and
 *	  of sets' elements does not matter, nor do the zeros and exponents of a number.
 */
#include <ctype.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#include "move.h"

/* No number has an exponent of more than some hundred; what is added to it must not overflow. */
#define LARGEST_EXPONENT	1000000

/*
 * Every text is written with its length, and every value ends, so that no two different items
 * are written in the same way, whatever their names are.
 */
static void
AddBytes(Text *out, const char *data, size_t len)
{
	char	   *prefix = MoveFormat("%zu:", len);

	TextAddString(out, prefix);
	TextAdd(out, data, len);
	free(prefix);
}

/* What is no value, or a BOOL or NULL, by its own text. */
static void
AddOther(Text *out, json_t *value)
{
	char	   *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_SORT_KEYS);

	if (text == NULL)
		MoveFail("out of memory");
	TextAddString(out, "?");
	AddBytes(out, text, strlen(text));
	free(text);
}

/* The significant digits of a number, and the exponent; false: it is no number. */
static bool
ReadDigits(const char *text, Text *digits, long *exponent)
{
	const char *c = text + (*text == '-' || *text == '+');
	bool		any = false,
				fraction = false;
	char	   *end;

	*exponent = 0;
	for (; isdigit((unsigned char) *c) || (*c == '.' && !fraction); c++)
	{
		if (*c == '.')
		{
			fraction = true;
			continue;
		}
		any = true;
		if (digits->len > 0 || *c != '0')
			TextAdd(digits, c, 1);
		*exponent -= fraction;
	}
	if (any && (*c == 'e' || *c == 'E'))
	{
		long		more = strtol(c + 1, &end, 10);

		if (!isdigit((unsigned char) c[1 + (c[1] == '-' || c[1] == '+')]) || more > LARGEST_EXPONENT || more < -LARGEST_EXPONENT)
			return false;
		*exponent += more;
		c = end;
	}
	return any && *c == '\0';
}

/* "-01.50e3" as "-15e2"; every zero is "0". */
static void
AddNumber(Text *out, json_t *value)
{
	const char *text = json_string_value(value);
	Text		digits = {0};
	long		exponent;

	TextClear(&digits);
	/* a zero byte would end the text before the string */
	if (strlen(text) != json_string_length(value) || !ReadDigits(text, &digits, &exponent))
		AddOther(out, value);
	else
	{
		while (digits.len > 0 && digits.data[digits.len - 1] == '0')
		{
			digits.data[--digits.len] = '\0';
			exponent++;
		}
		if (digits.len == 0)
			TextAddString(out, "0");
		else
		{
			char	   *number = MoveFormat("%s%se%ld", text[0] == '-' ? "-" : "", digits.data, exponent);

			TextAddString(out, number);
			free(number);
		}
	}
	TextFree(&digits);
}

static void AddValue(Text *out, json_t *value);

static void
AddString(Text *out, json_t *string)
{
	AddBytes(out, json_string_value(string), json_string_length(string));
}

static int
CompareStrings(const void *a, const void *b)
{
	return strcmp(*(char *const *) a, *(char *const *) b);
}

static int
CompareTexts(const void *a, const void *b)
{
	const Text *x = a,
			   *y = b;
	int			order = memcmp(x->data, y->data, x->len < y->len ? x->len : y->len);

	return order != 0 ? order : (x->len > y->len) - (x->len < y->len);
}

/* The attributes of a map, by their names. */
static void
AddMap(Text *out, json_t *map)
{
	size_t		count = json_object_size(map),
				n = 0;
	const char **names = MoveAlloc(count * sizeof(char *)),
			   *name;
	json_t	   *value;

	json_object_foreach(map, name, value)
		names[n++] = name;
	qsort(names, n, sizeof(char *), CompareStrings);
	TextAddString(out, "{");
	for (size_t i = 0; i < n; i++)
	{
		AddBytes(out, names[i], strlen(names[i]));
		AddValue(out, json_object_get(map, names[i]));
	}
	TextAddString(out, "}");
	free(names);
}

static void
AddSet(Text *out, json_t *set, bool numbers)
{
	size_t		count = json_array_size(set);
	Text	   *texts = MoveAlloc(count * sizeof(Text));

	for (size_t i = 0; i < count; i++)
	{
		json_t	   *element = json_array_get(set, i);

		TextClear(&texts[i]);
		if (numbers)
			AddNumber(&texts[i], element);
		else
			AddString(&texts[i], element);
	}
	qsort(texts, count, sizeof(Text), CompareTexts);
	for (size_t i = 0; i < count; i++)
	{
		TextAdd(out, texts[i].data, texts[i].len);
		TextAddString(out, ",");
		TextFree(&texts[i]);
	}
	free(texts);
}

static bool
IsStrings(json_t *list)
{
	json_t	   *element;
	size_t		i;

	json_array_foreach(list, i, element)
	{
		if (!json_is_string(element))
			return false;
	}
	return json_is_array(list);
}

/* The type of a value that has the content of this type; NULL: it has another one, or is of another type. */
static const char *
KnownType(json_t *value)
{
	const char *type = json_object_size(value) == 1 ? json_object_iter_key(json_object_iter(value)) : "";
	json_t	   *content = json_object_get(value, type);
	bool		known;

	if (strcmp(type, "S") == 0 || strcmp(type, "B") == 0 || strcmp(type, "N") == 0)
		known = json_is_string(content);
	else if (strcmp(type, "M") == 0)
		known = json_is_object(content);
	else if (strcmp(type, "L") == 0)
		known = json_is_array(content);
	else
		known = (strcmp(type, "SS") == 0 || strcmp(type, "NS") == 0 || strcmp(type, "BS") == 0) && IsStrings(content);
	return known ? type : NULL;
}

/* {"S": ...} */
static void
AddValue(Text *out, json_t *value)
{
	const char *type = KnownType(value);
	json_t	   *content = json_object_get(value, type != NULL ? type : ""),
			   *element;
	size_t		i;

	TextAddString(out, type != NULL ? type : "?");
	TextAddString(out, " ");
	if (type == NULL)
		AddOther(out, value);
	else if (strcmp(type, "N") == 0)
		AddNumber(out, content);
	else if (strcmp(type, "M") == 0)
		AddMap(out, content);
	else if (strcmp(type, "L") == 0)
	{
		json_array_foreach(content, i, element)
			AddValue(out, element);
	}
	else if (json_is_array(content))
		AddSet(out, content, strcmp(type, "NS") == 0);
	else
		AddString(out, content);
	TextAddString(out, ";");
}

Digest
DigestOf(json_t *item)
{
	unsigned char hash[EVP_MAX_MD_SIZE];
	Text		text = {0};
	Digest		digest;

	if (json_is_object(item))
		AddMap(&text, item);
	else
		AddOther(&text, item);
	if (EVP_Digest(text.data, text.len, hash, NULL, EVP_sha256(), NULL) != 1)
		MoveFail("cannot compute SHA-256");
	TextFree(&text);
	memcpy(digest.bytes, hash, sizeof(digest.bytes));
	return digest;
}

/* Into 33 characters. */
void
DigestHex(const Digest *digest, char *hex)
{
	for (size_t i = 0; i < sizeof(digest->bytes); i++)
		sprintf(hex + 2 * i, "%02x", digest->bytes[i]);
}
