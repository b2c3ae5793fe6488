// SPDX-License-Identifier: GPL-3.0-or-later
/* When to look for files, when for a new model, and what is read in between. */
#include "report/live/live_reader.h"
#include "report/model/sites.h"
#include "profile/base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const struct live_reader_file *live_reader_file_of(const struct live_reader *f, uint32_t entry)
{
	size_t low = 0, high = f->files;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (f->file[middle].first <= entry)
			low = middle;
		else
			high = middle;
	}
	return &f->file[low];
}

/* Are there new files, or entries that the model lacks? Also notes which processes are alive. */
static bool needs_model(struct live_reader *f, const struct target_file *files, size_t count)
{
	size_t unknown = 0;
	bool any_grown = false;

	for (size_t k = 0; k < count; k++)
		unknown += !live_reader_model_find_file(f, files[k].path);
	for (size_t i = 0; i < f->files; i++) {
		bool grown = false;

		f->file[i].alive = live_reader_model_is_alive(files, count, f->file[i].path);
		if (live_look(&f->file[i].live, &grown))
			continue;
		f->file[i].complete = !grown;
		any_grown |= grown;
	}
	f->behind = any_grown || unknown > f->refused;
	return !f->profile || any_grown || unknown;
}

static int find_and_model(struct live_reader *f)
{
	double began = live_reader_seconds(CLOCK_THREAD_CPUTIME_ID);
	struct target_file *files;
	size_t count;
	int failed = 0;

	if (target_files(&f->target, &files, &count))
		return -1;
	bool needs = needs_model(f, files, count);

	f->next_find = live_reader_clock() +
		       LIVE_READER_SHARE * (live_reader_seconds(CLOCK_THREAD_CPUTIME_ID) - began);
	if (needs && (!f->profile || live_reader_clock() >= f->next_model)) {
		failed = live_reader_model_make_model(f, files, count);
		f->behind = false;
	}
	target_free(files, count);
	return failed;
}

static void read_entries(struct live_reader *f)
{
	for (size_t i = 0; i < f->files; i++) {
		const struct live_reader_file *file = &f->file[i];

		for (uint32_t k = 0; k < file->live.places.places; k++) {
			uint32_t entry = file->first + k;

			/* an entry that cannot be read stays as it was */
			if (live_read(&file->live, k, &f->before[entry], &f->now[entry]))
				f->now[entry] = f->before[entry];
		}
	}
}

static bool lives(const struct live_reader *f)
{
	bool alive = false;

	for (size_t i = 0; i < f->files; i++)
		alive |= f->file[i].alive;
	return alive;
}

static void read_headers(struct live_reader *f)
{
	uint64_t first = UINT64_MAX, last = 0;
	bool alive = lives(f) || f->held;

	f->lost_calls = 0;
	for (size_t i = 0; i < f->files; i++) {
		struct live_reader_file *file = &f->file[i];
		const struct scp_header *h = &file->header;

		file->has_header = !live_header(&file->live, &file->header);
		if (!file->has_header)
			continue;
		first = h->start_mono_ns < first ? h->start_mono_ns : first;
		last = h->end_mono_ns > last ? h->end_mono_ns : last;
		last = h->clock.last.mono_ns > last ? h->clock.last.mono_ns : last;
		f->lost_calls += h->losses.overflow_calls;
	}
	f->ended = !alive;
	double end = alive ? live_reader_seconds(CLOCK_MONOTONIC_RAW) : (double)last / 1e9;
	f->run_s = first == UINT64_MAX ? 0 : fmax(0, end - (double)first / 1e9);
}

/* Out of memory, the clocks keep their last rates, which are nearly right. */
static void renew_clocks(struct live_reader *f)
{
	struct profile_moment *moment = calloc(f->files + 1, sizeof(*moment));

	if (!moment)
		return;
	for (uint32_t i = 0; i < f->profile->entries; i++)
		f->calls[i] = f->now[i].calls;
	for (size_t i = 0; i < f->files; i++)
		moment[i] = (struct profile_moment){
			.header = f->file[i].has_header ? &f->file[i].header : NULL,
			.first = f->file[i].first,
			.entries = f->file[i].live.places.places,
			.calls = f->calls};
	profile_renew_clocks(f->profile, moment, f->files);
	free(moment);
}

static void turn_over(struct live_reader *f)
{
	struct prof_reading *spare = f->before;

	f->before = f->now;
	f->now = spare;
	f->before_at = f->at;
}

/* The reading at the end makes no interval of its own: it is added to the last one. */
int live_reader_refresh(struct live_reader *f)
{
	uint64_t generation = f->generation;

	if (live_reader_clock() >= f->next_find && find_and_model(f))
		return -1;
	if (!f->profile || (f->ended && !lives(f) && !f->held))
		return 0;
	if (generation != f->generation || lives(f) || f->held || !f->before_at) {
		if (generation == f->generation)
			memset(f->before_state, LIVE_READER_KNOWN, f->profile->entries);
		turn_over(f);
	}
	read_entries(f);
	f->at = live_reader_clock();
	read_headers(f);
	renew_clocks(f);
	return 0;
}

int live_reader_open(struct live_reader *f, const struct target *t, enum report_by by,
		     struct profile_error *err)
{
	*f = (struct live_reader){.target = *t, .by = by};
	if (live_reader_refresh(f)) {
		error_set(err, "out of memory");
		live_reader_close(f);
		return -1;
	}
	if (f->files)
		return 0;
	error_set(err, "%.500s",
		  f->refused ? f->why_refused : "there is no profile to watch any more");
	live_reader_close(f);
	return -1;
}

void live_reader_close(struct live_reader *f)
{
	live_reader_model_release(f);
	*f = (struct live_reader){0};
}

int live_reader_regroup(struct live_reader *f, enum report_by by)
{
	struct groups g;

	if (groups_order_build(&g, f->profile, by)) {
		groups_free(&g);
		return -1;
	}
	groups_free(&f->groups);
	f->groups = g;
	f->by = by;
	f->generation++;
	return 0;
}
