/*
 * endpoint.c
 *	  The HTTP endpoint as the rest of the extension knows it: its settings, its workers
 *	  and its room in shared memory.
 */
#include "postgres.h"

#include <limits.h>
#include <unistd.h>

#include "datatype/timestamp.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"
#include "utils/guc.h"
#include "utils/varlena.h"

#include "shared_memory.h"
#include "worker/endpoint.h"
#include "worker/workers.h"

int			http_port;
char	   *http_listen_addresses;
int			metrics_port;
char	   *metrics_listen_addresses;
static int	http_workers;
int			http_authentication;
bool		http_ignore_session_tokens;
int			http_tls;
char	   *http_role;
bool		http_allow_superuser;
char	   *http_schemas;
char	   *http_secret_key_command;
char	   *http_allow_origin;
char	   *http_allowed_hosts;
int			http_max_connections;
int			http_buffer_memory;
int			http_idle_timeout;
int			http_client_timeout;
int			http_statement_timeout;
int			endpoint_workers;

/*
 * Workers by default: one a processor, but enough that one which reads from
 * disk or executes a long request leaves others; others need places for
 * background workers, too.
 */
#define MIN_DEFAULT_WORKERS	4

static const struct config_enum_entry authentication_options[] = {
	{"sigv4", HTTP_AUTHENTICATION_SIGV4, false},
	{"certificate", HTTP_AUTHENTICATION_CERTIFICATE, false},
	{"none", HTTP_AUTHENTICATION_NONE, false},
	{NULL, 0, false}
};

static const struct config_enum_entry tls_options[] = {
	{"off", HTTP_TLS_OFF, false},
	{"allow", HTTP_TLS_ALLOW, false},
	{"require", HTTP_TLS_REQUIRE, false},
	{NULL, 0, false}
};

/* Checks a text that becomes the value of a header field. */
static bool
CheckOrigin(char **value, void **extra, GucSource source)
{
	for (const char *c = *value; *c != '\0'; c++)
	{
		if (*c <= ' ' || *c > '~')
		{
			GUC_check_errdetail("An origin has no spaces, control characters or characters beyond ASCII.");
			return false;
		}
	}
	return true;
}

static bool
CheckSecretKeyCommand(char **value, void **extra, GucSource source)
{
#ifndef USE_OPENSSL
	if (**value != '\0')
	{
		GUC_check_errdetail("This server was built without OpenSSL, which encrypts secrets.");
		return false;
	}
#endif
	return true;
}

/* Something else than a name or an address would never be found. */
static bool
IsHost(const char *text)
{
	const char *colon = strchr(text, ':');

	/* those of IPv6 have at least two */
	return strpbrk(text, "/[]@ ") == NULL && (colon == NULL || strchr(colon + 1, ':') != NULL);
}

static bool
CheckHosts(char **value, void **extra, GucSource source)
{
	char	   *text = pstrdup(*value);
	List	   *hosts;
	ListCell   *cell;
	bool		valid = SplitGUCList(text, ',', &hosts);

	if (valid)
	{
		foreach(cell, hosts)
			valid = valid && IsHost(lfirst(cell));
		list_free(hosts);
	}
	pfree(text);
	if (!valid)
		GUC_check_errdetail("It is a list of host names and addresses, without schemes, ports and brackets.");
	return valid;
}

static bool
CheckSchemas(char **value, void **extra, GucSource source)
{
	char	   *text = pstrdup(*value);
	List	   *schemas;
	bool		valid = SplitIdentifierString(text, ',', &schemas);

	list_free(schemas);
	pfree(text);
	if (!valid)
		GUC_check_errdetail("It is a list of schemas, as in \"search_path\".");
	return valid;
}

/*
 * What the workers are started with.  Only a library that is loaded with the
 * server may define settings for its start; in others they can be shown.
 */
