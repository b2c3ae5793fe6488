// SPDX-License-Identifier: GPL-3.0-or-later
/* The model's life: new, add a file, free.
 *
 * A file is read and checked whole before the model is touched; if memory runs
 * out half way the model goes back to what it was.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile/model/account.h"
#include "profile/model/intern_paths.h"
#include "profile/base/error.h"
#include "profile/model/filters.h"
#include "profile/model/intern.h"
#include "profile/read/load.h"
#include "profile/live/entry_offsets.h"
#include "profile/model/rate.h"
#include "profile/model/slowest.h"

struct profile *profile_new(void)
{
	struct profile *p = calloc(1, sizeof *p);

	if (p && !(p->index = calloc(1, sizeof *p->index))) {
		free(p);
		return NULL;
	}
	if (p)
		p->clock.overhead = p->slow.overhead =
			overhead_mean(&p->index->overhead, &p->index->depth);
	return p;
}

struct profile_size profile_size(const struct profile *p)
{
	return (struct profile_size){p->processes,  p->tables,	p->modules, p->paths,
				     p->functions,  p->entries, p->gaps,    p->slowests,
				     p->site_costs, p->accounts};
}

void profile_shrink(struct profile *p, const struct profile_size *size)
{
	intern_rollback(p, size->modules, size->functions, size->paths);
	while (p->processes > size->processes) {
		struct prof_process *q = &p->process[--p->processes];

		free(q->exe);
		free(q->program);
		free(q->argv);
		free(q->file);
	}
	while (p->entries > size->entries)
		sums_free(&p->entry[--p->entries].sums);
	p->tables = size->tables;
	p->gaps = size->gaps;
	p->slowests = size->slowests;
	p->site_costs = size->site_costs;
	while (p->accounts > size->accounts)
		account_clear(&p->account[--p->accounts]);
}

void profile_free(struct profile *p)
{
	if (!p)
		return;
	profile_shrink(p, &(struct profile_size){0});
	free(p->process);
	free(p->table);
	free(p->module);
	free(p->path);
	free(p->function);
	free(p->entry);
	free(p->gap);
	free(p->slowest);
	free(p->site_cost);
	free(p->account);
	intern_paths_free(p);
	free(p->index);
	free(p);
}

/* The file's clocks, as they are in it and as they were worked out. */
struct file_clocks {
	struct scp_clock fast_raw, slow_raw;
	struct prof_clock fast, slow;
};

static int resolve_clocks(const char *path, const struct scp_header *h, struct file_clocks *c,
			  struct profile_error *err)
{
	*c = (struct file_clocks){.fast_raw = h->clock};
	if (rate_resolve(path, h, &c->fast_raw, &c->fast, err))
		return -1;
	if (!(h->flags & SCP_FILE_DUAL))
		return 0;
	c->slow_raw = h->slow_clock;
	return rate_resolve(path, h, &c->slow_raw, &c->slow, err);
}

static int check_clocks(const struct profile *p, const char *path, const struct file_clocks *c,
			struct profile_error *err)
{
	const struct profile_index *x = p->index;

	if (!x->has_clock)
		return 0;
	if (rate_check_same(path, &p->clock, &x->clock, &c->fast, &c->fast_raw, err))
		return -1;
	return rate_check_same(path, &p->slow, &x->slow, &c->slow, &c->slow_raw, err);
}

static void take_clocks(struct profile *p, const struct scp_header *h, const struct file_clocks *c)
{
	struct profile_index *x = p->index;
	uint32_t requested = x->has_clock ? p->clock.requested : c->fast.requested;

	if (!x->has_clock || rate_span_ns(&c->fast_raw) > rate_span_ns(&x->clock)) {
		p->clock = c->fast;
		x->clock = c->fast_raw;
		p->clock.requested = requested;
		x->machine = h->machine;
		memcpy(x->boot_id, h->boot_id, sizeof x->boot_id);
	}
	if (!x->has_clock || rate_span_ns(&c->slow_raw) > rate_span_ns(&x->slow)) {
		p->slow = c->slow;
		x->slow = c->slow_raw;
	}
	x->has_clock = true;
}

/* How deep the calls of the entries from `first` on, and before `end`, are. `now`: calls of each
 * entry of the model; NULL: as the model has them. */
static struct overhead_depth depth_of(const struct profile *p, uint32_t first, uint32_t end,
				      const uint64_t *now)
{
	struct overhead_depth d = {0, 0, 0};

	for (uint32_t i = first; i < end; i++) {
		uint32_t frames = p->path[p->entry[i].path].frames;
		double calls = (double)(now ? now[i] : p->entry[i].sums.calls);

		d.calls += calls;
		d.long_calls += frames > SCP_COST_SHORT_FRAMES ? calls : 0;
		d.frames += calls * frames;
	}
	return d;
}

/* After take_clocks, which may take the clock of the new file. */
static void add_overhead(struct profile *p, const struct scp_header *h, struct overhead_depth d)
{
	struct profile_index *x = p->index;

	x->depth.calls += d.calls;
	x->depth.long_calls += d.long_calls;
	x->depth.frames += d.frames;
	overhead_add(&x->overhead, &h->overhead_first, &h->overhead_last, d.calls);
	if (h->flags & SCP_FILE_DUAL)
		overhead_add(&x->slow_overhead, &h->slow_overhead_first, &h->slow_overhead_last,
			     d.calls);
	overhead_add_inner(&x->overhead, &h->inner_first, &h->inner_last, d.calls);
	overhead_add_inner(&x->slow_overhead, &h->inner_first, &h->inner_last, d.calls);
	p->clock.overhead = overhead_mean(&x->overhead, &x->depth);
	p->slow.overhead = overhead_mean(&x->slow_overhead, &x->depth);
}

