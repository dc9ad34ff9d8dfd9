/*
 * crc32.h
 *	  The CRC-32 of zlib and Ethernet.
 *
 * PostgreSQL has it, too, but takes a byte at a time, which costs more than the
 * rest of writing a large answer.
 */
#ifndef DYNAMO_HTTP_CRC32_H
#define DYNAMO_HTTP_CRC32_H

#include "item/item.h"

/* The checksum of these bytes. */
extern uint32 Crc32(Slice bytes);

#endif							/* DYNAMO_HTTP_CRC32_H */
