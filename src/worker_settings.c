/*
 * worker_settings.c
 *	  Settings of background workers that do work for a table.
 */
#include "postgres.h"

#include "utils/guc.h"

#include "worker_settings.h"

void
WorkerSettingsApply(const char *application_name)
{
	const char *settings[][2] = {
		{"default_transaction_isolation", "read committed"},
		{"default_transaction_read_only", "off"},
		{"lock_timeout", "0"},
		{"statement_timeout", "0"},
		{"idle_in_transaction_session_timeout", "0"},
		{"application_name", application_name},
	};

	for (size_t i = 0; i < lengthof(settings); i++)
		SetConfigOption(settings[i][0], settings[i][1], PGC_USERSET, PGC_S_SESSION);
}
