// SPDX-License-Identifier: GPL-3.0-or-later
/* The page names a site by the numbers of its records in one process's file; a model has others.
 * Entries have both: each entry of the model is known by its place in the file. */
#include "cli/causal/causal_private.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "profile/live/run_files.h"
#include "profile/read/entry_offsets.h"
#include "report/model/model.h"
#include "report/symbols/function_names.h"
#include "report/wording/utf8.h"
#include "profile/base/array.h"
#include "profile/base/words.h"

struct causal_ref {
	uint32_t pid, table, path, function; /* as the file has them */
	uint32_t entry;			     /* of the model */
};

static int compare_refs(const void *a, const void *b)
{
	return memcmp(a, b, offsetof(struct causal_ref, entry));
}

static int note_entries(struct causal_sites *s, uint32_t pid, uint32_t first,
			const struct prof_places *places)
{
	for (uint32_t i = 0; i < places->places && first + i < s->profile->entries; i++) {
		const struct prof_place *e = &places->place[i];
		const struct causal_ref ref = {pid, e->table, e->path, e->function, first + i};

		if (!ARRAY_PUT(s->ref, s->refs, ref))
			return -1;
	}
	return 0;
}

static int add_file(struct causal_sites *s, const char *directory, const struct run_file *file)
{
	struct prof_places places;
	struct profile_error err;
	char path[PATH_MAX];
	uint32_t first = s->profile->entries;

	snprintf(path, sizeof(path), "%s/%s", directory, file->name);
	if (!file->started || profile_add_placed(s->profile, path, -1, &places, &err))
		return 0;
	int failed = note_entries(s, (uint32_t)file->pid, first, &places);
	free(places.place);
	return failed;
}

static enum report_by report_by(enum scp_causal_by by)
{
	return by == SCP_CAUSAL_BY_PATH	  ? REPORT_BY_PATH
	       : by == SCP_CAUSAL_BY_SITE ? REPORT_BY_SITE
					  : REPORT_BY_FUNCTION;
}

int causal_sites_read(struct causal_sites *s, const char *directory, enum scp_causal_by by)
{
	struct report_options options = REPORT_OPTIONS_DEFAULT;
	struct run_file *files = NULL;
	size_t count = 0;
	int failed = 0;

	*s = (struct causal_sites){.profile = profile_new()};
	if (!s->profile || run_files_list(directory, &files, &count))
		return -1;
	for (size_t i = 0; i < count && !failed; i++)
		failed = add_file(s, directory, &files[i]);
	run_files_free(files, count);
	if (failed || !s->profile->entries)
		return -1;
	ARRAY_SORT(s->ref, s->refs, compare_refs);
	function_names_fill(s->profile);
	options.by = report_by(by);
	options.together = true;
	s->report = report_build(s->profile, &options);
	return s->report ? 0 : -1;
}

void causal_sites_free(struct causal_sites *s)
{
	report_free(s->report);
	profile_free(s->profile);
	free(s->ref);
	*s = (struct causal_sites){0};
}

/* An entry of the site's path and function, whatever its outcome; PROF_NONE: there is none. */
static uint32_t find_entry(const struct causal_sites *s, const struct causal_page_site *site)
{
	struct causal_ref wanted = {site->pid, site->table, site->path, site->function, 0};
	const struct causal_ref *ref =
		s->refs ? bsearch(&wanted, s->ref, s->refs, sizeof(*s->ref), compare_refs) : NULL;

	return ref ? ref->entry : PROF_NONE;
}

/* Is the row of this entry's kind of site? */
static bool is_of(const struct causal_sites *s, const struct report_site *row,
		  const struct prof_entry *e, enum scp_causal_by by)
{
	const struct prof_path *path = &s->profile->path[e->path];

	if (row->overflow || row->function != e->function)
		return false;
	if (by == SCP_CAUSAL_BY_FUNCTION)
		return true;
	if (by == SCP_CAUSAL_BY_SITE)
		return row->frames && path->frames
			       ? !memcmp(row->frame, path->frame + path_site_of(s->profile, path),
					 sizeof(*row->frame))
			       : row->frames == path->frames;
	return row->frames == path->frames &&
	       !memcmp(row->frame, path->frame, path->frames * sizeof(*path->frame));
}

/* Those that sleep for a file, and for nobody else. */
static bool sleeps_for_files(const char *name)
{
	return words_have("fsync fdatasync sync_file_range syncfs msync pread pread64 preadv "
			  "preadv2 pwrite pwrite64 pwritev pwritev2 open open64 openat openat64 "
			  "creat close stat lstat fstat statx unlink unlinkat rename renameat "
			  "renameat2 mkdir rmdir ftruncate fallocate truncate readdir "
			  "copy_file_range",
			  " ", name);
}

struct one_mean {
	double ns, error_ns, freedom;
	enum causal_basis basis;
};

static struct one_mean mean_of(const struct causal_sites *s, const struct report_site *row)
{
	const struct report_states *t = &row->states;
	bool files = sleeps_for_files(s->profile->function[row->function].name);

	if (t->known && files)
		return (struct one_mean){
			t->on_cpu.mean + t->asleep.mean, hypot(t->on_cpu.error, t->asleep.error),
			fmin(t->on_cpu.freedom, t->asleep.freedom), CAUSAL_BASIS_CPU_FILE};
	if (t->known)
		return (struct one_mean){t->on_cpu.mean, t->on_cpu.error, t->on_cpu.freedom,
					 CAUSAL_BASIS_CPU};
	if (row->waits)
		return (struct one_mean){NAN, NAN, NAN, CAUSAL_BASIS_NONE};
	return (struct one_mean){row->estimate.mean, row->estimate.error, row->estimate.freedom,
				 CAUSAL_BASIS_ELAPSED};
}

