/*
 * custom_settings.h
 *	  The custom settings of the session (such as app.tenant) in what other nodes of Citus
 *	  execute for it.
 *
 * Policies of row security may read such a setting.  Citus applies the policies of a table
 * on the nodes with its shards, in sessions that do not know what was set here.
 */
#ifndef DYNAMO_CITUS_CUSTOM_SETTINGS_H
#define DYNAMO_CITUS_CUSTOM_SETTINGS_H


extern void CustomSettingsInit(void);

/*
 * Returns the call of a function that sets the custom settings of this session until the end
 * of the transaction, for another node; palloc'd.  NULL if there are none.
 */
extern char *CustomSettingsCall(void);

#endif							/* DYNAMO_CITUS_CUSTOM_SETTINGS_H */
