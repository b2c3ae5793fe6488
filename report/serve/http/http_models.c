// SPDX-License-Identifier: GPL-3.0-or-later
/* Pages of services and pprof profiles: processes of their own read and render them
 * (renderer.h), one after the other. This waits for their turns and their ends. */
#include <errno.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "report/serve/http/http_private.h"
#include "report/report.h"

#define LOOK_US 100000 /* between looks whether the client is there and the server goes on */

static void nothing(struct http_answer *out, const struct request *r)
{
	if (r->route == REQUEST_PROFILE)
		http_answer_say(out, 404, "no such profile is here now; / lists what there is\n");
	else if (*r->service)
		http_answer_say(
			out, 404,
			"no profile of service '%s'%s%s is here now; / lists what there is\n",
			r->service, r->clock ? " with clock " : "",
			r->clock ? report_names_clock(r->clock) : "");
	else
		http_answer_say(out, 404, "no profile is here now\n");
}

bool http_is_over(const struct http *h, int client)
{
	return atomic_load(&h->agent->stopping) || rendering_has_left(client);
}

/* false: it is over before the time is. */
static bool wait_for(struct http *h, int client, double seconds)
{
	uint64_t end_ns = clocks_read_ns(CLOCK_MONOTONIC) + (uint64_t)(seconds * 1e9), now_ns;

	while ((now_ns = clocks_read_ns(CLOCK_MONOTONIC)) < end_ns) {
		uint64_t left_us = (end_ns - now_ns) / 1000;

		if (http_is_over(h, client))
			return false;
		usleep(left_us < LOOK_US ? (useconds_t)left_us + 1 : LOOK_US);
	}
	return true;
}

static void too_few(struct http_answer *out, int error)
{
	if (error == EMFILE)
		http_answer_say(
			out, 503,
			"there are too few file descriptors to hold all profiles for this answer: "
			"ask for one program (service=NAME), or raise the agent's limit (ulimit "
			"-n, LimitNOFILE=)\n");
	else
		http_answer_say(out, 503, "out of memory\n");
}

/* The answer takes the file. */
static void send_file(const struct request *r, struct rendering *one, struct http_answer *out)
{
	struct stat st;

	if (fstat(one->output, &st)) {
		too_few(out, ENOMEM);
		return;
	}
	out->status = 200;
	out->report = r->route != REQUEST_PPROF;
	out->type = out->report ? HTTP_HTML_TYPE : "application/octet-stream";
	out->refresh = r->refresh;
	out->bytes = (size_t)st.st_size;
	out->file = one->output;
	one->output = -1;
}

static void put_reason(char *out, size_t room, const struct rendering *one,
		       enum rendering_result why)
{
	const struct renderer_limits *l = &one->limits;

	if (why == RENDERING_LATE)
		snprintf(out, room, "it took longer than %g s", l->seconds);
	else if (why == RENDERING_NO_MEMORY)
		snprintf(out, room, "it needed more than %llu MiB of memory",
			 (unsigned long long)(l->memory >> 20));
	else if (why == RENDERING_TOO_LONG)
		snprintf(out, room, "it came to more than %llu MiB",
			 (unsigned long long)(l->output >> 20));
	else if (why == RENDERING_NO_PROCESS)
		snprintf(out, room, "no process could be started for it");
	else if (WIFSIGNALED(one->status))
		snprintf(out, room, "its process was ended by signal %d", WTERMSIG(one->status));
	else
		snprintf(out, room, "its process ended with status %d", WEXITSTATUS(one->status));
}

/* /healthz says it. */
static void note_failure(struct http *h, const char *name, const char *why)
{
	struct http_failures *f = &h->failures;
	char clean[LABEL_BYTES];

	label_clean(clean, name);
	pthread_mutex_lock(&h->lock);
	if (!f->count || clocks_read_ns(CLOCK_MONOTONIC) - f->last_ns >= HTTP_FAILURES_NS)
		*f = (struct http_failures){.since = time(NULL)};
	f->count++;
	f->last_ns = clocks_read_ns(CLOCK_MONOTONIC);
	if (*name)
		snprintf(f->last, sizeof(f->last), "of '%s': %s", clean, why);
	else
		snprintf(f->last, sizeof(f->last), "of all services: %s", why);
	pthread_mutex_unlock(&h->lock);
}

static void say_result(struct http *h, const struct request *r, struct rendering *one,
		       enum rendering_result result, struct http_answer *out)
{
	char why[128];

	switch (result) {
	case RENDERING_DONE:
		send_file(r, one, out);
		break;
	case RENDERING_EMPTY:
		nothing(out, r);
		break;
	case RENDERING_GOING:
	case RENDERING_STOPPED:
		http_answer_say(out, 503, "this server is about to end\n");
		break;
	case RENDERING_UNREADABLE:
		http_answer_say(
			out, 503,
			"a profile could be read when the window began and not when it ended: "
			"what happened in between is unknown; try again\n");
		break;
	default:
		put_reason(why, sizeof(why), one, result);
		note_failure(h, r->route == REQUEST_PROFILE ? r->file : r->service, why);
		http_answer_say(out, result == RENDERING_LATE ? 504 : 503,
				"this was not made: %s\n", why);
	}
}

/* A profile is rendered with its owner's rights. Profiles of several users are rendered with
 * nobody's: they are read through the agent's descriptors, and names come from files that
 * everybody may read. */
