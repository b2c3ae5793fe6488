// SPDX-License-Identifier: GPL-3.0-or-later
/* Each route has a function. An answer is written to memory first, so that an error never
 * leaves half a page. */

#include <stdlib.h>
#include <string.h>

#include "report/serve/http/http_private.h"
#include "report/serve/pages/metrics.h"
#include "report/wording/utf8.h"

#define PLAIN_TYPE "text/plain; charset=utf-8"

void http_answer_say_of(struct http_answer *out, unsigned status, char *body)
{
	free(out->body);
	*out = (struct http_answer){
		.status = status, .type = PLAIN_TYPE, .file = -1, .posted = out->posted};
	out->body = body;
	out->bytes = body ? strlen(body) : 0;
}

static void no_memory(struct http_answer *out)
{
	http_answer_say(out, 503, "out of memory\n");
}

/* Close the stream over out->body; failed: what was written is dropped. */
static void finish(struct http_answer *out, FILE *stream, bool failed)
{
	if (fclose(stream) || failed || !out->body)
		no_memory(out);
}

static FILE *begin(struct http_answer *out, const char *type)
{
	FILE *stream = open_memstream(&out->body, &out->bytes);

	out->status = 200;
	out->type = type;
	if (!stream)
		no_memory(out);
	return stream;
}

static void answer_metrics(struct http *h, const char *accept, struct http_answer *out)
{
	bool openmetrics = accept && strstr(accept, "application/openmetrics-text");
	FILE *stream = begin(out, openmetrics ? METRICS_OPENMETRICS_TYPE : METRICS_TEXT_TYPE);

	if (!stream)
		return;
	agent_refresh(h->agent);
	finish(out, stream, metrics_print(h->agent, openmetrics, stream) < 0);
}

static void answer_index(struct http *h, const struct request *r, struct http_answer *out)
{
	FILE *stream = begin(out, HTTP_HTML_TYPE);

	if (!stream)
		return;
	agent_refresh(h->agent);
	finish(out, stream, index_page_print(h->agent, &r->order, stream) < 0);
}

/* A line with its end; "": none. */
static void put_late(char *out, size_t room, struct agent *a)
{
	size_t late = agent_late(a);

	*out = '\0';
	if (late)
		snprintf(out, room,
			 "%zu profiles wait to be read, their counters are older: reading all "
			 "profiles of their user takes too long\n",
			 late);
}

/* The same, until ten minutes have passed without a failure. */
static void put_failures(char *out, size_t room, struct http *h)
{
	const struct http_failures *f = &h->failures;
	char since[32];
	struct tm utc;

	*out = '\0';
	pthread_mutex_lock(&h->lock);
	if (f->count && clocks_read_ns(CLOCK_MONOTONIC) - f->last_ns < HTTP_FAILURES_NS) {
		gmtime_r(&f->since, &utc);
		strftime(since, sizeof(since), "%F %T UTC", &utc);
		snprintf(out, room,
			 "%llu pages or pprof profiles were not made since %s; the last one, %s\n",
			 (unsigned long long)f->count, since, f->last);
	}
	pthread_mutex_unlock(&h->lock);
}

static void answer_health(struct http *h, struct http_answer *out)
{
	char failures[sizeof(h->failures.last) + 128], late[160];

	put_failures(failures, sizeof(failures), h);
	put_late(late, sizeof(late), h->agent);
	http_answer_say(out, 200, "ok\n%s%s", late, failures);
}

static void answer_style(struct http_answer *out)
{
	http_answer_say(out, 200, "%s", index_page_style);
	out->type = "text/css; charset=utf-8";
}

void http_answer_make(struct http *h, const struct request *r, const char *accept,
		      struct http_answer *out)
{
	if (r->status != 200)
		http_answer_say(out, r->status, "%s\n", r->problem);
	else if (r->route == REQUEST_INDEX)
		answer_index(h, r, out);
	else if (r->route == REQUEST_STYLE)
		answer_style(out);
	else if (r->route == REQUEST_METRICS)
		answer_metrics(h, accept, out);
	else if (r->route == REQUEST_HEALTH)
		answer_health(h, out);
	/* the others: http_models.c, http_attach.c */
}
