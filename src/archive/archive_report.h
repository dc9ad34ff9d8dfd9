/*
 * archive_report.h
 *	  The reports of a bulk operation: lines that failed, and conditions that were not met.
 *
 * They are appended to files as they arise.  How long these are is stored with the
 * batch: what a transaction that did not commit has appended is cut off by the next one.
 *
 *	<prefix>/AWSDynamoDB/<id>/error.lines				as they arise
 *							 /error/1.json.gz			at the end
 *							 /condition-check-failure/1.json.gz
 *							 /manifest-summary.json
 */
#ifndef DYNAMO_ARCHIVE_REPORT_H
#define DYNAMO_ARCHIVE_REPORT_H

#include "lib/stringinfo.h"

#include "archive/archive.h"

#define ERROR_REPORT		"error"
#define CONDITION_REPORT	"condition-check-failure"

/* Whether who has begun the operation wants a category of reports. */
extern bool ReportIsWanted(const Job *job, const char *category);

/* Appends to a report in a directory, behind what committed batches have written. */
extern void ReportAppend(const char *directory, const char *report, int64 *length, const StringInfoData *text);

/* Compresses the reports, and writes the manifest. */
extern void ReportsFinish(const Job *job, const char *directory);

/* Removes the files to which reports were appended, after the transaction that has finished them. */
extern void ReportsRemoveLines(const char *directory);

#endif							/* DYNAMO_ARCHIVE_REPORT_H */
