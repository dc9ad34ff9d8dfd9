/*
 * http_client.c
 *	  Sends requests over HTTP as fast as a server answers and prints how many
 *	  a second were done, the microseconds of processor time that the server's
 *	  processes spent on each (0: unknown), the time a request took in
 *	  microseconds (median, 90th, 99th, 99.9th percentile, maximum), and the
 *	  share of the time in which this client was busy.
 *
 *	http_client [-h address] [-p port] [-c connections] [-w window]
 *				[-t seconds | -n count] [-P process,...] requests
 *
 * The file has whole requests, each behind a line with its length in bytes;
 * they are used in turn, each connection beginning at another one.  Nothing is
 * computed here but where an answer ends, so that one processor serves
 * several workers.  A window of 1 is the round trip of ordinary clients; a
 * larger one pipelines that many requests on each connection.  An answer of
 * another status than 200 ends the measurement with an error.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MAX_WINDOW	64
#define MAX_EVENTS	256
#define READ_SIZE	(64 * 1024)

/* Times are counted in classes, 32 for each power of two. */
#define CLASS_BITS	5
#define CLASSES		(60 << CLASS_BITS)

typedef struct Request
{
	const char *data;
	size_t		len;
} Request;

typedef struct Connection
{
	int			fd;
	SSL		   *tls;			/* NULL: plain */
	long		next;			/* request to send */
	size_t		sent;			/* of it */
	bool		blocked;		/* the socket is full */
	double		sent_at[MAX_WINDOW];	/* of those under way, oldest first */
	int			first;
	int			under_way;
	char	   *in;				/* what has come and is not an answer yet */
	size_t		len;
	size_t		size;
} Connection;

static const char *address = "127.0.0.1";
static int	port = 8000;
static int	nconnections = 1;
static int	window = 1;
static double seconds = 1.0;
static long count = 0;			/* requests of all connections; 0: by time */
static const char *processes = "";
static bool use_tls;

static Request *requests;
static long nrequests;
static int	epoll;

static long begun;
static long done;
static double until;
static long classes[CLASSES];
static double longest;

static void
die(const char *what, const char *detail)
{
	fprintf(stderr, "bench http client: %s: %s\n", what, detail);
	exit(1);
}

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* ---- processor time ---- */

/* Seconds that the threads of a process have been running on a processor. */
static double
process_seconds(long pid)
{
	char		path[300];
	DIR		   *tasks;
	struct dirent *task;
	double		sum = 0;

	snprintf(path, sizeof(path), "/proc/%ld/task", pid);
	tasks = opendir(path);
	if (tasks == NULL)
		return 0;
	while ((task = readdir(tasks)) != NULL)
	{
		unsigned long long nanoseconds = 0;
		FILE	   *file;

		snprintf(path, sizeof(path), "/proc/%ld/task/%s/schedstat", pid, task->d_name);
		file = task->d_name[0] == '.' ? NULL : fopen(path, "r");
		if (file == NULL)
			continue;
		if (fscanf(file, "%llu", &nanoseconds) == 1)
			sum += nanoseconds / 1e9;
		fclose(file);
	}
	closedir(tasks);
	return sum;
}

static double
server_seconds(void)
{
	double		sum = 0;

	for (const char *at = processes; *at != '\0';)
	{
		char	   *end;

		sum += process_seconds(strtol(at, &end, 10));
		if (end == at)
			die("not a process", at);
		at = *end == ',' ? end + 1 : end;
	}
	return sum;
}

static double
own_seconds(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_utime.tv_sec + usage.ru_utime.tv_usec / 1e6 +
		usage.ru_stime.tv_sec + usage.ru_stime.tv_usec / 1e6;
}

/* ---- how long requests took ---- */

static int
class_of(long nanoseconds)
{
	int			shift = 0;

	while (nanoseconds >> shift >= 2 << CLASS_BITS)
		shift++;
	return (shift << CLASS_BITS) + (int) (nanoseconds >> shift);
}

/* The middle of a class, in microseconds. */
static double
class_time(int class)
{
	int			shift = class >> CLASS_BITS > 0 ? (class >> CLASS_BITS) - 1 : 0;
	long		value = class - (shift << CLASS_BITS);

	return (value + 0.5) * (double) (1L << shift) / 1000;
}

static void
count_time(double duration)
{
	classes[class_of((long) (duration * 1e9))]++;
	if (duration > longest)
		longest = duration;
}

static double
percentile(double share)
{
	long		wanted = (long) (done * share);
	long		seen = 0;

	for (int i = 0; i < CLASSES; i++)
	{
		seen += classes[i];
		if (seen > wanted)
			return class_time(i) < longest * 1e6 ? class_time(i) : longest * 1e6;
	}
	return longest * 1e6;
}