static uint32_t user_of(const struct http *h, const struct request *r, const struct snapshot *s)
{
	if (!h->agent->limits.any_owner)
		return RENDERER_AGENT;
	if (s->owner == SNAPSHOT_NO_OWNER || (r->route == REQUEST_PPROF && !*r->service))
		return RENDERER_NOBODY;
	return s->owner ? s->owner : RENDERER_AGENT;
}

/* A request, while its answer is being made. */
struct making {
	struct http *http;
	const struct request *request;
	const char *service; /* NULL: all */
	double seconds;
	int client;
	uint32_t user; /* whose rights the process has */
	bool turn;     /* it has one of the places of renderers that work */
	struct rendering one;
	struct http_answer *out;
};

/* false: there is no turn within two limits of time, and the answer says so. */
static bool take_turn(struct making *m)
{
	uint64_t end_ns =
		clocks_read_ns(CLOCK_MONOTONIC) + (uint64_t)(2 * m->one.limits.seconds * 1e9);

	while (sem_trywait(&m->http->renderers)) {
		if (http_is_over(m->http, m->client)) {
			say_result(m->http, m->request, &m->one, RENDERING_STOPPED, m->out);
			return false;
		}
		if (clocks_read_ns(CLOCK_MONOTONIC) > end_ns) {
			http_answer_say(
				m->out, 503,
				"others are being rendered, %d at a time; try again later\n",
				HTTP_RENDERERS);
			return false;
		}
		usleep(LOOK_US);
	}
	m->turn = true;
	return true;
}

static void leave_turn(struct making *m)
{
	if (m->turn)
		sem_post(&m->http->renderers);
	m->turn = false;
}

/* Frees the snapshot, since the process has its descriptors then. */
static enum rendering_result begin(struct making *m, struct snapshot *s)
{
	struct renderer_message said;

	m->user = user_of(m->http, m->request, s);
	struct renderer_job job = {.user = m->user,
				   .product = m->request->route == REQUEST_PPROF ? RENDERER_PPROF
										 : RENDERER_PAGE,
				   .guarded = m->http->agent->limits.any_owner,
				   .seconds = m->seconds};
	enum rendering_result result = rendering_start(&m->one, &job);

	if (result == RENDERING_GOING)
		result = rendering_ask(&m->one, s, m->client, &said);
	snapshot_free(s);
	return result;
}

/* The end of a window; false: there is an answer already. Files are searched for now: what a file
 * not found until the next window contains would be in neither. */
static bool await_end(struct making *m, struct snapshot *last, uint32_t clock)
{
	leave_turn(m);
	if (!wait_for(m->http, m->client, m->seconds)) {
		say_result(m->http, m->request, &m->one, RENDERING_STOPPED, m->out);
		return false;
	}
	agent_scan(m->http->agent);
	if (!take_turn(m))
		return false;
	int error = snapshot_take(last, m->http->agent, m->service, clock);
	if (error)
		too_few(m->out, error);
	else if (last->files && m->user != RENDERER_NOBODY &&
		 user_of(m->http, m->request, last) != m->user)
		http_answer_say(m->out, 503,
				"a program of another user has joined this service; try again\n");
	else
		return true;
	snapshot_free(last);
	return false;
}

static void make(struct making *m, struct snapshot *first)
{
	uint32_t clock = first->clock;
	enum rendering_result result = begin(m, first);
	struct renderer_message said = {0};
	struct snapshot last = {0};

	if (result == RENDERING_GOING && m->seconds > 0 && !await_end(m, &last, clock))
		return;
	if (result == RENDERING_GOING)
		result = rendering_ask(&m->one, m->seconds > 0 ? &last : NULL, m->client, &said);
	snapshot_free(&last);
	say_result(m->http, m->request, &m->one, result, m->out);
	m->out->left_out = result == RENDERING_DONE ? said.left_out : 0;
}

static void take_and_make(struct making *m)
{
	struct snapshot first;
	struct agent *a = m->http->agent;
	int error = m->request->route == REQUEST_PROFILE
			    ? snapshot_take_listed(&first, a, m->request->file)
			    : snapshot_take(&first, a, m->service, m->request->clock);

	if (error)
		too_few(m->out, error);
	else if (!first.files && m->seconds <= 0)
		nothing(m->out, m->request);
	else
		make(m, &first);
	snapshot_free(&first);
}

static void answer(struct http *h, const struct request *r, int client, struct http_answer *out)
{
	struct making m = {.http = h,
			   .request = r,
			   .service = *r->service ? r->service : NULL,
			   .seconds = r->route == REQUEST_PPROF ? r->seconds : 0,
			   .client = client,
			   .out = out};

	rendering_begin(&m.one, &h->agent->stopping, h->agent->options.most_seconds);
	agent_refresh(h->agent);
	if (take_turn(&m))
		take_and_make(&m);
	rendering_end(&m.one);
	leave_turn(&m);
}

void http_models_answer(struct http *h, const struct request *r, int client,
			struct http_answer *out)
{
	if (r->route != REQUEST_PPROF) {
		answer(h, r, client, out);
		return;
	}
	if (sem_trywait(&h->windows)) {
		http_answer_say(out, 503, "%d profiles are being taken already; try again later\n",
				HTTP_WINDOWS);
		return;
	}
	answer(h, r, client, out);
	sem_post(&h->windows);
}
