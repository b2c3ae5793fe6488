// SPDX-License-Identifier: GPL-3.0-or-later
/* From the fluid's windows to those of the estimate: seconds instead of counter units, the
 * program's CPU time in each, and which of them are excluded. */

#include <math.h>
#include <stdlib.h>

#include "collector/displacement/displacement_private.h"
#include "profile/base/array.h"

/* Stolen time disturbs a window by more than itself: caches, and interrupts that waited. The
 * accounting itself varies by a few microseconds. */
#define STOLEN_SHARE 0.005
#define STOLEN_LEAST 20e-6
/* If a larger share of chunks is disturbed, the clock rate changed inside the window. */
#define DISTURBED_SHARE 0.2

void displacement_windows_begin(struct displacement *d)
{
	cpu_times_read(d->before, CPU_SETSIZE);
	d->from = counter_read_ordered();
	for (size_t i = 0; i < d->cpus; i++)
		d->from_ns[i] = fluid_thread_clock_ns(fluid_thread(d->fluid, i));
}

void displacement_windows_end(struct displacement *d)
{
	d->to = counter_read_ordered();
	for (size_t i = 0; i < d->cpus; i++)
		d->to_ns[i] = fluid_thread_clock_ns(fluid_thread(d->fluid, i));
	cpu_times_read(d->after, CPU_SETSIZE);
}

/* The program's CPU seconds until `at`, interpolated between samples. */
static double progress_until(const struct displacement *d, uint64_t at)
{
	const struct progress *p = d->progress;
	size_t low;

	BISECT(low, d->progresses, p[low].at <= at);
	if (!low)
		return 0;
	if (low == d->progresses)
		return (double)p[low - 1].ns / 1e9;
	double span = (double)(p[low].at - p[low - 1].at);
	double share = (double)(at - p[low - 1].at) / span;
	return ((double)p[low - 1].ns + share * (double)(p[low].ns - p[low - 1].ns)) / 1e9;
}

static struct displacement_window convert(const struct displacement *d,
					  const struct fluid_window *f, bool run)
{
	double second = d->rate * 1e9, wall = (double)(f->end - f->begin) / second;
	double waited = (double)f->waited_ns / 1e9, charged = (double)f->charged_ns / 1e9;
	double stolen = wall - waited - charged;

	if (d->irq_measured) {
		/* this kernel charges interrupts to no task: they are in the missing time */
		charged = wall - waited;
		stolen = 0;
	}
	return (struct displacement_window){
		.at = fluid_seconds(d->fluid, f->begin + (f->end - f->begin) / 2, d->rate),
		.span = wall,
		.charged = charged,
		.work = charged - f->progress / second,
		.weight = run ? progress_until(d, f->end) - progress_until(d, f->begin) : 0,
		.switches = f->switches,
		.aside = f->moved || !(f->chunk > 0) ||
			 fabs(stolen) > STOLEN_LEAST + STOLEN_SHARE * charged ||
			 f->disturbed > DISTURBED_SHARE * f->chunks,
	};
}

size_t displacement_windows_first_window(const struct displacement *d, size_t i, uint64_t from)
{
	size_t k;

	BISECT(k, fluid_windows(d->fluid, i), fluid_window(d->fluid, i, k).end <= from);
	return k;
}

int displacement_windows_span(const struct displacement *d, size_t i, uint64_t from, uint64_t to,
			      bool whole, struct displacement_series *out)
{
	size_t first = displacement_windows_first_window(d, i, from),
	       all = fluid_windows(d->fluid, i);

	*out = (struct displacement_series){calloc(all - first + 1, sizeof(*out->window)), 0};
	for (size_t k = first; out->window && k < all; k++) {
		struct fluid_window f = fluid_window(d->fluid, i, k);

		if (f.begin >= to || (whole && f.end > to))
			break;
		if (!whole || f.begin >= from)
			out->window[out->count++] = convert(d, &f, !whole);
	}
	return out->window ? 0 : -1;
}

/* The part of a window inside the run: by charged time for the work of the fluid, by the clock for
 * everything else. */
static void add_part(const struct displacement *d, size_t i, const struct fluid_window *w,
		     struct fluid_sums *s)
{
	double second = d->rate * 1e9, wall = (double)(w->end - w->begin) / second;
	double charged = (double)w->charged_ns, waited = (double)w->waited_ns / 1e9;
	uint64_t begin = w->begin > d->from ? w->begin : d->from,
		 end = w->end < d->to ? w->end : d->to;
	uint64_t from = w->begin > d->from ? w->clock_ns : d->from_ns[i],
		 to = w->end < d->to ? w->clock_ns + w->charged_ns : d->to_ns[i];
	double part = charged > 0 ? fmin(1, fmax(0, (double)(int64_t)(to - from) / charged)) : 0;
	double stolen = part * (wall - waited - charged / 1e9);

	s->charged += part * charged / 1e9;
	s->progress += part * w->progress / second;
	s->stolen += stolen;
	s->switches += part * w->switches;
	s->waited += (double)(end - begin) / second - part * charged / 1e9 - stolen;
}

struct fluid_sums displacement_windows_fluid_sums(const struct displacement *d, size_t i)
{
	size_t all = fluid_windows(d->fluid, i);
	struct fluid_sums s = {0};
	uint64_t end = d->from, end_ns = d->from_ns[i];

	for (size_t k = displacement_windows_first_window(d, i, d->from); k < all && end < d->to;
	     k++) {
		struct fluid_window w = fluid_window(d->fluid, i, k);

		/* the fluid had not begun yet */
		if (w.begin > end)
			s.waited += (double)(w.begin - end) / d->rate / 1e9;
		add_part(d, i, &w, &s);
		end = w.end;
		end_ns = w.clock_ns + w.charged_ns;
	}
	if (end < d->to) {
		/* after the last window the fluid still waits for its CPU: the time charged there
		 * is assumed to be like the rest */
		double rate = s.charged > 0 ? s.progress / s.charged : 1;
		double charged = (double)(int64_t)(d->to_ns[i] - end_ns) / 1e9;

		s.charged += charged;
		s.progress += rate * charged;
		s.waited += (double)(d->to - end) / d->rate / 1e9 - charged;
	}
	return s;
}
