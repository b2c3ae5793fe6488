// SPDX-License-Identifier: GPL-3.0-or-later
/* Failed pages and pprof profiles. The log says when failures begin and when they are over;
 * /healthz has their number until ten minutes have passed without one. */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "serve/http/http_private.h"

#define OVER_NS (UINT64_C(600) * 1000000000)

void http_failures_add(struct http *h, const char *service, enum rendering_result why, int status)
{
	struct http_failures *f = &h->failures;

	pthread_mutex_lock(&h->lock);
	if (!f->count)
		f->since = time(NULL);
	f->count++;
	f->last_ns = monotonic_now_ns();
	f->why = why;
	f->status = status;
	*f->service = '\0';
	if (*service)
		label_clean(f->service, service);
	pthread_mutex_unlock(&h->lock);
}

void http_failures_reason(char out[HTTP_FAILURE_BYTES], const struct http *h,
			  enum rendering_result why, int status)
{
	const struct renderer_limits *l = &h->renderings.limits;

	if (why == RENDERING_LATE)
		snprintf(out, HTTP_FAILURE_BYTES, "it took longer than %g s", l->seconds);
	else if (why == RENDERING_NO_MEMORY)
		snprintf(out, HTTP_FAILURE_BYTES, "it needed more than %llu MiB of memory",
			 (unsigned long long)(l->memory >> 20));
	else if (why == RENDERING_TOO_LONG)
		snprintf(out, HTTP_FAILURE_BYTES, "it came to more than %llu MiB",
			 (unsigned long long)(l->output >> 20));
	else if (why == RENDERING_NO_PROCESS)
		snprintf(out, HTTP_FAILURE_BYTES, "no process could be started for it");
	else if (WIFSIGNALED(status))
		snprintf(out, HTTP_FAILURE_BYTES, "its process was ended by signal %d",
			 WTERMSIG(status));
	else
		snprintf(out, HTTP_FAILURE_BYTES, "its process ended with status %d",
			 WEXITSTATUS(status));
}

/* With the lock: the last one, of which service and why. */
static void put_last(char *out, size_t room, const struct http *h)
{
	const struct http_failures *f = &h->failures;
	char why[HTTP_FAILURE_BYTES];

	http_failures_reason(why, h, f->why, f->status);
	snprintf(out, room, "%s%s%s: %s", *f->service ? "of service '" : "of all services",
		 f->service, *f->service ? "'" : "", why);
}

void http_failures_text(char out[HTTP_FAILURES_BYTES], struct http *h)
{
	const struct http_failures *f = &h->failures;
	char last[LABEL_BYTES + HTTP_FAILURE_BYTES + 32], since[32];
	struct tm utc;

	*out = '\0';
	pthread_mutex_lock(&h->lock);
	if (f->count) {
		gmtime_r(&f->since, &utc);
		strftime(since, sizeof(since), "%F %T UTC", &utc);
		put_last(last, sizeof(last), h);
		snprintf(out, HTTP_FAILURES_BYTES,
			 "%llu pages or pprof profiles were not made since %s; the last one, %s\n",
			 (unsigned long long)f->count, since, last);
	}
	pthread_mutex_unlock(&h->lock);
}

const char *http_failures_news(struct http *h)
{
	struct http_failures *f = &h->failures;
	char last[LABEL_BYTES + HTTP_FAILURE_BYTES + 32];
	const char *news = NULL;

	pthread_mutex_lock(&h->lock);
	if (f->count && !f->told) {
		put_last(last, sizeof(last), h);
		snprintf(h->news, sizeof(h->news),
			 "a page or pprof profile was not made, %s; /healthz counts what follows",
			 last);
		f->told = true;
		news = h->news;
	} else if (f->count && monotonic_now_ns() - f->last_ns > OVER_NS) {
		*f = (struct http_failures){0};
		news = "no page or pprof profile has failed for ten minutes";
	}
	pthread_mutex_unlock(&h->lock);
	return news;
}
