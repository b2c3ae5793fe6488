// SPDX-License-Identifier: GPL-3.0-or-later
/* Pages of services and pprof profiles: processes of their own read and render them
 * (rendering.h), one after the other. This waits for their turns and their ends. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "report/serve/http/http_private.h"
#include "report/serve/render/rendering.h"
#include "report/report.h"

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

/* false: the server ends. */
static bool sleep_for(struct http *h, double seconds)
{
	const struct timespec until =
		monotonic_timespec(monotonic_now_ns() + (uint64_t)(seconds * 1e9));
	bool stopping;

	pthread_mutex_lock(&h->lock);
	while (!h->stopping &&
	       !pthread_cond_clockwait(&h->stopped, &h->lock, CLOCK_MONOTONIC, &until))
		;
	stopping = h->stopping;
	pthread_mutex_unlock(&h->lock);
	return !stopping;
}

/* Wait until the time is over; false: the server ends, or the client has left (a window that
 * nobody reads would take another one's place). */
static bool wait_for(struct http *h, int client, double seconds)
{
	uint64_t end_ns = monotonic_now_ns() + (uint64_t)(seconds * 1e9), now_ns;

	while ((now_ns = monotonic_now_ns()) < end_ns) {
		double left = (double)(end_ns - now_ns) / 1e9;

		if (!sleep_for(h, left < HTTP_LOOK_S ? left : HTTP_LOOK_S) ||
		    rendering_has_left(client))
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

static void say_result(struct http *h, const struct request *r, struct rendering *one,
		       enum rendering_result result, struct http_answer *out)
{
	char why[HTTP_FAILURE_BYTES];

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
		http_health_add_failure(h, one->service, result, one->status);
		http_health_reason(why, h, result, one->status);
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

/* One request, while its answer is being made. */
struct making {
	struct http *http;
	const struct request *request;
	const char *service; /* NULL: all */
	double seconds;
	int client;
	uint32_t user; /* whose rights the process has */
	struct rendering *one;
	struct http_answer *out;
};

/* false: there is no turn, and the answer says so. */
static bool take_turn(struct making *m)
{
	switch (renderings_enter(&m->http->renderings, m->one, rendering_has_left, m->client)) {
	case RENDERINGS_YOURS:
		return true;
	case RENDERINGS_BUSY:
		http_answer_say(
			m->out, 503,
			"others are being rendered, %d at a time and one of a service; try again "
			"later\n",
			RENDERINGS_MOST);
		break;
	case RENDERINGS_STOPPED:
		say_result(m->http, m->request, m->one, RENDERING_STOPPED, m->out);
	}
	return false;
}

/* Frees the snapshot, since the process has its descriptors then. */
static enum rendering_result begin(struct making *m, struct snapshot *s)
{
	const bool root = m->http->agent->limits.any_owner;
	struct renderings *all = &m->http->renderings;
	m->user = user_of(m->http, m->request, s);
	struct renderer_job job = {.user = m->user,
				   .pprof = m->request->route == REQUEST_PPROF,
				   .guarded = root,
				   .seconds = m->seconds};
	enum rendering_result result = rendering_start(all, m->one, &job);
	struct renderer_message said;

	if (result == RENDERING_GOING)
		result = rendering_ask(all, m->one, s, m->client, &said);
	snapshot_free(s);
	return result;
}

/* The end of a window; false: there is an answer already. Files are searched for now: what a file
 * not found until the next window contains would be in neither. */
static bool await_end(struct making *m, struct snapshot *last, uint32_t clock)
{
	int error;

	renderings_leave(&m->http->renderings, m->one);
	if (!wait_for(m->http, m->client, m->seconds)) {
		say_result(m->http, m->request, m->one, RENDERING_STOPPED, m->out);
		return false;
	}
	agent_scan(m->http->agent);
	if (!take_turn(m))
		return false;
	error = snapshot_take(last, m->http->agent, m->service, clock);
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
		result = rendering_ask(&m->http->renderings, m->one, m->seconds > 0 ? &last : NULL,
				       m->client, &said);
	snapshot_free(&last);
	say_result(m->http, m->request, m->one, result, m->out);
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

static uint32_t listed_owner(struct agent *a, const char *path)
{
	const struct listed *f;
	uint32_t owner;

	agent_lock(a);
	f = listing_find(&a->listing, path);
	owner = f ? f->uid : SNAPSHOT_NO_OWNER;
	agent_unlock(a);
	return owner;
}

static void answer(struct http *h, const struct request *r, int client, struct http_answer *out)
{
	struct making m = {.http = h,
			   .request = r,
			   .service = *r->service ? r->service : NULL,
			   .seconds = r->route == REQUEST_PPROF ? r->seconds : 0,
			   .client = client,
			   .out = out};

	agent_refresh(h->agent);
	if (r->route == REQUEST_PROFILE)
		m.one = renderings_add(&h->renderings, r->file, listed_owner(h->agent, r->file));
	else
		m.one = renderings_add(&h->renderings, r->service,
				       snapshot_owner(h->agent, m.service));
	if (!m.one) {
		too_few(out, ENOMEM);
		return;
	}
	if (take_turn(&m))
		take_and_make(&m);
	rendering_stop(&h->renderings, m.one);
	renderings_remove(&h->renderings, m.one);
}

void http_models_answer(struct http *h, const struct request *r, int client,
			struct http_answer *out)
{
	if (r->route != REQUEST_PPROF) {
		answer(h, r, client, out);
		return;
	}
	if (!enter_window(h)) {
		http_answer_say(out, 503, "%d profiles are being taken already; try again later\n",
				HTTP_WINDOWS);
		return;
	}
	answer(h, r, client, out);
	leave_window(h);
}
