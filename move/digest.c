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
static long
ExponentOf(const char *text)
{
	long		exponent = strtol(text, NULL, 10);

	return exponent > 1000000 ? 1000000 : exponent < -1000000 ? -1000000 : exponent;
}

/* "-01.50e3" as "-15e2": significant digits and an exponent; every zero is "0". */
static void
AddNumber(Text *out, const char *text)
{
	Text		digits = {0};
	long		exponent = 0;
	bool		fraction = false;
	const char *c = text;

	if (*c == '-' || *c == '+')
		c++;
	for (; isdigit((unsigned char) *c) || *c == '.'; c++)
	{
		if (*c == '.')
		{
			fraction = true;
			continue;
		}
		if (digits.len > 0 || *c != '0')
			TextAdd(&digits, c, 1);
		exponent -= fraction;
	}
	if (*c == 'e' || *c == 'E')
		exponent += ExponentOf(c + 1);
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
	TextFree(&digits);
}

static void AddValue(Text *out, json_t *value);

static void
AddString(Text *out, json_t *string)
{
	char	   *len = MoveFormat("%zu:", json_string_length(string));

	TextAddString(out, len);
	TextAdd(out, json_string_value(string), json_string_length(string));
	free(len);
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
		TextAddString(out, names[i]);
		TextAdd(out, "\0", 1);
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
			AddNumber(&texts[i], json_string_value(element));
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

/* {"S": ...} */
static void
AddValue(Text *out, json_t *value)
{
	const char *type = json_object_iter_key(json_object_iter(value));
	json_t	   *content = json_object_get(value, type != NULL ? type : ""),
			   *element;
	size_t		i;

	if (type == NULL)
		return;
	TextAddString(out, type);
	TextAddString(out, " ");
	if (strcmp(type, "N") == 0 && json_is_string(content))
		AddNumber(out, json_string_value(content));
	else if (strcmp(type, "M") == 0)
		AddMap(out, content);
	else if (strcmp(type, "L") == 0)
	{
		json_array_foreach(content, i, element)
			AddValue(out, element);
	}
	else if (json_is_array(content))
		AddSet(out, content, strcmp(type, "NS") == 0);
	else if (json_is_string(content))
		AddString(out, content);
	else
		TextAddString(out, json_is_true(content) ? "true" : "false");
	TextAddString(out, ";");
}

Digest
DigestOf(json_t *item)
{
	unsigned char hash[EVP_MAX_MD_SIZE];
	Text		text = {0};
	Digest		digest;

	AddMap(&text, item);
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
