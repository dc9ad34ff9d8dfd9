/*
 * elsewhere.c
 *	  Who reads and writes rows on other nodes; without anybody, there are none.
 */
#include "postgres.h"

#include "store/elsewhere.h"

static const ElsewhereMethods nowhere;

const ElsewhereMethods *elsewhere = &nowhere;

void
ElsewhereRegister(const ElsewhereMethods *methods)
{
	elsewhere = methods;
}
