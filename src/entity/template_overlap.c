/*
 * template_overlap.c
 *	  Whether two templates have a key in common.
 *
 * A template is an automaton that reads a key byte by byte; two of them run
 * side by side from their starts, breadth first, until both accept: that is
 * the shortest key of both.
 *
 * States of a template, one after the other for its pieces:
 *
 *		literal, part of fixed width: one for each byte that was read
 *		part of text that ends at the literal behind it (together): the bytes
 *			of the literal that were read last, and whether nothing else was
 *		other part of text: nothing read, something read
 *
 * What a part behind the marked one may not contain is left out of account,
 * so that two templates with such parts may be said to overlap which do not.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "entity/template_parts.h"

typedef struct Automaton
{
	const Template *template;
	uint32	   *first;			/* states at the start of each piece, and the final state */
} Automaton;

/*
 * The most states after a byte: of a loop that continues or ends, and of the
 * next piece.
 */
#define MAX_NEXT	2

/* ---- states ---- */

/* Whether a part of text shares its states with the literal after it. */
static bool
EndsAtLiteral(const Template *t, int piece)
{
	const TemplatePart *part = t->pieces[piece].part;

	return part != NULL && part->kind == PART_TEXT && piece < t->marked && piece < t->npieces - 1;
}

static uint32
CountStates(const Template *t, int piece)
{
	const TemplatePart *part = t->pieces[piece].part;

	if (EndsAtLiteral(t, piece))
		return 2 * t->pieces[piece + 1].text.len;
	if (part == NULL)
		return piece > 0 && EndsAtLiteral(t, piece - 1) ? 0 : t->pieces[piece].text.len;
	return part->kind == PART_TEXT ? 2 : PartWidth(part);
}

static Automaton
MakeAutomaton(const Template *t)
{
	Automaton	a = {t, palloc(sizeof(uint32) * (t->npieces + 1))};
	uint32		n = 0;

	for (int i = 0; i < t->npieces; i++)
	{
		a.first[i] = n;
		n += CountStates(t, i);
	}
	a.first[t->npieces] = n;
	return a;
}

static uint32
StateCount(const Automaton *a)
{
	return a->first[a->template->npieces] + 1;
}

static int
PieceOfState(const Automaton *a, uint32 state)
{
	int			piece = 0;

	while (piece < a->template->npieces && a->first[piece + 1] <= state)
		piece++;
	return piece;
}

/* A part that starts with nothing read has 1 there. */
static uint32
StartState(const Automaton *a, int piece)
{
	if (piece < a->template->npieces && EndsAtLiteral(a->template, piece))
		return a->first[piece] + 1;
	return a->first[piece];
}

static bool
AcceptsState(const Automaton *a, uint32 state)
{
	int			last = a->template->npieces - 1;
	const TemplatePart *part = a->template->pieces[last].part;

	if (state == StateCount(a) - 1)
		return true;
	return part != NULL && part->kind == PART_TEXT && state == a->first[last] + 1;
}

/* ---- steps ---- */

/*
 * Returns the length of the longest prefix of a literal that ends with these
 * bytes.
 */
static uint32
FindLongestPrefix(Slice literal, uint32 n, char c)
{
	for (uint32 k = n + 1; k > 0; k--)
	{
		if (literal.data[k - 1] == c && memcmp(literal.data, literal.data + n + 1 - k, k - 1) == 0)
			return k;
	}
	return 0;
}

/*
 * Whether a part may contain the first n of the bytes "literal[0 .. read), c".
 */
static bool
BytesFit(const TemplatePart *part, Slice literal, uint32 read, char c, uint32 n)
{
	for (uint32 i = 0; i < n; i++)
	{
		if (!PartTextByteFits(part, i < read ? literal.data[i] : c))
			return false;
	}
	return true;
}

static int
StepToLiteral(const Automaton *a, int piece, uint32 offset, char c, uint32 *next)
{
	Slice		literal = a->template->pieces[piece + 1].text;
	uint32		read = offset / 2;
	bool		only = offset % 2 == 1;
	uint32		now = FindLongestPrefix(literal, read, c);

	only &= now == read + 1;
	if (!BytesFit(a->template->pieces[piece].part, literal, read, c, read + 1 - now) ||
		(now == literal.len && only))
		return 0;
	*next = now == literal.len ? StartState(a, piece + 2) : a->first[piece] + 2 * now + only;
	return 1;
}

