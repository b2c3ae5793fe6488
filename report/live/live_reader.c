// SPDX-License-Identifier: GPL-3.0-or-later
/* When to look for files, when for a new model, and what is read in between. */
#include "report/live/live_reader.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/array.h"
#include "profile/base/error.h"
#include "profile/live/run_files.h"
#include "report/symbols/function_names.h"

/* A new model of all files. Positions in files never change, so readings carry over to it. */

#define SHARE	100 /* work that can wait takes a hundredth of the time at most */
#define RETRY_S 5.0 /* for files that could not be read */

static void close_files(struct live_reader_file *file, size_t files)
{
	for (size_t i = 0; i < files; i++) {
		free(file[i].path);
		live_close(&file[i].live);
	}
	free(file);
}

/* NULL: it is none of the reader's. */
static struct live_reader_file *find_file(const struct live_reader *f, const char *path)
{
	for (size_t i = 0; i < f->files; i++)
		if (!strcmp(f->file[i].path, path))
			return &f->file[i];
	return NULL;
}

/* Does the process of one of these files live? */
static bool is_alive(const struct target_file *files, size_t count, const char *path)
{
	bool alive = false;

	for (size_t k = 0; k < count; k++)
		alive |= !strcmp(files[k].path, path) && files[k].alive;
	return alive;
}

/* `fd`: where it is open already; -1: it is new. */
static int open_one(struct live_reader *m, const char *path, int fd, bool alive)
{
	struct profile_error err;
	struct live_reader_file *file = &m->file[m->files];

	*file = (struct live_reader_file){.first = m->profile->entries, .alive = alive};
	if (live_open(&file->live, m->profile, path, fd, &err)) {
		if (!m->refused++)
			snprintf(m->why_refused, sizeof(m->why_refused), "%s", err.text);
		return 0;
	}
	file->path = strdup(path);
	file->complete = file->live.watch.entries <= file->live.places.places;
	m->files++;
	return file->path ? 0 : -1;
}

/* A known file may have lost its name, and is still read. If it cannot be, the old model stays. */
static int open_all(const struct live_reader *f, struct live_reader *m,
		    const struct target_file *files, size_t count)
{
	size_t kept = 0;

	m->profile = profile_new();
	m->file = calloc(count + f->files + 1, sizeof(*m->file));
	if (!m->profile || !m->file)
		return -1;
	for (const struct live_reader_file *known = f->file; known < f->file + f->files; known++) {
		if (open_one(m, known->path, known->live.watch.fd,
			     is_alive(files, count, known->path)))
			return -1;
		kept += m->files > kept;
	}
	if (kept < f->files) {
		errno = ENOENT;
		return -1;
	}
	for (size_t k = 0; k < count; k++)
		if (!find_file(f, files[k].path) && open_one(m, files[k].path, -1, files[k].alive))
			return -1;
	return 0;
}

/* Did the process begin after the last reading? */
static bool began_since(const struct live_reader *f, const struct live_reader_file *file)
{
	struct scp_header h;
	double raw_now = live_reader_seconds(CLOCK_MONOTONIC_RAW);

	return f->at > 0 && !live_header(&file->live, &h) &&
	       raw_now - (double)h.start_mono_ns / 1e9 < live_reader_clock() - f->at;
}

static void carry_over(struct live_reader *f, struct live_reader *m, struct live_reader_file *to)
{
	const struct live_reader_file *from = find_file(f, to->path);
	bool all_known = from ? from->complete : began_since(f, to);

	for (uint32_t i = 0; i < to->live.places.places; i++) {
		const struct prof_place *place = &to->live.places.place[i];
		const struct prof_place *old =
			from ? entry_offsets_find(&from->live.places, place->table, place->id)
			     : NULL;
		uint32_t entry = to->first + i;

		m->known[entry] = old || all_known;
		if (old)
			m->now[entry] = f->now[from->first + (old - from->live.places.place)];
	}
}

