/*
 * connection_send.c
 *	  Sends answers.
 */
#include "postgres.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include "http/connection_internal.h"

bool
ConnectionFlush(Connection *c)
{
	while (c->sent < c->out.len)
	{
		ssize_t		n = ConnectionWrite(c, c->out.data + c->sent, c->out.len - c->sent);

		if (n >= 0)
			c->sent += (int) n;
		else if (errno == EAGAIN || errno == EWOULDBLOCK)
			return false;
		else if (errno != EINTR)
		{
			/* the client has closed the connection */
			c->close = true;
			c->linger = false;
			break;
		}
	}
	resetStringInfo(&c->out);
	c->sent = 0;
	ConnectionShrinkBuffer(&c->out);
	ConnectionAccount(c);
	return true;
}

static void
SendParts(Connection *c, const StringInfoData *head, Slice body)
{
	struct iovec parts[2];
	struct msghdr message = {0};
	ssize_t		n;
	Size		rest;

	parts[0].iov_base = head->data;
	parts[0].iov_len = head->len;
	parts[1].iov_base = unconstify(char *, body.data);
	parts[1].iov_len = body.len;
	message.msg_iov = parts;
	message.msg_iovlen = body.len > 0 ? 2 : 1;
	do
		n = sendmsg(c->fd, &message, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		n = 0;					/* ConnectionFlush will report the error */
	rest = head->len + (Size) body.len - (Size) n;
	if (rest == 0)
		return;
	enlargeStringInfo(&c->out, (int) rest);
	if (n < head->len)
	{
		appendBinaryStringInfo(&c->out, head->data + n, head->len - (int) n);
		n = head->len;
	}
	if (body.len > 0)
		appendBinaryStringInfo(&c->out, body.data + (n - head->len), (int) rest - c->out.len);
	ConnectionAccount(c);
}

static void
AppendHead(StringInfo head, const Connection *c, const HttpAnswer *answer)
{
	HttpDelivery delivery = {.keep_alive = !c->close, .old = c->has_head && c->head.old};

	AnswerHead(head, answer, delivery);
}

void
ConnectionKeepAnswer(Connection *c, HttpAnswer *answer, bool head_only)
{
	AppendHead(&c->out, c, answer);
	if (!head_only)
		appendBinaryStringInfo(&c->out, answer->body.data, (int) answer->body.len);
	ConnectionAccount(c);
}

void
ConnectionSend(Connection *c, HttpAnswer *answer, bool head_only)
{
	StringInfoData head;

	/* earlier bytes are sent together with it; TLS sends from the buffer */
	if (c->tls != NULL || c->out.len > 0)
	{
		ConnectionKeepAnswer(c, answer, head_only);
		return;
	}
	initStringInfo(&head);
	AppendHead(&head, c, answer);
	SendParts(c, &head, head_only ? (Slice) {NULL, 0} : answer->body);
}