static void
DefineStartSettings(void)
{
	GucContext	context = process_shared_preload_libraries_in_progress ? PGC_POSTMASTER : PGC_SIGHUP;

	DefineCustomIntVariable("dynamo.http_port",
							"TCP port of the HTTP endpoint; 0 turns it off.",
							"The endpoint requires dynamo in shared_preload_libraries.",
							&http_port, 0, 0, 65535, context, 0, NULL, NULL, NULL);
	DefineCustomStringVariable("dynamo.http_listen_addresses",
							   "Host names or IP addresses on which the HTTP endpoint listens.",
							   "Separated by commas; * stands for all.",
							   &http_listen_addresses, "localhost", context,
							   GUC_LIST_INPUT, NULL, NULL, NULL);
	DefineCustomIntVariable("dynamo.metrics_port",
							"TCP port at which the HTTP endpoint offers metrics for Prometheus; 0 turns it off.",
							NULL, &metrics_port, 0, 0, 65535, context, 0, NULL, NULL, NULL);
	DefineCustomStringVariable("dynamo.metrics_listen_addresses",
							   "Host names or IP addresses on which metrics are offered.",
							   "Separated by commas; * stands for all.",
							   &metrics_listen_addresses, "localhost", context,
							   GUC_LIST_INPUT, NULL, NULL, NULL);
	DefineCustomIntVariable("dynamo.http_workers",
							"Number of background workers of the HTTP endpoint.",
							"Each worker executes one request at a time. 0 chooses a number that fits the machine.",
							&http_workers, 0, 0, 256, context, 0, NULL, NULL, NULL);
}

static void
DefineClientSettings(void)
{
	DefineCustomIntVariable("dynamo.http_max_connections",
							"Maximum number of connections of one worker of the HTTP endpoint.",
							NULL, &http_max_connections, 250, 1, 65535, PGC_SIGHUP, 0,
							NULL, NULL, NULL);
	DefineCustomIntVariable("dynamo.http_buffer_memory",
							"Memory of one worker for incoming requests and outgoing answers.",
							NULL, &http_buffer_memory, 64 * 1024, 20 * 1024, MAX_KILOBYTES,
							PGC_SIGHUP, GUC_UNIT_KB, NULL, NULL, NULL);
	DefineCustomIntVariable("dynamo.http_idle_timeout",
							"Time after which a connection without a request is closed; 0 means never.",
							NULL, &http_idle_timeout, 300 * 1000, 0, INT_MAX, PGC_SIGHUP,
							GUC_UNIT_MS, NULL, NULL, NULL);
	DefineCustomIntVariable("dynamo.http_client_timeout",
							"Time for a client to send a request, and to receive an answer.",
							NULL, &http_client_timeout, 30 * 1000, 100, INT_MAX, PGC_SIGHUP,
							GUC_UNIT_MS, NULL, NULL, NULL);
	DefineCustomIntVariable("dynamo.http_statement_timeout",
							"Maximum time to execute a request, whatever the settings of its role; 0 means no limit.",
							"A request that goes on for two seconds after it was canceled ends its worker.",
							&http_statement_timeout, 60 * 1000, 0, INT_MAX, PGC_SIGHUP,
							GUC_UNIT_MS, NULL, NULL, NULL);
}

