/*
 * worker_settings.h
 *	  Settings of background workers that do work for a table.
 */
#ifndef DYNAMO_WORKER_SETTINGS_H
#define DYNAMO_WORKER_SETTINGS_H

/*
 * Replaces settings of the database or the user that could prevent the work, and
 * sets application_name.  The worker must be connected to its database.
 */
extern void WorkerSettingsApply(const char *application_name);

#endif							/* DYNAMO_WORKER_SETTINGS_H */
