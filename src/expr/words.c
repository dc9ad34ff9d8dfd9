/*
 * words.c
 *	  Keywords and reserved words, which are not case-sensitive.
 */
#include "postgres.h"

#include "expr/words.h"

bool
WordIs(Slice text, const char *word)
{
	return text.len == strlen(word) &&
		pg_strncasecmp(text.data, word, text.len) == 0;
}

static int
CompareWord(const void *key, const void *word)
{
	return strcmp(key, *(const char *const *) word);
}

bool
WordIsListed(Slice text, const char *const *words, size_t n)
{
	char		upper[24];		/* the longest reserved word has 17 bytes */

	if (text.len >= sizeof(upper))
		return false;
	for (uint32 i = 0; i < text.len; i++)
		upper[i] = pg_ascii_toupper((unsigned char) text.data[i]);
	upper[text.len] = '\0';
	return bsearch(upper, words, n, sizeof(words[0]), CompareWord) != NULL;
}