/* ---- requests ---- */

static void
read_requests(const char *path)
{
	FILE	   *file = fopen(path, "r");
	long		room = 0;
	size_t		len;

	if (file == NULL)
		die("cannot open", path);
	while (fscanf(file, "%zu", &len) == 1)
	{
		char	   *data = malloc(len);

		if (fgetc(file) != '\n' || fread(data, 1, len, file) != len)
			die("requests", "a length is wrong");
		if (nrequests == room)
		{
			room = room ? 2 * room : 1024;
			requests = realloc(requests, room * sizeof(Request));
		}
		requests[nrequests].data = data;
		requests[nrequests++].len = len;
	}
	fclose(file);
	if (nrequests == 0)
		die("no requests", path);
}

static void
wait_for(Connection *c, int operation, uint32_t events)
{
	struct epoll_event event = {.events = events, .data.ptr = c};

	if (epoll_ctl(epoll, operation, c->fd, &event) != 0)
		die("epoll_ctl", strerror(errno));
}

/* The certificate is not verified: what is measured is the encryption. */
static SSL *
start_tls(int fd)
{
	static SSL_CTX *context;
	SSL		   *tls;

	if (context == NULL)
		context = SSL_CTX_new(TLS_client_method());
	tls = SSL_new(context);
	SSL_set_mode(tls, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
	if (SSL_set_fd(tls, fd) != 1 || SSL_connect(tls) != 1)
		die("cannot connect", "no TLS");
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	return tls;
}

/* What SSL_read and SSL_write return, as recv and send would. */
static ssize_t
tls_result(Connection *c, int n)
{
	int			error = n > 0 ? SSL_ERROR_NONE : SSL_get_error(c->tls, n);

	if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE)
		errno = EAGAIN;
	else if (error == SSL_ERROR_ZERO_RETURN)
		return 0;
	return n > 0 ? n : -1;
}

