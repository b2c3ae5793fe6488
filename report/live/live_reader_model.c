// SPDX-License-Identifier: GPL-3.0-or-later
/* A new model of all files. Positions in files never change, so readings carry over to it. */
#include "report/live/live_reader.h"
#include "report/model/sites.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/symbols/function_names.h"

#define RETRY_S 5.0 /* for files that could not be read */

static void close_files(struct live_reader_file *file, size_t files)
{
	for (size_t i = 0; i < files; i++) {
		free(file[i].path);
		live_close(&file[i].live);
	}
	free(file);
}

struct live_reader_file *live_reader_model_find_file(const struct live_reader *f, const char *path)
{
	for (size_t i = 0; i < f->files; i++)
		if (!strcmp(f->file[i].path, path))
			return &f->file[i];
	return NULL;
}

bool live_reader_model_is_alive(const struct target_file *files, size_t count, const char *path)
{
	bool alive = false;

	for (size_t k = 0; k < count; k++)
		alive |= !strcmp(files[k].path, path) && files[k].alive;
	return alive;
}

static int open_one(struct live_reader *m, const char *path, bool alive)
{
	struct profile_error err;
	struct live_reader_file *file = &m->file[m->files];

	*file = (struct live_reader_file){.first = m->profile->entries, .alive = alive};
	if (live_open(&file->live, m->profile, path, &err)) {
		if (!m->refused++)
			snprintf(m->why_refused, sizeof(m->why_refused), "%s", err.text);
		return 0;
	}
	file->path = strdup(path);
	file->complete = file->live.watch.entries <= file->live.places.places;
	m->files++;
	return file->path ? 0 : -1;
}

/* If a known file has lost its name, the old model stays. */
static int open_all(const struct live_reader *f, struct live_reader *m,
		    const struct target_file *files, size_t count)
{
	size_t kept = 0;

	m->profile = profile_new();
	m->file = calloc(count + f->files + 1, sizeof(*m->file));
	if (!m->profile || !m->file)
		return -1;
	for (size_t i = 0; i < f->files; i++) {
		if (open_one(m, f->file[i].path,
			     live_reader_model_is_alive(files, count, f->file[i].path)))
			return -1;
		kept += m->files > kept;
	}
	if (kept < f->files) {
		errno = ENOENT;
		return -1;
	}
	for (size_t k = 0; k < count; k++)
		if (!live_reader_model_find_file(f, files[k].path) &&
		    open_one(m, files[k].path, files[k].alive))
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
	const struct live_reader_file *from = live_reader_model_find_file(f, to->path);
	bool all_known = from ? from->complete : began_since(f, to);

	for (uint32_t i = 0; i < to->live.places.places; i++) {
		const struct prof_place *place = &to->live.places.place[i];
		const struct prof_place *old =
			from ? entry_offsets_find(&from->live.places, place->table, place->id)
			     : NULL;
		uint32_t entry = to->first + i;

		m->before_state[entry] = LIVE_READER_KNOWN;
		if (old)
			m->now[entry] = f->now[from->first + (old - from->live.places.place)];
		else if (!all_known)
			m->before_state[entry] = LIVE_READER_UNKNOWN;
	}
}

static int make_readings(struct live_reader *f, struct live_reader *m)
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

void live_reader_model_release(struct live_reader *f)
{
	close_files(f->file, f->files);
	groups_free(&f->groups);
	profile_free(f->profile);
	free(f->now);
	free(f->before);
	free(f->before_state);
	free(f->calls);
}

/* The same reader before any model. */
static struct live_reader without_model(const struct live_reader *f)
{
	struct live_reader m = *f;

	m.profile = NULL;
	m.file = NULL;
	m.files = m.refused = 0;
	m.groups = (struct groups){0};
	m.now = m.before = NULL;
	m.before_state = NULL;
	m.calls = NULL;
	m.generation++;
	return m;
}

int live_reader_model_make_model(struct live_reader *f, const struct target_file *files,
				 size_t count)
{
	double began = live_reader_seconds(CLOCK_THREAD_CPUTIME_ID);
	struct live_reader m = without_model(f);
	int failed = open_all(f, &m, files, count);

	if (!failed) {
		function_names_fill(m.profile);
		below_mark(m.profile);
		failed = groups_order_build(&m.groups, m.profile, f->by) || make_readings(f, &m);
	}
	if (failed) {
		bool gone = errno == ENOENT;

		live_reader_model_release(&m);
		f->next_model = live_reader_clock() + RETRY_S;
		return gone ? 0 : -1;
	}
	if (f->forget)
		f->forget(f->context);
	live_reader_model_release(f);
	*f = m;
	f->next_model =
		live_reader_clock() +
		fmax(LIVE_READER_SHARE * (live_reader_seconds(CLOCK_THREAD_CPUTIME_ID) - began),
		     f->refused ? RETRY_S : 0);
	return 0;
}
