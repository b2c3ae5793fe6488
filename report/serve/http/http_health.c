// SPDX-License-Identifier: GPL-3.0-or-later
/* Trouble of the server itself, and pages and pprof profiles that were not made. The log says when
 * trouble or failures begin and when they are over; /healthz has trouble as long as it lasts, and
 * the number of failures until ten minutes have passed without one. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "report/serve/http/http_private.h"

#define LATELY_NS     (UINT64_C(60) * 1000000000)
#define TEXT(number)  TEXT_(number)
#define TEXT_(number) #number
#define CROWDED                                                                                    \
	"too many connections: clients were refused in the last minute; " TEXT(                    \
		CONNECTIONS_MOST) " may be open at a time, " TEXT(CONNECTIONS_OF_ONE) " from"      \
										      " one "      \
										      "addre"      \
										      "ss"
#define OVER_NS (UINT64_C(600) * 1000000000)

void http_health_add_failure(struct http *h, const char *service, enum rendering_result why,
			     int status)
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

void http_health_reason(char out[HTTP_FAILURE_BYTES], const struct http *h,
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

	http_health_reason(why, h, f->why, f->status);
	snprintf(out, room, "%s%s%s: %s", *f->service ? "of service '" : "of all services",
		 f->service, *f->service ? "'" : "", why);
}

void http_health_failures(char out[HTTP_FAILURES_BYTES], struct http *h)
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

static const char *failure_news(struct http *h)
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

int http_health_take_descriptor(void)
{
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static void give(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Is a descriptor left besides the spare one? If not, the spare one is closed, so that the next
 * client can ask /healthz. */
static bool descriptors_left(struct http *h)
{
	int one;
	bool left;

	if (h->spare < 0)
		h->spare = http_health_take_descriptor();
	one = http_health_take_descriptor();
	left = one >= 0 || (errno != EMFILE && errno != ENFILE);
	give(&one);
	if (!left)
		give(&h->spare);
	return left;
}

static enum http_trouble find_trouble(struct http *h)
{
	uint64_t now_ns = monotonic_now_ns();

	connections_tend(&h->connections, now_ns);
	if (!descriptors_left(h)) {
		connections_drop_one(&h->connections, now_ns);
		return HTTP_NO_DESCRIPTORS;
	}
	return connections_refused_since(&h->connections, now_ns - LATELY_NS) ? HTTP_CROWDED
									      : HTTP_WELL;
}

const char *http_health_trouble_text(enum http_trouble trouble)
{
	switch (trouble) {
	case HTTP_CROWDED:
		return CROWDED;
	case HTTP_NO_DESCRIPTORS:
		return "no file descriptors are left: clients wait and new profiles are not "
		       "followed; raise the limit (ulimit -n, LimitNOFILE=) or follow fewer "
		       "profiles (--max-files)";
	case HTTP_WELL:
		break;
	}
	return "clients and profiles have room again";
}

const char *http_tend(struct http *h)
{
	enum http_trouble trouble = find_trouble(h);
	bool news;

	renderings_tend(&h->renderings);
	pthread_mutex_lock(&h->lock);
	news = trouble != h->trouble;
	h->trouble = trouble;
	pthread_mutex_unlock(&h->lock);
	return news ? http_health_trouble_text(trouble) : failure_news(h);
}
