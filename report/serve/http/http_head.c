// SPDX-License-Identifier: GPL-3.0-or-later
/* libmicrohttpd 0.9 takes a header's value to end at its first NUL byte; what follows is seen by
 * others that read the same request, and not by us. It parses in place: names and values lie where
 * they were received, and the request has header_size bytes from its method on. So all bytes behind
 * the first name that are not a space, separator or NUL must be in some name or value: a line that
 * continues another is moved elsewhere, and not read to its end either. (Versions before 0.9.74 do
 * not know the size; version 1.0 refuses NUL bytes itself.) */
#include <string.h>
#include <strings.h>

#include "report/serve/http/http_private.h"

struct sum {
	struct request_head *head;
	const char *first; /* name */
	size_t visible;	   /* bytes of names and values */
};

static size_t visible(const char *text, size_t bytes)
{
	size_t count = 0;

	for (size_t i = 0; i < bytes; i++)
		count += !memchr(": \t\r\n", text[i], 6); /* and its NUL */
	return count;
}

static enum MHD_Result add(void *context, enum MHD_ValueKind kind, const char *name,
			   const char *value)
{
	struct sum *sum = context;

	(void)kind;
	if (!sum->first || name < sum->first)
		sum->first = name;
	sum->visible += visible(name, strlen(name)) + (value ? visible(value, strlen(value)) : 0);
	if (!strcasecmp(name, MHD_HTTP_HEADER_HOST))
		sum->head->hosts++;
	else if (!strcasecmp(name, MHD_HTTP_HEADER_CONTENT_LENGTH))
		sum->head->length = value;
	else if (!strcasecmp(name, MHD_HTTP_HEADER_TRANSFER_ENCODING))
		sum->head->encoding = value;
	return MHD_YES;
}

void http_head_look(struct MHD_Connection *connection, const char *method,
		    struct request_head *head)
{
	const union MHD_ConnectionInfo *info =
		mhd.get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
	struct sum sum = {.head = head};

	*head = (struct request_head){0};
	mhd.get_connection_values(connection, MHD_HEADER_KIND, add, &sum);
	if (!info || !sum.first || info->header_size > HTTP_REQUEST_BYTES)
		return;
	const char *end = method + info->header_size;
	head->hidden = sum.first <= method || sum.first >= end ||
		       visible(sum.first, (size_t)(end - sum.first)) != sum.visible;
}
