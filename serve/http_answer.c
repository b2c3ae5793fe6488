// SPDX-License-Identifier: GPL-3.0-or-later
/* One function a route; every answer is written to memory first, so that an error is an error
 * and never half a page. */
#include <math.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "serve/http_private.h"
#include "serve/index_page.h"
#include "serve/metrics.h"
#include "serve/metrics_write.h"
#include "serve/negotiate.h"
#include "report/report.h"
#include "serve/pprof_window.h"

#define PLAIN_TYPE "text/plain; charset=utf-8"
#define HTML_TYPE  "text/html; charset=utf-8"
#define PPROF_TYPE "application/octet-stream"

__attribute__((format(printf, 3, 4))) static void say(struct http_answer *out, unsigned status,
						      const char *format, ...)
{
	va_list args;
	int bytes;

	free(out->body);
	*out = (struct http_answer){.status = status, .type = PLAIN_TYPE};
	va_start(args, format);
	bytes = vasprintf(&out->body, format, args);
	va_end(args);
	if (bytes < 0)
		out->body = NULL; /* no memory: the connection is closed */
	out->bytes = bytes > 0 ? (size_t)bytes : 0;
}

static void no_memory(struct http_answer *out)
{
	say(out, 503, "memory is out\n");
}

/* Close the stream over out->body; failed: what was written is not worth sending. */
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
	bool openmetrics = negotiate_openmetrics(accept);
	FILE *stream = begin(out, openmetrics ? METRICS_OPENMETRICS_TYPE : METRICS_TEXT_TYPE);

	if (!stream)
		return;
	agent_refresh(h->agent);
	finish(out, stream, metrics_print(h->agent, openmetrics, stream) < 0);
}

static void answer_index(struct http *h, struct http_answer *out)
{
	FILE *stream = begin(out, HTML_TYPE);

	if (!stream)
		return;
	agent_refresh(h->agent);
	finish(out, stream, index_page_print(h->agent, stream) < 0);
}

static void print_report(struct http_answer *out, const struct profile *p, bool pprof, bool guarded)
{
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	FILE *stream = begin(out, pprof ? PPROF_TYPE : HTML_TYPE);

	if (!stream)
		return;
	o.format = pprof ? REPORT_PPROF : REPORT_HTML;
	o.guarded = guarded;
	o.pprof_names = true; /* who pulls it has not got the files */
	out->report = !pprof;
	finish(out, stream, report_print(p, &o, stream) < 0);
}

static void nothing(struct http_answer *out, const struct request *r)
{
	if (*r->service)
		say(out, 404, "no profile of service '%s'%s%s is here now; / lists what there is\n",
		    r->service, r->clock ? " with clock " : "",
		    r->clock ? report_clock_name(r->clock) : "");
	else
		say(out, 404, "no profile is here now\n");
}

/* Who asked, and whom it is asked for. */
struct wait {
	struct http *http;
	int client; /* its socket */
};

/* A client that only says that it sends no more has left, too: none of those that ask here does. */
static bool has_left(int client)
{
	struct pollfd p = {.fd = client, .events = POLLRDHUP};

	return poll(&p, 1, 0) > 0 && (p.revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL));
}

/* false: the server ends. */
static bool sleep_for(struct http *h, double seconds)
{
	struct timespec until;
	double whole;
	bool stopping;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += (long)(modf(seconds, &whole) * 1e9);
	until.tv_sec += (time_t)whole + until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&h->lock);
	while (!h->stopping && !pthread_cond_timedwait(&h->stopped, &h->lock, &until))
		;
	stopping = h->stopping;
	pthread_mutex_unlock(&h->lock);
	return !stopping;
}

/* Waits for the time, for the end of the server, or until nobody waits for the answer: a window
 * that nobody reads takes the place of another one. */
static bool wait_for(void *context, double seconds)
{
	struct wait *w = context;
	uint64_t end_ns = agent_now_ns() + (uint64_t)(seconds * 1e9), now_ns;

	while ((now_ns = agent_now_ns()) < end_ns) {
		double left = (double)(end_ns - now_ns) / 1e9;

		if (!sleep_for(w->http, left < HTTP_LOOK_S ? left : HTTP_LOOK_S) ||
		    has_left(w->client))
			return false;
	}
	return true;
}

