/*
 * crc32.h
 *	  The CRC-32 of zlib and Ethernet.
 *
 * PostgreSQL's implementation processes one byte at a time, which would take
 * longer than all other work for a large answer.
 */
#ifndef DYNAMO_HTTP_CRC32_H
#define DYNAMO_HTTP_CRC32_H

#include "item/item.h"

/* The checksum of these bytes. */
extern uint32 Crc32(Slice bytes);

#endif							/* DYNAMO_HTTP_CRC32_H */
