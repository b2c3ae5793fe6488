// SPDX-License-Identifier: GPL-3.0-or-later
/* Both snapshots go into one model, where equal paths are one; then the first is subtracted. */
#include "report/serve/render/renderer.h"

#include <math.h>
#include <time.h>

/* A file that could not be read at the beginning would be counted completely at the end. */
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

/* The file's first reading is in the model, and would be subtracted from what others did on the
 * same paths. */
static bool lost_any(const struct snapshot *first, const struct snapshot *last)
{
	for (size_t i = 0; i < first->files; i++) {
		const struct snapshot_file *now = snapshot_find(last, &first->file[i]);

		if (first->file[i].loaded && now && !now->loaded)
			return true;
	}
	return false;
}

enum rendering_result pprof_window_begin(struct pprof_window *w, struct snapshot *first, bool ends)
{
	*w = (struct pprof_window){.profile = profile_new()};
	if (!w->profile)
		return RENDERING_NO_MEMORY;
	snapshot_load(first, w->profile, NULL, NULL);
	w->left_out = first->left_out;
	clock_gettime(CLOCK_REALTIME, &w->began);
	if (first->no_memory || (ends && model_difference_mark(w->profile, &w->mark)))
		return RENDERING_NO_MEMORY;
	return RENDERING_DONE;
}

enum rendering_result pprof_window_end(struct pprof_window *w, struct snapshot *first,
				       struct snapshot *last, double seconds)
{
	bool lost;

	snapshot_load(last, w->profile, is_news_or_known, first);
	w->left_out += last->left_out;
	lost = lost_any(first, last);
	snapshot_load(first, w->profile, is_gone, last);
	if (first->no_memory || last->no_memory)
		return RENDERING_NO_MEMORY;
	if (lost || first->left_out)
		return RENDERING_UNREADABLE;
	if (model_difference_make(w->profile, &w->mark))
		return RENDERING_NO_MEMORY;
	set_span(w->profile, &w->began, seconds);
	return RENDERING_DONE;
}

void pprof_window_free(struct pprof_window *w)
{
	model_difference_mark_free(&w->mark);
	profile_free(w->profile);
	*w = (struct pprof_window){0};
}