/* Collects the states after one byte; returns their number. */
static int
StepState(const Automaton *a, uint32 state, char c, uint32 *next)
{
	const Template *t = a->template;
	int			piece = PieceOfState(a, state);
	uint32		offset;
	const TemplatePart *part;
	int			n = 0;

	if (piece == t->npieces)
		return 0;
	offset = state - a->first[piece];
	part = t->pieces[piece].part;
	if (EndsAtLiteral(t, piece))
		return StepToLiteral(a, piece, offset, c, next);
	if (part != NULL && part->kind == PART_TEXT)
	{
		if (PartTextByteFits(part, c))
			next[n++] = a->first[piece] + 1;
		if (offset == 1 && piece + 1 < t->npieces)
			n += StepState(a, StartState(a, piece + 1), c, next + n);
		return n;
	}
	if (part != NULL ? !PartByteFits(part, offset, c) : t->pieces[piece].text.data[offset] != c)
		return 0;
	*next = state + 1 == a->first[piece + 1] ? StartState(a, piece + 1) : state + 1;
	return 1;
}

/* ---- both together ---- */

typedef struct Search
{
	Automaton	a;
	Automaton	b;
	uint32		width;			/* number of b's states */
	uint32	   *from;			/* per pair: the previous pair, 1 for the first; 0: not reached */
	char	   *byte;			/* the byte that led from there */
	uint32	   *queue;
	uint32		queued;
} Search;

static void
ReachStates(Search *s, uint32 pair, uint32 from, char c)
{
	if (s->from[pair] != 0)
		return;
	s->from[pair] = from + 1;
	s->byte[pair] = c;
	s->queue[s->queued++] = pair;
}

static void
AppendCommonText(const Search *s, uint32 pair, StringInfo out)
{
	int			start = out->len;

	for (; pair != s->queue[0]; pair = s->from[pair] - 1)
		appendStringInfoChar(out, s->byte[pair]);
	for (int i = start, j = out->len - 1; i < j; i++, j--)
	{
		char		c = out->data[i];

		out->data[i] = out->data[j];
		out->data[j] = c;
	}
}

/*
 * Collects the bytes to try: those of literals, and one of each class that
 * parts distinguish.
 */
static void
CollectBytes(const Template *t, StringInfo bytes)
{
	for (int i = 0; i < t->npieces; i++)
	{
		for (uint32 j = 0; t->pieces[i].part == NULL && j < t->pieces[i].text.len; j++)
		{
			if (memchr(bytes->data, t->pieces[i].text.data[j], bytes->len) == NULL)
				appendStringInfoChar(bytes, t->pieces[i].text.data[j]);
		}
	}
}

static void
StepBoth(Search *s, uint32 pair, char c)
{
	uint32		next_a[MAX_NEXT];
	uint32		next_b[MAX_NEXT];
	int			na = StepState(&s->a, pair / s->width, c, next_a);
	int			nb = na == 0 ? 0 : StepState(&s->b, pair % s->width, c, next_b);

	for (int i = 0; i < na; i++)
	{
		for (int j = 0; j < nb; j++)
			ReachStates(s, next_a[i] * s->width + next_b[j], pair, c);
	}
}

static Search
BeginSearch(const Template *a, const Template *b)
{
	Search		s = {MakeAutomaton(a), MakeAutomaton(b)};
	Size		pairs;

	s.width = StateCount(&s.b);
	pairs = (Size) StateCount(&s.a) * s.width;
	s.from = palloc0(sizeof(uint32) * pairs);
	s.byte = palloc(pairs);
	s.queue = palloc(sizeof(uint32) * pairs);
	ReachStates(&s, StartState(&s.a, 0) * s.width + StartState(&s.b, 0), 0, '\0');
	return s;
}

bool
TemplatesOverlap(const Template *a, const Template *b, StringInfo example)
{
	Search		s = BeginSearch(a, b);
	StringInfoData bytes;
	bool		found = false;

	initStringInfo(&bytes);
	appendStringInfoString(&bytes, "1a02A-:T.Zpnz~");
	CollectBytes(a, &bytes);
	CollectBytes(b, &bytes);
	for (uint32 i = 0; i < s.queued && !found; i++)
	{
		CHECK_FOR_INTERRUPTS();
		found = AcceptsState(&s.a, s.queue[i] / s.width) && AcceptsState(&s.b, s.queue[i] % s.width);
		if (found)
			AppendCommonText(&s, s.queue[i], example);
		for (int j = 0; j < bytes.len && !found; j++)
			StepBoth(&s, s.queue[i], bytes.data[j]);
	}
	pfree(s.from);
	pfree(s.byte);
	pfree(s.queue);
	return found;
}
