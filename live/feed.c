// SPDX-License-Identifier: GPL-3.0-or-later
/* Positions in files never change, so readings are carried from one model to the next. */
#include "feed.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "function_names.h"

#define RETRY_S 5.0 /* for files that could not be read */
#define SHARE	100 /* work that can wait takes a hundredth of the time at most */

static double seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

double feed_clock(void)
{
	return seconds(CLOCK_MONOTONIC);
}

static void close_files(struct feed_file *file, size_t files)
{
	for (size_t i = 0; i < files; i++) {
		free(file[i].path);
		live_close(&file[i].live);
	}
	free(file);
}

static struct feed_file *find_file(struct feed *f, const char *path)
{
	for (size_t i = 0; i < f->files; i++)
		if (!strcmp(f->file[i].path, path))
			return &f->file[i];
	return NULL;
}

const struct feed_file *feed_file_of(const struct feed *f, uint32_t entry)
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

/* What is being made; it replaces the old one when it is whole. */
struct making {
	struct profile *profile;
	struct feed_file *file;
	size_t files, refused;
	char why[512];
	struct groups groups;
	struct prof_reading *now, *before;
	uint8_t *before_state;
	uint64_t *calls;
};

static void abandon(struct making *m)
{
	close_files(m->file, m->files);
	groups_free(&m->groups);
	profile_free(m->profile);
	free(m->now);
	free(m->before);
	free(m->before_state);
	free(m->calls);
}

static int open_one(struct making *m, const char *path, bool alive)
{
	struct profile_error err;
	struct feed_file *file = &m->file[m->files];

	*file = (struct feed_file){.first = m->profile->entries, .alive = alive};
	if (live_open(&file->live, m->profile, path, &err)) {
		if (!m->refused++)
			snprintf(m->why, sizeof(m->why), "%s", err.text);
		return 0;
	}
	file->path = strdup(path);
	file->complete = file->live.watch.entries <= file->live.places.places;
	m->files++;
	return file->path ? 0 : -1;
}

/* A file that was there stays, even if its name is gone: then there is no new model. */
static int open_all(const struct feed *f, struct making *m, const struct target_file *files,
		    size_t count)
{
	size_t kept = 0;

	m->profile = profile_new();
	m->file = calloc(count + f->files + 1, sizeof(*m->file));
	if (!m->profile || !m->file)
		return -1;
	for (size_t i = 0; i < f->files; i++) {
		bool alive = false;

		for (size_t k = 0; k < count; k++)
			alive |= !strcmp(files[k].path, f->file[i].path) && files[k].alive;
		if (open_one(m, f->file[i].path, alive))
			return -1;
		kept += m->files > kept;
	}
	if (kept < f->files) {
		errno = ENOENT;
		return -1;
	}
	for (size_t k = 0; k < count; k++) {
		bool known = false;

		for (size_t i = 0; i < f->files; i++)
			known |= !strcmp(files[k].path, f->file[i].path);
		if (!known && open_one(m, files[k].path, files[k].alive))
			return -1;
	}
	return 0;
}

/* Did the process begin after the last reading? */
static bool began_since(const struct feed *f, const struct feed_file *file)
{
	struct scp_header h;
	double raw_now = seconds(CLOCK_MONOTONIC_RAW);

	return f->at > 0 && !live_header(&file->live, &h) &&
	       raw_now - (double)h.start_mono_ns / 1e9 < feed_clock() - f->at;
}

static void carry_over(struct feed *f, struct making *m, struct feed_file *to)
{
	const struct feed_file *from = find_file(f, to->path);
	bool all_known = from ? from->complete : began_since(f, to);

	for (uint32_t i = 0; i < to->live.places.places; i++) {
		const struct prof_place *place = &to->live.places.place[i];
		const struct prof_place *old =
			from ? places_find(&from->live.places, place->table, place->id) : NULL;
		uint32_t entry = to->first + i;

		m->before_state[entry] = FEED_KNOWN;
		if (old)
			m->now[entry] = f->now[from->first + (old - from->live.places.place)];
		else if (!all_known)
			m->before_state[entry] = FEED_UNKNOWN;
	}
}

static int make_readings(struct feed *f, struct making *m)
{
	size_t entries = (size_t)m->profile->entries + 1;

	m->now = calloc(entries, sizeof(*m->now));
	m->before = calloc(entries, sizeof(*m->before));
	m->before_state = calloc(entries, sizeof(*m->before_state));
	m->calls = calloc(entries, sizeof(*m->calls));
	if (!m->now || !m->before || !m->before_state || !m->calls)
		return -1;
	for (size_t i = 0; i < m->files; i++)
		carry_over(f, m, &m->file[i]);
	return 0;
}

static void release(struct feed *f)
{
	close_files(f->file, f->files);
	groups_free(&f->groups);
	profile_free(f->profile);
	free(f->now);
	free(f->before);
	free(f->before_state);
	free(f->calls);
}

static void install(struct feed *f, const struct making *m)
{
	if (f->forget)
		f->forget(f->context);
	release(f);
	f->profile = m->profile;
	f->file = m->file;
	f->files = m->files;
	f->groups = m->groups;
	f->now = m->now;
	f->before = m->before;
	f->before_state = m->before_state;
	f->calls = m->calls;
	f->refused = m->refused;
	snprintf(f->why_refused, sizeof(f->why_refused), "%s", m->why);
	f->generation++;
}

