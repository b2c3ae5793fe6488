// SPDX-License-Identifier: GPL-3.0-or-later
/* The clocks of a model are those of the file with the longest span, whose rate is known best; what
 * a call adds is the mean over all files. */
#include "profile/model/clocks.h"

#include <string.h>

#include "profile/model/model.h"

int clocks_resolve(const char *path, const struct scp_header *h, struct file_clocks *c,
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

int clocks_check(const struct profile *p, const char *path, const struct file_clocks *c,
		 struct profile_error *err)
{
	const struct profile_index *x = p->index;

	if (!x->has_clock)
		return 0;
	if (rate_check_same(path, &p->clock, &x->clock, &c->fast, &c->fast_raw, err))
		return -1;
	return rate_check_same(path, &p->slow, &x->slow, &c->slow, &c->slow_raw, err);
}

void clocks_take(struct profile *p, uint32_t machine, const uint8_t boot_id[16],
		 const struct file_clocks *c)
{
	struct profile_index *x = p->index;
	uint32_t requested = x->has_clock ? p->clock.requested : c->fast.requested;

	if (!x->has_clock || rate_span_ns(&c->fast_raw) > rate_span_ns(&x->clock)) {
		p->clock = c->fast;
		x->clock = c->fast_raw;
		p->clock.requested = requested;
		x->machine = machine;
		memcpy(x->boot_id, boot_id, sizeof x->boot_id);
	}
	if (!x->has_clock || rate_span_ns(&c->slow_raw) > rate_span_ns(&x->slow)) {
		p->slow = c->slow;
		x->slow = c->slow_raw;
	}
	x->has_clock = true;
}

/* In the proportions that the model knows. */
static void add_ways(struct overhead_depth *d, const struct prof_sums *s, double calls)
{
	for (unsigned i = 0; s->calls && i < SCP_WAYS; i++)
		d->way_calls[i] += calls * (double)s->way_calls[i] / (double)s->calls;
}

struct overhead_depth clocks_depth(const struct profile *p, uint32_t first, uint32_t end,
				   const uint64_t *now)
{
	struct overhead_depth d = {0};

	for (uint32_t i = first; i < end; i++) {
		uint32_t frames = p->path[p->entry[i].path].frames;
		double calls = (double)(now ? now[i] : p->entry[i].sums.calls);

		d.calls += calls;
		d.long_calls += frames > SCP_COST_SHORT_FRAMES ? calls : 0;
		d.frames += calls * frames;
		add_ways(&d, &p->entry[i].sums, calls);
	}
	return d;
}

void clocks_conclude_overhead(struct profile *p)
{
	const struct profile_index *x = p->index;

	p->clock.overhead = overhead_mean(&x->overhead, &x->depth);
	p->slow.overhead = overhead_mean(&x->slow_overhead, &x->depth);
	p->slow.overhead.inner_ns = p->clock.overhead.inner_ns;
	p->slow.overhead.inner_error_ns = p->clock.overhead.inner_error_ns;
}

void clocks_add_depth(struct overhead_depth *to, const struct overhead_depth *d)
{
	to->calls += d->calls;
	to->long_calls += d->long_calls;
	to->frames += d->frames;
	for (unsigned i = 0; i < SCP_WAYS; i++)
		to->way_calls[i] += d->way_calls[i];
}

void clocks_add_overhead(struct profile *p, const struct scp_header *h, struct overhead_depth d)
{
	struct profile_index *x = p->index;

	clocks_add_depth(&x->depth, &d);
	overhead_add(&x->overhead, &h->overhead_first, &h->overhead_last, d.calls);
	if (h->flags & SCP_FILE_DUAL)
		overhead_add(&x->slow_overhead, &h->slow_overhead_first, &h->slow_overhead_last,
			     d.calls);
	overhead_add_ways(&x->overhead, &h->ways_first, &h->ways_last, d.calls);
	overhead_add_ways(&x->slow_overhead, &h->slow_ways_first, &h->slow_ways_last, d.calls);
	overhead_add_inner(&x->overhead, &h->inner_first, &h->inner_last, d.calls);
	clocks_conclude_overhead(p);
}

/* As if all had been added just now; what has no header now (NULL) makes that impossible. */
static int add_again(struct profile *p, const struct profile_moment *file, size_t files)
{
	struct profile_error err;
	struct file_clocks clocks;

	for (size_t i = 0; i < files; i++) {
		uint32_t first = file[i].first, end = first + file[i].entries;

		if (!file[i].header || overhead_check("", file[i].header, &err) ||
		    clocks_resolve("", file[i].header, &clocks, &err) ||
		    clocks_check(p, "", &clocks, &err))
			return -1;
		clocks_take(p, file[i].header->machine, file[i].header->boot_id, &clocks);
		clocks_add_overhead(p, file[i].header, clocks_depth(p, first, end, file[i].calls));
	}
	return 0;
}

int profile_renew_clocks(struct profile *p, const struct profile_moment *file, size_t files)
{
	struct profile_index before = *p->index;
	struct prof_clock fast = p->clock, slow = p->slow;

	p->index->has_clock = false;
	p->index->overhead = p->index->slow_overhead = (struct overhead_sum){0};
	p->index->depth = (struct overhead_depth){0};
	if (!add_again(p, file, files))
		return 0;
	*p->index = before;
	p->clock = fast;
	p->slow = slow;
	return -1;
}
