/*
 * crc32.c
 *	  The CRC-32 of zlib and Ethernet, sixteen bytes at a time.
 *
 * tables[0] is the ordinary table, by which the checksum moves on by a byte;
 * tables[n] moves it on by n bytes of zero more.  The checksum is linear, so
 * the bytes of a word can be looked up apart and added: "slicing"
 * (Kounavis and Berry, 2005), here by sixteen.
 */
#include "postgres.h"

#include "http/crc32.h"

#define POLYNOMIAL	0xEDB88320	/* bits reversed */
#define SLICES		16

static uint32 tables[SLICES][256];

static void
BuildTables(void)
{
	for (uint32 i = 0; i < 256; i++)
	{
		uint32		crc = i;

		for (int bit = 0; bit < 8; bit++)
			crc = (crc >> 1) ^ ((crc & 1) ? POLYNOMIAL : 0);
		tables[0][i] = crc;
	}
	for (int n = 1; n < SLICES; n++)
	{
		for (uint32 i = 0; i < 256; i++)
			tables[n][i] = (tables[n - 1][i] >> 8) ^ tables[0][tables[n - 1][i] & 0xFF];
	}
}

static uint32
LittleEndian32(const unsigned char *p)
{
	return p[0] | (uint32) p[1] << 8 | (uint32) p[2] << 16 | (uint32) p[3] << 24;
}

/* What four bytes make of a checksum, n bytes later. */
static uint32
LookUpSlice(uint32 word, int n)
{
	return tables[n + 3][word & 0xFF] ^ tables[n + 2][(word >> 8) & 0xFF] ^
		tables[n + 1][(word >> 16) & 0xFF] ^ tables[n][word >> 24];
}

static uint32
HashSlices(uint32 crc, const unsigned char *p)
{
	return LookUpSlice(crc ^ LittleEndian32(p), 12) ^ LookUpSlice(LittleEndian32(p + 4), 8) ^
		LookUpSlice(LittleEndian32(p + 8), 4) ^ LookUpSlice(LittleEndian32(p + 12), 0);
}

uint32
Crc32(Slice bytes)
{
	const unsigned char *p = (const unsigned char *) bytes.data;
	uint32		left = bytes.len;
	uint32		crc = 0xFFFFFFFF;

	if (tables[0][1] == 0)
		BuildTables();
	for (; left >= SLICES; left -= SLICES, p += SLICES)
		crc = HashSlices(crc, p);
	for (; left > 0; left--)
		crc = (crc >> 8) ^ tables[0][(crc ^ *p++) & 0xFF];
	return ~crc;
}