/* As if all had been added just now; what has no header now (NULL) makes that impossible. */
static int add_again(struct profile *p, const struct profile_moment *file, size_t files)
{
	struct profile_error err;
	struct file_clocks clocks;

	for (size_t i = 0; i < files; i++) {
		uint32_t first = file[i].first, end = first + file[i].entries;

		if (!file[i].header || overhead_check("", file[i].header, &err) ||
		    resolve_clocks("", file[i].header, &clocks, &err) ||
		    check_clocks(p, "", &clocks, &err))
			return -1;
		take_clocks(p, file[i].header, &clocks);
		add_overhead(p, file[i].header, depth_of(p, first, end, file[i].calls));
	}
	return 0;
}

int profile_renew_clocks(struct profile *p, const struct profile_moment *file, size_t files)
{
	struct profile_index before = *p->index;
	struct prof_clock fast = p->clock, slow = p->slow;

	p->index->has_clock = false;
	p->index->overhead = p->index->slow_overhead = (struct overhead_sum){0};
	p->index->depth = (struct overhead_depth){0, 0, 0};
	if (!add_again(p, file, files))
		return 0;
	*p->index = before;
	p->clock = fast;
	p->slow = slow;
	return -1;
}

static void add_losses(struct scp_losses *to, const struct scp_losses *from)
{
	to->skipped_calls += from->skipped_calls;
	to->abandoned_calls += from->abandoned_calls;
	to->overflow_calls += from->overflow_calls;
	to->overflow_gaps += from->overflow_gaps;
	to->overflow_gap_units += from->overflow_gap_units;
	to->overflow_nested_units += from->overflow_nested_units;
	to->unclassified_calls += from->unclassified_calls;
	to->growth_failures += from->growth_failures;
	if (from->growth_errno)
		to->growth_errno = from->growth_errno;
	to->stopped += from->stopped;
	to->sandboxed = to->sandboxed || from->sandboxed;
	to->cut_paths += from->cut_paths;
	to->unwinds += from->unwinds;
	to->memo_flushes += from->memo_flushes;
	to->histogram_losses += from->histogram_losses;
	to->modules_lost += from->modules_lost;
	to->overflow_time_units += from->overflow_time_units;
	to->unmatched_ends += from->unmatched_ends;
}

static void add_header(struct profile *p, const struct scp_header *h)
{
	filters_add(p, h);
	p->flags |= h->flags & (SCP_FILE_DUAL | SCP_FILE_HISTOGRAMS | SCP_FILE_MERGED |
				SCP_FILE_NO_SYMBOLS | SCP_FILE_WINDOWS | SCP_FILE_FILTERS_DIFFER);
	if (!*p->no_symbols)
		memcpy(p->no_symbols, h->no_symbols, sizeof(p->no_symbols) - 1);
	if (!*p->preceded)
		memcpy(p->preceded, h->preceded, sizeof(p->preceded) - 1);
	p->groups |= h->groups;
	add_losses(&p->losses, &h->losses);
	p->ticker_ticks += h->ticker_ticks;
	p->ticker_late_sum_ns += h->ticker_late_sum_ns;
	if (h->ticker_late_max_ns > p->ticker_late_max_ns)
		p->ticker_late_max_ns = h->ticker_late_max_ns;
	p->ticker_late_ticks += h->ticker_late_ticks;
}

enum added { ADDED, UNREADABLE, NOT_ADDED };

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
	if (resolve_clocks(path, raw_header(&raw), &clocks, err))
		result = UNREADABLE;
	else if (check_clocks(p, path, &clocks, err))
		result = NOT_ADDED;
	if (result == ADDED &&
	    (load_raw(p, &raw) || (places && entry_offsets_note(places, &raw)))) {
		profile_shrink(p, &before);
		error_no_memory(err, path);
		result = NOT_ADDED;
	}
	if (result == ADDED) {
		add_header(p, raw_header(&raw));
		p->foreign |= raw.owner && raw.owner != geteuid();
		take_clocks(p, raw_header(&raw), &clocks);
		add_overhead(p, raw_header(&raw), depth_of(p, before.entries, p->entries, NULL));
		slowest_join(p, &raw_header(&raw)->slowest, before.slowests,
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
	return add_file(p, path, -1, PROF_MOST_BYTES, true, NULL, err);
}

int profile_add_unlinked(struct profile *p, const char *path, struct profile_error *err)
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

int profile_add_placed(struct profile *p, const char *path, struct prof_places *places,
		       struct profile_error *err)
{
	*places = (struct prof_places){0};
	if (!add_file(p, path, -1, PROF_MOST_BYTES, false, places, err))
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
	size_t added = 0;

	for (size_t i = 0; i < count; i++) {
		enum added result = try_file(p, paths[i], -1, PROF_MOST_BYTES, true, NULL, err);

		if (result == NOT_ADDED || (result == UNREADABLE && !to->left_out))
			return 0;
		if (result == UNREADABLE)
			to->left_out(to->context, err);
		added += result == ADDED;
		if (to->told)
			to->told(to->context, i + 1, count);
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
