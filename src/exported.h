/*
 * exported.h
 *	  Marks what one library of the extension offers to the others.
 *
 * All other functions are hidden in their library.  test/exports lists what is offered.
 */
#ifndef DYNAMO_EXPORTED_H
#define DYNAMO_EXPORTED_H

#define DYNAMO_EXPORT __attribute__((visibility("default")))

#endif							/* DYNAMO_EXPORTED_H */
