// SPDX-License-Identifier: GPL-3.0-or-later
/* Both snapshots go into one model, where equal paths are one; then the first is taken off. */
#include "serve/pprof_window.h"

#include <errno.h>
#include <math.h>
#include <time.h>

/* A file that could not be read at the beginning would count whole at the end. */
static bool is_news_or_known(const struct snapshot_file *f, const void *context)
{
	const struct snapshot_file *before = snapshot_find(context, f);

	return !before || before->loaded;
}

/* Read at the beginning, and gone from the agent since. */
static bool is_gone(const struct snapshot_file *f, const void *context)
{
	return f->loaded && !snapshot_find(context, f);
}

static void set_span(struct profile *p, const struct timespec *began, double seconds)
{
	struct prof_process *q = &p->process[0];

	if (!p->processes)
		return;
	q->start_real_ns = (uint64_t)began->tv_sec * 1000000000 + (uint64_t)began->tv_nsec;
	q->start_mono_ns = 1; /* 0 is not known */
	q->end_mono_ns = 1 + (uint64_t)llround(seconds * 1e9);
	q->end_state = SCP_END_EXIT; /* nothing comes after it; and threads are older than it */
}

/* Its first reading is in the model, and would be taken off what others did on the same paths. */
static bool lost_any(const struct snapshot *first, const struct snapshot *last)
{
	for (size_t i = 0; i < first->files; i++) {
		const struct snapshot_file *now = snapshot_find(last, &first->file[i]);

		if (first->file[i].loaded && now && !now->loaded)
			return true;
	}
	return false;
}

static enum window_result not_taken(int error)
{
	return error == EMFILE ? WINDOW_NO_DESCRIPTORS : WINDOW_NO_MEMORY;
}

static enum window_result read_end(struct window *w, struct agent *a, struct snapshot *first,
				   const char *service)
{
	enum window_result result;
	struct snapshot last;
	int error;

	/* A file that is found later would be known when the next window begins: what its process
	 * did before would be in none. */
	agent_scan(a);
	error = snapshot_take(&last, a, service, w->clock);
	result = not_taken(error);
	if (!error) {
		snapshot_load(&last, w->profile, is_news_or_known, first);
		w->left_out += last.left_out;
		result = lost_any(first, &last) ? WINDOW_UNREADABLE : WINDOW_DONE;
		snapshot_load(first, w->profile, is_gone, &last);
		if (first->left_out)
			result = WINDOW_UNREADABLE;
	}
	snapshot_free(&last);
	return result;
}

static enum window_result difference(struct window *w, struct agent *a, struct snapshot *first,
				     const char *service, double seconds,
				     bool (*wait)(void *context, double seconds), void *context)
{
	enum window_result result = WINDOW_NO_MEMORY;
	struct profile_mark mark;
	struct timespec began;

	clock_gettime(CLOCK_REALTIME, &began);
	if (profile_mark(w->profile, &mark) == 0) {
		result = wait(context, seconds) ? read_end(w, a, first, service) : WINDOW_STOPPED;
		if (result == WINDOW_DONE && profile_difference(w->profile, &mark))
			result = WINDOW_NO_MEMORY;
		if (result == WINDOW_DONE)
			set_span(w->profile, &began, seconds);
	}
	profile_mark_free(&mark);
	return result;
}

enum window_result window_take(struct window *w, struct agent *a, const char *service,
			       uint32_t clock, double seconds,
			       bool (*wait)(void *context, double seconds), void *context)
{
	enum window_result result = WINDOW_NO_MEMORY;
	struct snapshot first;
	int error;

	*w = (struct window){.profile = profile_new()};
	error = snapshot_take(&first, a, service, clock);
	if (error) {
		result = not_taken(error);
	} else if (w->profile) {
		w->clock = first.clock;
		snapshot_load(&first, w->profile, NULL, NULL);
		w->left_out = first.left_out;
		result = seconds > 0 ? difference(w, a, &first, service, seconds, wait, context)
				     : WINDOW_DONE;
	}
	snapshot_free(&first);
	return result;
}

void window_free(struct window *w)
{
	profile_free(w->profile);
	*w = (struct window){0};
}
