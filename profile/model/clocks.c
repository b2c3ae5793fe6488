// SPDX-License-Identifier: GPL-3.0-or-later
/* The clocks of a model are those of the file with the longest span, whose rate is known best; what
 * a call adds is the mean over all files. */
#include "profile/model/clocks.h"

#include <elf.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "include/scprof_names.h"
#include "profile/model/model.h"
#include "profile/base/counter.h"
#include "profile/base/error.h"

/* How long a unit of a clock is, and how well that is known. A counter's rate is measured, never
 * guessed from the CPU's name: from the run's own anchors where these lie far enough apart, else on
 * this machine if the run was made on it since it was booted. */

#define GOOD_ERROR	1e-4 /* relative, of a rate from anchors */
#define TOLERABLE_ERROR 0.05 /* better than no report at all; rate_error says it */
#define SAME_RATE	1e-3
#define ENOUGH_TICKS	1000	     /* of a page clock, for its mean tick to be measured */
#define TICKER_ERROR	1e-3	     /* of a ticker that nobody could measure */
#define CALIBRATION_NS	20000000     /* is waited for at most */
#define OLDEST_NS	60000000000u /* the machine may have slept since an older anchor */

/* Between the anchors, ns; 0 where they are of no use. */
static double rate_span_ns(const struct scp_clock *c)
{
	if (c->last.clock_at <= c->first.clock_at || c->last.mono_ns <= c->first.mono_ns)
		return 0;
	return (double)(c->last.mono_ns - c->first.mono_ns);
}

/* Relative uncertainty of the rate between the anchors; infinite without a span. */
static double anchor_error(const struct scp_clock *c)
{
	double span = rate_span_ns(c);

	return span > 0 ? ((double)c->first.width_ns + (double)c->last.width_ns) / span : INFINITY;
}

static void use_anchors(const struct scp_clock *c, struct prof_clock *out)
{
	out->ns_per_unit = rate_span_ns(c) / (double)(c->last.clock_at - c->first.clock_at);
	out->rate_error = anchor_error(c);
}

#ifdef __x86_64__
#define OUR_MACHINE EM_X86_64
#else
#define OUR_MACHINE EM_AARCH64
#endif

static struct scp_anchor first_here, last_here;
static bool begun;

void rate_begin(void)
{
	first_here = counter_pair(counter_read_ordered);
	begun = true;
}

/* Waits for what lacks of a good rate. */
static void take_anchors(void)
{
	if (!begun || counter_raw_ns() - first_here.mono_ns > OLDEST_NS)
		rate_begin();
	last_here = counter_pair(counter_read_ordered);
	double width = (double)(first_here.width_ns + last_here.width_ns);
	double lacks = 2 * width / GOOD_ERROR - (double)(last_here.mono_ns - first_here.mono_ns);
	if (lacks <= width / GOOD_ERROR)
		return;
	struct timespec pause = {.tv_nsec = lacks < CALIBRATION_NS ? (long)lacks : CALIBRATION_NS};
	nanosleep(&pause, NULL);
	last_here = counter_pair(counter_read_ordered);
}

/* Once for all files, whichever thread reads the first. */
static void calibrate_here(struct scp_clock *c)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, take_anchors);
	c->first = first_here;
	c->last = last_here;
}

static bool recorded_since_boot(const struct scp_header *h)
{
	static const uint8_t unknown[16];
	uint8_t id[16];
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
	size_t n = 0;

	while (f && n < sizeof id && fscanf(f, "%*1[-]") >= 0 && fscanf(f, "%2hhx", &id[n]) == 1)
		n++;
	if (f)
		fclose(f);
	return n == sizeof id && memcmp(id, h->boot_id, sizeof id) == 0 &&
	       memcmp(id, unknown, sizeof id) != 0;
}

static int resolve_counter(const char *path, const struct scp_header *h, struct scp_clock *c,
			   struct prof_clock *out, struct profile_error *err)
{
	if (anchor_error(c) <= GOOD_ERROR) {
		use_anchors(c, out);
		return 0;
	}
	if (h->machine == OUR_MACHINE && recorded_since_boot(h)) {
		calibrate_here(c);
		use_anchors(c, out);
		if (isfinite(out->rate_error))
			return 0;
	}
	if (c->unit_ps) {
		out->ns_per_unit = (double)c->unit_ps / 1000;
		out->rate_error = 0.5 / (double)c->unit_ps;
		return 0;
	}
	if (anchor_error(c) <= TOLERABLE_ERROR) {
		use_anchors(c, out);
		return 0;
	}
	return error_fail(
		err, path,
		"cannot know the rate of the counter: the program ended too soon to measure "
		"it.\nReport it on the machine that recorded it, before the next boot, or "
		"record with -c monotonic.");
}