static bool enter_window(struct http *h)
{
	bool free_place;

	pthread_mutex_lock(&h->lock);
	free_place = !h->stopping && h->windows < HTTP_WINDOWS;
	h->windows += free_place;
	pthread_mutex_unlock(&h->lock);
	return free_place;
}

static void leave_window(struct http *h)
{
	pthread_mutex_lock(&h->lock);
	h->windows--;
	pthread_mutex_unlock(&h->lock);
}

static void print_window(const struct http *h, struct http_answer *out, const struct request *r,
			 const struct window *w, enum window_result result)
{
	switch (result) {
	case WINDOW_STOPPED:
		say(out, 503, "this server is about to end\n");
		return;
	case WINDOW_NO_MEMORY:
		no_memory(out);
		return;
	case WINDOW_NO_DESCRIPTORS:
		say(out, 503,
		    "there are too few file descriptors to hold all profiles for this answer: ask "
		    "for one program (service=NAME), or raise the agent's limit (ulimit -n, "
		    "LimitNOFILE=)\n");
		return;
	case WINDOW_UNREADABLE:
		say(out, 503,
		    "a profile could be read when the window began and not when it ended: what "
		    "happened between cannot be told; try again\n");
		return;
	case WINDOW_DONE:
		break;
	}
	if (!w->profile->processes) {
		nothing(out, r);
		return;
	}
	print_report(out, w->profile, r->route == REQUEST_PPROF, h->agent->limits.any_owner);
	out->left_out = w->left_out;
	out->refresh = r->refresh;
}

/* Models take memory while they are read, pages while they are made: one request at a time, and
 * nothing for who has left while it waited for its turn. Where a time is to be waited for the
 * first models are read before that; HTTP_WINDOWS bounds these. */
static void answer_models(struct http *h, const struct request *r, int client,
			  struct http_answer *out)
{
	double seconds = r->route == REQUEST_PPROF ? r->seconds : 0;
	const char *service = *r->service ? r->service : NULL;
	struct wait wait = {.http = h, .client = client};
	struct window w = {0};
	enum window_result result = WINDOW_STOPPED;

	agent_refresh(h->agent);
	if (seconds > 0)
		result = window_take(&w, h->agent, service, r->clock, seconds, wait_for, &wait);
	pthread_mutex_lock(&h->rendering);
	if (seconds <= 0 && sleep_for(h, 0) && !has_left(client))
		result = window_take(&w, h->agent, service, r->clock, 0, wait_for, &wait);
	print_window(h, out, r, &w, result);
	pthread_mutex_unlock(&h->rendering);
	window_free(&w);
}

static void answer_pprof(struct http *h, const struct request *r, int client,
			 struct http_answer *out)
{
	if (!enter_window(h)) {
		say(out, 503, "%d profiles are being taken already; try again later\n",
		    HTTP_WINDOWS);
		return;
	}
	answer_models(h, r, client, out);
	leave_window(h);
}

/* Without descriptors an agent does not do its work. */
static void answer_health(struct http *h, struct http_answer *out)
{
	enum http_trouble trouble;

	pthread_mutex_lock(&h->lock);
	trouble = h->trouble;
	pthread_mutex_unlock(&h->lock);
	if (trouble == HTTP_NO_DESCRIPTORS)
		say(out, 503, "%s\n", http_trouble_text(trouble));
	else if (trouble == HTTP_CROWDED)
		say(out, 200, "ok\n%s\n", http_trouble_text(trouble));
	else
		say(out, 200, "ok\n");
}

static void answer_style(struct http_answer *out)
{
	say(out, 200, "%s", index_page_style);
	out->type = "text/css; charset=utf-8";
}

void http_answer(struct http *h, const struct request *r, const char *accept, int client,
		 struct http_answer *out)
{
	*out = (struct http_answer){0};
	if (r->status != 200) {
		say(out, r->status, "%s\n", r->problem);
		return;
	}
	switch (r->route) {
	case REQUEST_INDEX:
		answer_index(h, out);
		break;
	case REQUEST_STYLE:
		answer_style(out);
		break;
	case REQUEST_SERVICE:
		answer_models(h, r, client, out);
		break;
	case REQUEST_METRICS:
		answer_metrics(h, accept, out);
		break;
	case REQUEST_PPROF:
		answer_pprof(h, r, client, out);
		break;
	case REQUEST_HEALTH:
		answer_health(h, out);
		break;
	}
}