static int make_model(struct feed *f, const struct target_file *files, size_t count)
{
	double began = seconds(CLOCK_THREAD_CPUTIME_ID);
	struct making m = {0};
	int failed = open_all(f, &m, files, count);

	if (!failed) {
		function_names_fill(m.profile);
		failed = groups_build(&m.groups, m.profile, f->by) || make_readings(f, &m);
	}
	if (failed) {
		bool gone = errno == ENOENT;

		abandon(&m);
		f->next_model = feed_clock() + RETRY_S;
		return gone ? 0 : -1;
	}
	install(f, &m);
	f->next_model = feed_clock() + fmax(SHARE * (seconds(CLOCK_THREAD_CPUTIME_ID) - began),
					    f->refused ? RETRY_S : 0);
	return 0;
}

/* New files, or entries that the model has not? And who lives? */
static bool needs_model(struct feed *f, const struct target_file *files, size_t count)
{
	size_t unknown = 0;
	bool any_grown = false;

	for (size_t k = 0; k < count; k++)
		unknown += !find_file(f, files[k].path);
	for (size_t i = 0; i < f->files; i++) {
		bool grown = false;

		f->file[i].alive = false;
		for (size_t k = 0; k < count; k++)
			f->file[i].alive |=
				!strcmp(files[k].path, f->file[i].path) && files[k].alive;
		if (live_look(&f->file[i].live, &grown))
			continue;
		f->file[i].complete = !grown;
		any_grown |= grown;
	}
	f->behind = any_grown || unknown > f->refused;
	return !f->profile || any_grown || unknown;
}

static int find_and_model(struct feed *f)
{
	double began = seconds(CLOCK_THREAD_CPUTIME_ID);
	struct target_file *files;
	size_t count;
	int failed = 0;

	if (target_files(&f->target, &files, &count))
		return -1;
	bool needs = needs_model(f, files, count);

	f->next_find = feed_clock() + SHARE * (seconds(CLOCK_THREAD_CPUTIME_ID) - began);
	if (needs && (!f->profile || feed_clock() >= f->next_model)) {
		failed = make_model(f, files, count);
		f->behind = false;
	}
	target_free(files, count);
	return failed;
}

static void read_entries(struct feed *f)
{
	for (size_t i = 0; i < f->files; i++) {
		const struct feed_file *file = &f->file[i];

		for (uint32_t k = 0; k < file->live.places.places; k++) {
			uint32_t entry = file->first + k;

			/* an entry that cannot be read stays as it was */
			if (live_read(&file->live, k, &f->before[entry], &f->now[entry]))
				f->now[entry] = f->before[entry];
		}
	}
}

static bool lives(const struct feed *f)
{
	bool alive = false;

	for (size_t i = 0; i < f->files; i++)
		alive |= f->file[i].alive;
	return alive;
}

static void read_headers(struct feed *f)
{
	uint64_t first = UINT64_MAX, last = 0;
	bool alive = lives(f) || f->held;

	f->lost_calls = 0;
	for (size_t i = 0; i < f->files; i++) {
		struct feed_file *file = &f->file[i];
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
	double end = alive ? seconds(CLOCK_MONOTONIC_RAW) : (double)last / 1e9;
	f->run_s = first == UINT64_MAX ? 0 : fmax(0, end - (double)first / 1e9);
}

/* Without memory the clocks stay as they were, which is nearly right. */
static void renew_clocks(struct feed *f)
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

static void turn_over(struct feed *f)
{
	struct prof_reading *spare = f->before;

	f->before = f->now;
	f->now = spare;
	f->before_at = f->at;
}

/* The moment of the end is no interval of its own: it is added to the last one. */
int feed_refresh(struct feed *f)
{
	uint64_t generation = f->generation;

	if (feed_clock() >= f->next_find && find_and_model(f))
		return -1;
	if (!f->profile || (f->ended && !lives(f) && !f->held))
		return 0;
	if (generation != f->generation || lives(f) || f->held || !f->before_at) {
		if (generation == f->generation)
			memset(f->before_state, FEED_KNOWN, f->profile->entries);
		turn_over(f);
	}
	read_entries(f);
	f->at = feed_clock();
	read_headers(f);
	renew_clocks(f);
	return 0;
}

int feed_open(struct feed *f, const struct target *t, enum report_by by, struct profile_error *err)
{
	*f = (struct feed){.target = *t, .by = by};
	if (feed_refresh(f)) {
		snprintf(err->text, sizeof(err->text), "out of memory");
		feed_close(f);
		return -1;
	}
	if (f->files)
		return 0;
	snprintf(err->text, sizeof(err->text), "%.500s",
		 f->refused ? f->why_refused : "there is no profile to watch any more");
	feed_close(f);
	return -1;
}

void feed_close(struct feed *f)
{
	release(f);
	*f = (struct feed){0};
}

int feed_regroup(struct feed *f, enum report_by by)
{
	struct groups g;

	if (groups_build(&g, f->profile, by)) {
		groups_free(&g);
		return -1;
	}
	groups_free(&f->groups);
	f->groups = g;
	f->by = by;
	f->generation++;
	return 0;
}