/* Outcomes of a site are rows of their own; a delay does not ask for the outcome. */
static void add_row(struct causal_found *f, const struct causal_sites *s,
		    const struct report_site *row, double *variance)
{
	struct one_mean m = mean_of(s, row);
	double calls = (double)row->calls;

	if (!f->row || row->units > f->row->units)
		f->row = row;
	f->calls += row->calls;
	if (!row->calls)
		return;
	/* One call tells nothing of its scatter: it may be off by itself. */
	if (!isfinite(m.error_ns) || !(m.freedom >= 1)) {
		m.error_ns = fabs(m.ns);
		m.freedom = INFINITY;
	}
	f->busy += calls * m.ns / 1e9;
	*variance += pow(calls * m.error_ns / 1e9, 2);
	f->mean.freedom = isnan(f->mean.freedom) ? m.freedom : fmin(f->mean.freedom, m.freedom);
	if (f->basis == CAUSAL_BASIS_NONE || m.basis > f->basis)
		f->basis = m.basis;
}

struct causal_found causal_sites_find(const struct causal_sites *s, enum scp_causal_by by,
				      const struct causal_page_site *site)
{
	struct causal_found f = {.mean = {NAN, NAN, NAN}, .busy = NAN};
	uint32_t entry = s->report ? find_entry(s, site) : PROF_NONE;
	double variance = 0;

	if (entry == PROF_NONE)
		return f;
	const struct prof_entry *e = &s->profile->entry[entry];
	f.function = s->profile->function[e->function].name;
	f.busy = 0;
	for (uint32_t i = 0; i < s->report->sites; i++)
		if (is_of(s, &s->report->site[i], e, by))
			add_row(&f, s, &s->report->site[i], &variance);
	if (f.calls)
		f.mean = (struct slopes_value){f.busy / (double)f.calls,
					       sqrt(variance) / (double)f.calls, f.mean.freedom};
	if (isnan(f.mean.value))
		f.basis = CAUSAL_BASIS_NONE;
	return f;
}

bool causal_sites_glob(const char *patterns, const char *function,
		       bool (*has_frame)(const void *context, const char *glob),
		       const void *context)
{
	char glob[512];

	for (size_t length; *patterns; patterns += length + (patterns[length] == ',')) {
		length = strcspn(patterns, ",");
		const char *at = memchr(patterns, '@', length);
		size_t name = at ? (size_t)(at - patterns) : length;

		if (length >= sizeof(glob))
			continue;
		snprintf(glob, sizeof(glob), "%.*s", (int)name, patterns);
		if (fnmatch(glob, function, 0))
			continue;
		if (!at)
			return true;
		snprintf(glob, sizeof(glob), "%.*s", (int)(length - name - 1), at + 1);
		if (has_frame(context, glob))
			return true;
	}
	return false;
}

/* Inlined functions at a frame: at most so many are asked for. */
#define INLINED 8

struct asked {
	const struct causal_sites *sites;
	const struct report_site *row;
};

static bool is_at(const char *glob, const char *name, int line)
{
	char text[1024];

	snprintf(text, sizeof(text), "%s:%d", name, line);
	return line && !fnmatch(glob, text, 0);
}

static bool has_frame(const void *context, const char *glob)
{
	const struct asked *a = context;

	for (uint32_t i = 0; a->row && i < a->row->frames; i++) {
		size_t count;
		const struct symbol *s =
			frame_symbols_find(a->sites->report, &a->row->frame[i], &count);

		for (size_t n = 0; n < count && n < INLINED; n++, s++)
			if ((s->brief &&
			     (!fnmatch(glob, s->brief, 0) || is_at(glob, s->brief, s->line))) ||
			    (s->file && is_at(glob, base_name(s->file), s->line)))
				return true;
	}
	return false;
}

bool causal_sites_match(const struct causal_sites *s, const struct report_site *row,
			const char *function, const char *patterns)
{
	return causal_sites_glob(patterns, function, has_frame, &(struct asked){s, row});
}

double causal_sites_mean(const struct causal_sites *s, const char *patterns)
{
	struct causal_found all = {.mean = {NAN, NAN, NAN}};
	double variance = 0;

	for (uint32_t i = 0; s->report && i < s->report->sites; i++) {
		const struct report_site *row = &s->report->site[i];

		if (!row->overflow &&
		    causal_sites_match(s, row, s->profile->function[row->function].name, patterns))
			add_row(&all, s, row, &variance);
	}
	return all.calls ? all.busy / (double)all.calls : NAN;
}

void causal_sites_most(const struct causal_sites *s, char *text, size_t size)
{
	uint32_t functions = s->profile ? s->profile->functions : 0;
	uint64_t *calls = calloc((size_t)functions + 1, sizeof(*calls));
	size_t at = 0;

	*text = '\0';
	for (uint32_t i = 0; calls && i < s->profile->entries; i++)
		if (s->profile->entry[i].outcome == SCP_COMPLETED)
			calls[s->profile->entry[i].function] += s->profile->entry[i].sums.calls;
	for (int n = 0; calls && n < 5; n++) {
		uint32_t most = 0;

		for (uint32_t i = 1; i < functions; i++)
			if (calls[i] > calls[most])
				most = i;
		if (!functions || !calls[most] || at >= size)
			break;
		at += (size_t)snprintf(text + at, size - at, "%s%.60s", n ? ", " : "",
				       s->profile->function[most].name);
		calls[most] = 0;
	}
	free(calls);
}