static int make_readings(struct live_reader *f, struct live_reader *m)
{
	size_t entries = (size_t)m->profile->entries + 1;

	m->now = calloc(entries, sizeof(*m->now));
	m->before = calloc(entries, sizeof(*m->before));
	m->known = calloc(entries, sizeof(*m->known));
	m->calls = calloc(entries, sizeof(*m->calls));
	if (!m->now || !m->before || !m->known || !m->calls)
		return -1;
	for (size_t i = 0; i < m->files; i++)
		carry_over(f, m, &m->file[i]);
	return 0;
}

/* Free the model and the readings. */
static void release_model(struct live_reader *f)
{
	close_files(f->file, f->files);
	groups_free(&f->groups);
	profile_free(f->profile);
	PROF_FREE(f, now, before, known, calls);
}

/* A model of these files and those that the reader has; notes when the next one may be made. The
 * old model stays if a file cannot be read any more (0), or out of memory (-1). */
static int make_model(struct live_reader *f, const struct target_file *files, size_t count)
{
	double began = live_reader_seconds(CLOCK_THREAD_CPUTIME_ID);
	struct live_reader m = {.generation = f->generation + 1};
	int failed = open_all(f, &m, files, count);

	if (!failed) {
		function_names_fill(m.profile);
		failed = groups_order_build(&m.groups, m.profile, f->by) || make_readings(f, &m);
	}
	if (failed) {
		bool gone = errno == ENOENT;

		release_model(&m);
		f->next_model = live_reader_clock() + RETRY_S;
		return gone ? 0 : -1;
	}
	release_model(f);
	PROF_SET(f, &m, profile, file, files, now, before, known, calls, groups, generation);
	f->refused = m.refused;
	strcpy(f->why_refused, m.why_refused);
	f->next_model = live_reader_clock() +
			fmax(SHARE * (live_reader_seconds(CLOCK_THREAD_CPUTIME_ID) - began),
			     f->refused ? RETRY_S : 0);
	return 0;
}

const struct live_reader_file *live_reader_file_of(const struct live_reader *f, uint32_t entry)
{
	size_t behind;

	BISECT(behind, f->files, f->file[behind].first <= entry);
	return &f->file[behind - 1];
}

/* Are there new files, or entries that the model lacks? Also notes which processes are alive. */
static bool needs_model(struct live_reader *f, const struct target_file *files, size_t count)
{
	size_t unknown = 0;
	bool any_grown = false;

	for (size_t k = 0; k < count; k++)
		unknown += !find_file(f, files[k].path);
	for (size_t i = 0; i < f->files; i++) {
		bool grown = false;

		f->file[i].alive = is_alive(files, count, f->file[i].path);
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
		       SHARE * (live_reader_seconds(CLOCK_THREAD_CPUTIME_ID) - began);
	if (needs && (!f->profile || live_reader_clock() >= f->next_model)) {
		failed = make_model(f, files, count);
		f->behind = false;
	}
	target_free(files, count);
	return failed;
}

static void read_entries(struct live_reader *f)
{
	for (const struct live_reader_file *file = f->file; file < f->file + f->files; file++) {
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
	for (struct live_reader_file *file = f->file; file < f->file + f->files; file++) {
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
			memset(f->known, true, f->profile->entries);
		struct prof_reading *spare = f->before;
		f->before = f->now;
		f->now = spare;
		f->before_at = f->at;
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
	run_files_raise_limit();
	if (live_reader_refresh(f)) {
		error_set(err, "out of memory");
		live_reader_close(f);
		return -1;
	}
	if (f->files)
		return 0;
	error_set(err, "there is no profile to watch any more");
	if (f->refused)
		strcpy(err->text, f->why_refused); /* with its lines */
	live_reader_close(f);
	return -1;
}

void live_reader_close(struct live_reader *f)
{
	release_model(f);
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
