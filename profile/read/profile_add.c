// SPDX-License-Identifier: GPL-3.0-or-later
/* Files become a model. A file is read and checked whole before the model is touched; if memory
 * runs out half way the model goes back to what it was. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile/base/error.h"
#include "profile/read/entry_offsets.h"
#include "profile/model/calibrate.h"
#include "profile/model/clocks.h"
#include "profile/base/array.h"
#include "profile/model/model.h"
#include "profile/model/addition.h"
#include "profile/read/load.h"

/* All of them are counts of 64 bits, but two halves of a word. */
static void add_losses(struct scp_losses *to, const struct scp_losses *from)
{
	uint32_t error = from->growth_errno ? from->growth_errno : to->growth_errno;
	uint32_t sandboxed = to->sandboxed || from->sandboxed;

	for (size_t at = 0; at < sizeof *to; at += sizeof(uint64_t)) {
		uint64_t a, b;

		memcpy(&a, (char *)to + at, sizeof a);
		memcpy(&b, (const char *)from + at, sizeof b);
		a += b;
		memcpy((char *)to + at, &a, sizeof a);
	}
	to->growth_errno = error;
	to->sandboxed = sandboxed;
}

static void add_path_checks(struct scp_path_checks *to, const struct scp_path_checks *from)
{
	if (from->one_in && (!to->one_in || from->one_in < to->one_in))
		to->one_in = from->one_in;
	to->unwinder = to->unwinder || from->unwinder;
	PROF_ADD(to, from, verified, differ, undecided, heuristic);
}

static void add_ticker_cost(struct scp_ticker_cost *sum, const struct scp_ticker_cost *c)
{
	PROF_ADD(sum, c, cpu_ns, most_ns, taken_ns);
	if (!sum->asked_ns)
		sum->asked_ns = c->asked_ns;
}

static void add_python(struct profile *p, uint32_t python)
{
	bool is_read = SCP_PYTHON_STATE(python) == SCP_PYTHON_READ;

	if (!p->python)
		p->python = python;
	else if (python && python != p->python &&
		 (!p->python_other ||
		  (!is_read && SCP_PYTHON_STATE(p->python_other) == SCP_PYTHON_READ)))
		p->python_other = python;
}

static void add_header(struct profile *p, const struct scp_header *h)
{
	filters_add(p, h);
	p->flags |= h->flags & (SCP_FILE_DUAL | SCP_FILE_HISTOGRAMS | SCP_FILE_MERGED |
				SCP_FILE_NO_SYMBOLS | SCP_FILE_WINDOWS | SCP_FILE_FILTERS_DIFFER);
	if (!*p->preceded)
		memcpy(p->preceded, h->preceded, sizeof(p->preceded) - 1);
	PROF_ADD(p, h, uncopied_calls, ticker_readings, ticker_near, ticker_ticks,
		 ticker_late_sum_ns, ticker_late_ticks, own_ns);
	if (!*p->uncopied_function)
		memcpy(p->uncopied_function, h->uncopied_function,
		       sizeof(p->uncopied_function) - 1);
	p->groups |= h->groups;
	states_join_switches(&p->switches, &h->switches, p->index->files == 0);
	add_losses(&p->losses, &h->losses);
	add_path_checks(&p->path_checks, &h->path_checks);
	usage_add(p, h);
	PROF_MOST(p, h, ticker_late_max_ns);
	add_ticker_cost(&p->ticker_cost, &h->ticker_cost);
	add_python(p, h->python);
	add_python(p, h->python_other);
}

static bool calibrate(struct profile *p, const struct raw_file *raw,
		      const struct profile_size *before, double ns_per_unit)
{
	const uint32_t tables = before->count[MODEL_TABLE], entries = before->count[MODEL_ENTRY];

	if (raw_header(raw)->flags & SCP_FILE_MERGED)
		return true;
	if (raw_header(raw)->flags & SCP_FILE_LENGTHS)
		calibrate_to_ns(p, tables, entries, ns_per_unit);
	steal_limit(p, tables, raw_header(raw));
	return calibrate_file(p, tables, entries, ns_per_unit);
}