static ssize_t
put_bytes(Connection *c, const char *data, size_t len)
{
	return c->tls != NULL ? tls_result(c, SSL_write(c->tls, data, (int) len)) :
		send(c->fd, data, len, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static ssize_t
get_bytes(Connection *c, char *data, size_t len)
{
	return c->tls != NULL ? tls_result(c, SSL_read(c->tls, data, (int) len)) :
		recv(c->fd, data, len, MSG_DONTWAIT);
}

static void
open_connection(Connection *c, long first)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
	int			one = 1;

	c->next = first;
	c->size = READ_SIZE;
	c->in = malloc(c->size);
	c->fd = socket(AF_INET, SOCK_STREAM, 0);
	if (inet_pton(AF_INET, address, &to.sin_addr) != 1)
		die("not an IPv4 address", address);
	if (connect(c->fd, (struct sockaddr *) &to, sizeof(to)) != 0)
		die("cannot connect", strerror(errno));
	setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (use_tls)
		c->tls = start_tls(c->fd);
	wait_for(c, EPOLL_CTL_ADD, EPOLLIN);
}

/* Whether another request may be begun. */
static bool
may_begin(void)
{
	return count > 0 ? begun < count : now() < until;
}

static void
block(Connection *c, bool blocked)
{
	if (c->blocked != blocked)
		wait_for(c, EPOLL_CTL_MOD, blocked ? EPOLLIN | EPOLLOUT : EPOLLIN);
	c->blocked = blocked;
}

/* Sends until the window or the socket is full. */
static void
send_requests(Connection *c)
{
	while (c->sent > 0 || (c->under_way < window && may_begin()))
	{
		const Request *request = &requests[c->next % nrequests];
		ssize_t		n;

		if (c->sent == 0)
		{
			c->sent_at[(c->first + c->under_way++) % MAX_WINDOW] = now();
			begun++;
		}
		n = put_bytes(c, request->data + c->sent, request->len - c->sent);
		if (n < 0 && errno != EAGAIN)
			die("send", strerror(errno));
		if (n < 0)
			break;
		c->sent += (size_t) n;
		if (c->sent == request->len)
		{
			c->sent = 0;
			c->next++;
		}
	}
	block(c, c->sent > 0);
}

/* ---- answers ---- */

/* The value of a field of the head; NULL if there is none. */
static const char *
find_field(const char *head, const char *end, const char *name)
{
	size_t		len = strlen(name);

	for (const char *line = head; line != NULL && line < end; line = memmem(line, end - line, "\r\n", 2))
	{
		if (line[0] == '\r')
			line += 2;
		if (end - line > (long) len && strncasecmp(line, name, len) == 0 && line[len] == ':')
			return line + len + 1;
	}
	return NULL;
}

/* The bytes of a chunked body; 0 if it is not there as a whole. */
static size_t
chunked_length(const char *body, const char *end)
{
	const char *at = body;

	for (;;)
	{
		const char *line_end = memmem(at, end - at, "\r\n", 2);
		size_t		size;

		if (line_end == NULL)
			return 0;
		size = strtoul(at, NULL, 16);
		if ((size_t) (end - line_end) < size + 4)
			return 0;
		at = line_end + 2 + size + 2;
		if (size == 0)
			return at - body;
	}
}

/* The bytes of the first answer; 0 if it is not there as a whole. */
static size_t
answer_length(const char *data, size_t len)
{
	const char *head_end = memmem(data, len, "\r\n\r\n", 4);
	const char *field;
	size_t		head;
	size_t		body;

	if (head_end == NULL)
		return 0;
	head = head_end + 4 - data;
	field = find_field(data, head_end, "Content-Length");
	if (field != NULL)
	{
		body = strtoul(field, NULL, 10);
		return head + body <= len ? head + body : 0;
	}
	if (find_field(data, head_end, "Transfer-Encoding") == NULL)
		die("answer", "its length is not told");
	body = chunked_length(data + head, data + len);
	return body > 0 ? head + body : 0;
}

static void
check_answer(const char *data, size_t len)
{
	if (len < 12 || memcmp(data, "HTTP/1.1 200", 12) != 0)
		die("answer", strndup(data, len));
}

static void
take_answers(Connection *c)
{
	size_t		at = 0;
	size_t		len;
	double		time = now();

	while ((len = answer_length(c->in + at, c->len - at)) > 0)
	{
		check_answer(c->in + at, len);
		if (c->under_way == 0)
			die("answer", "nothing was asked");
		count_time(time - c->sent_at[c->first]);
		c->first = (c->first + 1) % MAX_WINDOW;
		c->under_way--;
		done++;
		at += len;
	}
	memmove(c->in, c->in + at, c->len - at);
	c->len -= at;
}

static void
receive(Connection *c)
{
	ssize_t		n;

	if (c->size - c->len < READ_SIZE / 2)
	{
		c->size *= 2;
		c->in = realloc(c->in, c->size);
	}
	n = get_bytes(c, c->in + c->len, c->size - c->len);
	if (n < 0 && errno == EAGAIN)
		return;
	if (n <= 0)
		die("connection", n < 0 ? strerror(errno) : "closed by the server");
	c->len += (size_t) n;
	take_answers(c);
}

/* ---- the measurement ---- */

static void
run(Connection *connections)
{
	struct epoll_event events[MAX_EVENTS];

	for (int i = 0; i < nconnections; i++)
		send_requests(&connections[i]);
	while (done < begun)
	{
		int			n = epoll_wait(epoll, events, MAX_EVENTS, -1);

		for (int i = 0; i < n; i++)
		{
			Connection *c = events[i].data.ptr;

			if (events[i].events & ~EPOLLOUT)
				receive(c);
			send_requests(c);
		}
	}
}

static void
read_options(int argc, char **argv)
{
	int			option;

	while ((option = getopt(argc, argv, "h:p:c:w:t:n:P:T")) != -1)
	{
		switch (option)
		{
			case 'h':
				address = optarg;
				break;
			case 'p':
				port = atoi(optarg);
				break;
			case 'c':
				nconnections = atoi(optarg);
				break;
			case 'w':
				window = atoi(optarg);
				break;
			case 't':
				seconds = atof(optarg);
				break;
			case 'n':
				count = atol(optarg);
				break;
			case 'P':
				processes = optarg;
				break;
			case 'T':
				use_tls = true;
				break;
			default:
				exit(2);
		}
	}
	if (optind != argc - 1 || nconnections < 1 || window < 1 || window > MAX_WINDOW)
		die("usage", "http_client [options] requests");
}

int
main(int argc, char **argv)
{
	Connection *connections;
	double		begin,
				server,
				own,
				took;

	read_options(argc, argv);
	read_requests(argv[optind]);
	epoll = epoll_create1(0);
	connections = calloc(nconnections, sizeof(Connection));
	for (int i = 0; i < nconnections; i++)
		open_connection(&connections[i], (long) ((double) i / nconnections * nrequests));
	server = server_seconds();
	own = own_seconds();
	begin = now();
	until = begin + seconds;
	run(connections);
	took = now() - begin;
	printf("%.1f %.3f %.0f %.0f %.0f %.0f %.0f %.2f\n", done / took,
		   (server_seconds() - server) * 1e6 / done,
		   percentile(0.5), percentile(0.9), percentile(0.99), percentile(0.999), longest * 1e6,
		   (own_seconds() - own) / took);
	return 0;
}