/* Ticks are uniform in [d/2, 3d/2]: five deviations of their number, and both ends. */
static double missing_ticks(const struct scp_clock *c)
{
	double due = rate_span_ns(c) * 1000 / (double)c->unit_ps;
	double came = (double)(c->last.clock_at - c->first.clock_at);

	return due - came > 5 * sqrt(due / 12) + 2 ? 1 - came / due : 0;
}

static int resolve_ticker(const char *path, const struct scp_clock *c, struct prof_clock *out,
			  struct profile_error *err)
{
	uint64_t ticks = rate_span_ns(c) > 0 ? c->last.clock_at - c->first.clock_at : 0;

	out->missing = ticks && c->unit_ps ? missing_ticks(c) : 0;
	if (ticks >= ENOUGH_TICKS || (ticks && !c->unit_ps)) {
		use_anchors(c, out);
		out->rate_error += 1 / (double)ticks;
		return 0;
	}
	if (c->unit_ps) {
		out->ns_per_unit = (double)c->unit_ps / 1000;
		out->rate_error = TICKER_ERROR;
		return 0;
	}
	return error_fail(
		err, path,
		"cannot know the length of a tick: the file does not say it and no tick was "
		"seen.\nRecord again, for longer.");
}

int rate_resolve(const char *path, const struct scp_header *h, struct scp_clock *c,
		 struct prof_clock *out, struct profile_error *err)
{
	*out = (struct prof_clock){.kind = c->kind,
				   .flags = c->flags,
				   .requested = h->clock_requested,
				   .ns_per_unit = 1,
				   .resolution_units = c->resolution_units,
				   .read_ns = (double)c->read_ps / 1000};
	if (c->kind == SCP_CLOCK_TSC && resolve_counter(path, h, c, out, err))
		return -1;
	if (c->kind == SCP_CLOCK_PAGE && resolve_ticker(path, c, out, err))
		return -1;
	out->tick_ns = (double)c->resolution_units * out->ns_per_unit;
	return 0;
}

static const char *kind_name(uint32_t kind)
{
	static const char *const name[] = {SCP_CLOCK_NAMES};

	return kind < sizeof name / sizeof name[0] ? name[kind] : "unknown";
}

/* Can counts of the two clocks be added? -1 with a text that says what differs. */
static int rate_check_same(const char *path, const struct prof_clock *have,
			   const struct scp_clock *have_raw, const struct prof_clock *more,
			   const struct scp_clock *more_raw, struct profile_error *err)
{
	static const char *const advice = "Their sums cannot be added: report them one by one.";

	if (have->kind != more->kind)
		return error_fail(err, path,
				  "was recorded with the clock \"%s\", the files before it with "
				  "\"%s\".\n%s",
				  kind_name(more->kind), kind_name(have->kind), advice);
	if (have->resolution_units != more->resolution_units ||
	    (have->kind == SCP_CLOCK_PAGE && have_raw->unit_ps != more_raw->unit_ps))
		return error_fail(err, path,
				  "was recorded with ticks of %g ns, the files before it with %g "
				  "ns.\n%s",
				  more->tick_ns, have->tick_ns, advice);
	if (have->kind == SCP_CLOCK_TSC && fabs(have->ns_per_unit / more->ns_per_unit - 1) >
						   SAME_RATE + have->rate_error + more->rate_error)
		return error_fail(
			err, path,
			"was recorded with a counter of %.6g ns, the files before it with "
			"%.6g ns.\n%s",
			more->ns_per_unit, have->ns_per_unit, advice);
	return 0;
}

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
	PROF_SET(&p->slow.overhead, &p->clock.overhead, inner_ns, inner_error_ns);
}

void clocks_add_depth(struct overhead_depth *to, const struct overhead_depth *d)
{
	PROF_ADD(to, d, calls, long_calls, frames);
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