/* Longest first; ties by when and by whom. */
ARRAY_COMPARE(by_length, struct prof_slowest,
	      ARRAY_ORDER(b->units, a->units)
		      ?: PROF_ORDER(a, b, ended_real_ns, began_at, pid, tid, entry))

static void join_asked(struct profile *p, const struct scp_slowest_asked *asked)
{
	struct scp_slowest_asked *all = &p->slowest_asked;
	bool first = p->index->files == 0;

	if (!first && (asked->count != all->count || asked->least_ns != all->least_ns))
		all->flags |= SCP_SLOWEST_MIXED;
	PROF_MOST(all, asked, count, least_ns);
	all->flags |= asked->flags & (SCP_SLOWEST_MIXED | SCP_SLOWEST_UNREAD | SCP_SLOWEST_CHOSEN);
	all->lost += asked->lost;
}

/* A file that was asked for `asked` has joined the model, its calls standing from `first` on: keep
 * the longest of all. Each table has its own slowest calls, as many as were asked for, so the
 * slowest of all tables are among them. Where files were asked for different things that holds only
 * for the calls that all of them would have kept: the list is marked as mixed. */
static void join_slowest(struct profile *p, const struct scp_slowest_asked *asked, uint32_t first,
			 double ns_per_unit)
{
	uint32_t kept = first;

	join_asked(p, asked);
	/* The target did not know the threshold exactly. */
	for (uint32_t i = first; i < p->slowests; i++)
		if ((double)p->slowest[i].units * ns_per_unit >= (double)asked->least_ns)
			p->slowest[kept++] = p->slowest[i];
	p->slowests = kept;
	ARRAY_SORT(p->slowest, p->slowests, by_length);
	if (p->slowests > p->slowest_asked.count)
		p->slowests = p->slowest_asked.count;
}

/* The reader's lists know where records lie until the file is closed: live reading needs that
 * longer. -1: out of memory. */
static int note_offsets(struct prof_places *places, const struct raw_file *raw)
{
	const struct raw_list *entries = &raw->list[SCP_REC_ENTRY];

	places->place = calloc((size_t)entries->count + 1, sizeof(*places->place));
	if (!places->place)
		return -1;
	for (uint32_t i = 0; i < entries->count; i++) {
		const struct raw_ref *e = &entries->ref[i];
		const struct scp_entry *record = raw_record(raw, e);

		places->place[i] = (struct prof_place){
			.table = e->table,
			.id = e->id,
			.path = record->path,
			.function = record->function,
			.entry_at = (uint64_t)e->at * SCP_RECORD_ALIGN,
		};
	}
	places->places = entries->count;
	return 0;
}

enum added { ADDED, UNREADABLE, NOT_ADDED };

/* Samples alone are of processes that are in the model: they have no clock, nor anything else that
 * is added up. */
static enum added try_samples(struct profile *p, const struct raw_file *raw,
			      struct profile_error *err)
{
	struct profile_size before = profile_size(p);
	struct prof_sampling sampling = p->sampling;

	if (!p->processes) {
		error_fail(err, raw->path,
			   "has samples alone, of processes whose profiles lie beside it.\nName "
			   "those, too, or the folder.");
		return UNREADABLE;
	}
	if (!load_raw(p, raw)) {
		p->foreign |= raw->owner && raw->owner != geteuid();
		return ADDED;
	}
	profile_shrink(p, &before);
	p->sampling = sampling;
	error_no_memory(err, raw->path);
	return NOT_ADDED;
}