static void
DefineSettings(void)
{
	DefineStartSettings();
	DefineClientSettings();
	DefineCustomEnumVariable("dynamo.http_authentication",
							 "Authentication of HTTP requests.",
							 "With sigv4, requests must be signed with an access key. With certificate, the common name in the client's certificate is the role. With none, all requests have the rights of dynamo.http_role.",
							 &http_authentication, HTTP_AUTHENTICATION_SIGV4, authentication_options,
							 PGC_SIGHUP, 0, NULL, NULL, NULL);
	DefineCustomBoolVariable("dynamo.http_ignore_session_tokens",
							 "Accepts HTTP requests that have a session token.",
							 "The request must be signed with an access key of this server, and has the rights of the key's role, whatever the token says.",
							 &http_ignore_session_tokens, false, PGC_SIGHUP, 0, NULL, NULL, NULL);
	DefineCustomEnumVariable("dynamo.http_tls",
							 "TLS of the HTTP endpoint.",
							 "With allow, each client chooses. Certificates and protocols are those of the settings ssl_....",
							 &http_tls, HTTP_TLS_OFF, tls_options, PGC_SIGHUP, 0, NULL, NULL, NULL);
	DefineCustomStringVariable("dynamo.http_role",
							   "Role of HTTP requests without authentication.",
							   NULL, &http_role, "", PGC_SIGHUP, 0, NULL, NULL, NULL);
	DefineCustomBoolVariable("dynamo.http_allow_superuser",
							 "Allows HTTP requests to be executed as superusers.",
							 "If off, access keys of superusers are refused.",
							 &http_allow_superuser, false, PGC_SIGHUP, 0, NULL, NULL, NULL);
	DefineCustomStringVariable("dynamo.http_schemas",
							   "Schemas in which HTTP requests find and create tables.",
							   "If empty, those of the role's search_path, and only tables that nobody else could have put there.",
							   &http_schemas, "", PGC_SUSET, GUC_LIST_INPUT, CheckSchemas, NULL, NULL);
	DefineCustomStringVariable("dynamo.http_secret_key_command",
							   "Command that prints the key with which secrets of access keys are encrypted.",
							   "As 64 hexadecimal digits or 32 bytes in base64; a second line has the previous key. If empty, secrets are stored unencrypted.",
							   &http_secret_key_command, "", PGC_SIGHUP, GUC_SUPERUSER_ONLY,
							   CheckSecretKeyCommand, NULL, NULL);
	DefineCustomStringVariable("dynamo.http_allow_origin",
							   "Origin of web pages that may use the HTTP endpoint.",
							   "* stands for all; empty for none.",
							   &http_allow_origin, "*", PGC_SIGHUP, 0, CheckOrigin, NULL, NULL);
	DefineCustomStringVariable("dynamo.http_allowed_hosts",
							   "Hosts allowed in HTTP requests without authentication, besides this machine.",
							   "In their headers Host and Origin; separated by commas; * stands for all.",
							   &http_allowed_hosts, "", PGC_SIGHUP, GUC_LIST_INPUT, CheckHosts,
							   NULL, NULL);
}

/* Room for what the workers share, which they put there (http/http_library.c). */
static void
RequestEndpointMemory(void)
{
	RequestAddinShmemSpace(16 * 1024 + mul_size(endpoint_workers, 256));
	RequestNamedLWLockTranche(ENDPOINT_PORT_LOCK, 1);
	RequestNamedLWLockTranche(ENDPOINT_KEY_LOCK, 1);
}

static void
RegisterWorker(int number)
{
	BackgroundWorker worker = WorkerDescribeRestarted("dynamo_http", "dynamo_http_worker_main", "dynamo http");

	/* a standby serves reads */
	worker.bgw_start_time = BgWorkerStart_ConsistentState;
	worker.bgw_main_arg = Int32GetDatum(number);
	snprintf(worker.bgw_name, BGW_MAXLEN, "dynamo http worker %d", number);
	RegisterBackgroundWorker(&worker);
}

/* Not on a standby, which commits nothing. */
static void
RegisterFlusher(void)
{
	BackgroundWorker worker = WorkerDescribeRestarted("dynamo_http", "dynamo_http_flusher_main", "dynamo flusher");

	RegisterBackgroundWorker(&worker);
}

/* How many to start. */
static int
NumberOfWorkers(void)
{
	int			processors = (int) sysconf(_SC_NPROCESSORS_ONLN);

	if (http_workers > 0)
		return http_workers;
	return Max(1, Min(Max(processors, MIN_DEFAULT_WORKERS), max_worker_processes / 2));
}

void
EndpointInit(void)
{
	DefineSettings();
	if (!process_shared_preload_libraries_in_progress || IsBinaryUpgrade || http_port == 0)
		return;
	endpoint_workers = NumberOfWorkers();
	SharedMemoryRegister(RequestEndpointMemory, NULL);
	for (int i = 1; i <= endpoint_workers; i++)
		RegisterWorker(i);
	RegisterFlusher();
}
