/*
 * hot_keys.h
 *	  Which partition keys are used most: contributor insights.
 */
#ifndef DYNAMO_MONITOR_HOT_KEYS_H
#define DYNAMO_MONITOR_HOT_KEYS_H

/* Defines the setting and begins to listen to accesses; called at load. */
extern void HotKeysInit(void);

#endif							/* DYNAMO_MONITOR_HOT_KEYS_H */