/* Takes the descriptor; -1: the path is opened. */
static enum added try_file(struct profile *p, const char *path, int fd, uint64_t most_bytes,
			   bool links, struct prof_places *places, struct profile_error *err)
{
	struct raw_file raw = {.path = path, .fd = fd, .most_bytes = most_bytes};
	struct profile_size before = profile_size(p);
	struct file_clocks clocks;
	enum added result = ADDED;

	err->text[0] = 0;
	if (profile_file_open(&raw, links, err))
		return UNREADABLE;
	if (raw_header(&raw)->flags & SCP_FILE_SAMPLES) {
		result = try_samples(p, &raw, err);
		profile_file_close(&raw);
		return result;
	}
	if (clocks_resolve(path, raw_header(&raw), &clocks, err))
		result = UNREADABLE;
	else if (clocks_check(p, path, &clocks, err))
		result = NOT_ADDED;
	if (result == ADDED &&
	    (load_raw(p, &raw) || !calibrate(p, &raw, &before, clocks.fast.ns_per_unit) ||
	     (places && note_offsets(places, &raw)))) {
		profile_shrink(p, &before);
		error_no_memory(err, path);
		result = NOT_ADDED;
	}
	if (result == ADDED) {
		add_header(p, raw_header(&raw));
		p->foreign |= raw.owner && raw.owner != geteuid();
		clocks_take(p, raw_header(&raw)->machine, raw_header(&raw)->boot_id, &clocks);
		clocks_add_overhead(p, raw_header(&raw),
				    clocks_depth(p, before.count[MODEL_ENTRY], p->entries, NULL));
		join_slowest(p, &raw_header(&raw)->slowest, before.count[MODEL_SLOWEST],
			     clocks.fast.ns_per_unit);
		p->index->files++;
	}
	profile_file_close(&raw);
	return result;
}

static int add_file(struct profile *p, const char *path, int fd, uint64_t most_bytes, bool links,
		    struct prof_places *places, struct profile_error *err)
{
	return try_file(p, path, fd, most_bytes, links, places, err) == ADDED ? 0 : -1;
}

int profile_add(struct profile *p, const char *path, struct profile_error *err)
{
	return add_file(p, path, -1, PROF_MOST_BYTES, false, NULL, err);
}

int profile_add_open(struct profile *p, int fd, uint64_t most_bytes, struct profile_error *err)
{
	int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	if (own < 0)
		return error_fail(err, "profile", "cannot read: %s", strerror(errno));
	return add_file(p, "profile", own, most_bytes, true, NULL, err);
}

int profile_add_placed(struct profile *p, const char *path, int fd, struct prof_places *places,
		       struct profile_error *err)
{
	int own = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);

	*places = (struct prof_places){0};
	if (!add_file(p, path, own, PROF_MOST_BYTES, false, places, err))
		return 0;
	free(places->place);
	*places = (struct prof_places){0};
	return -1;
}

struct profile *profile_open(const char *const *paths, size_t count, struct profile_error *err)
{
	return profile_open_told(paths, count, &(struct profile_listener){0}, err);
}

/* How many were read; 0 and *err where one that must not fails, or all do. */
static size_t add_all(struct profile *p, const char *const *paths, size_t count,
		      const struct profile_listener *to, struct profile_error *err)
{
	size_t added = 0, done = 0;

	/* samples alone behind what they are of */
	for (size_t k = 0; k < 2 * count; k++) {
		size_t i = k % count;

		bool comes_last = !strcmp(basename(paths[i]), PROF_SAMPLES_FILE);

		if (comes_last != k / count)
			continue;
		enum added result = try_file(p, paths[i], -1, PROF_MOST_BYTES, true, NULL, err);

		if (result == NOT_ADDED || (result == UNREADABLE && !to->left_out))
			return 0;
		if (result == UNREADABLE)
			to->left_out(to->context, err);
		added += result == ADDED;
		if (to->told)
			to->told(to->context, ++done, count);
	}
	return added;
}

struct profile *profile_open_told(const char *const *paths, size_t count,
				  const struct profile_listener *to, struct profile_error *err)
{
	struct profile *p = profile_new();

	if (!p) {
		error_no_memory(err, count ? paths[0] : "profile");
		return NULL;
	}
	if (count && !add_all(p, paths, count, to, err)) {
		profile_free(p);
		return NULL;
	}
	intern_paths_rest(p);
	return p;
}

ARRAY_COMPARE(compare_places, struct prof_place, PROF_ORDER(a, b, table, id))

struct prof_place *entry_offsets_find(const struct prof_places *places, uint32_t table, uint32_t id)
{
	const struct prof_place wanted = {.table = table, .id = id};

	return places->places ? bsearch(&wanted, places->place, places->places,
					sizeof(*places->place), compare_places)
			      : NULL;
}
