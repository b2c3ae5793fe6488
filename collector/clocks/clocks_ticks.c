// SPDX-License-Identifier: GPL-3.0-or-later
/* What a reader sees of a coarse clock. A reader can be interrupted too: a change
 * that it saw late is left out of the lengths, and ticks that it missed count as
 * ticks, but are no fault of the clock. */
#include "collector/clocks/clocks.h"

#include <math.h>
#include <stdlib.h>

#define FEWEST	   8
#define MOST_TICKS 1e7
#define BATCHES	   16
#define CONFIDENCE 0.95
/* A change is seen sharply if the two readings round it lie this close, as a
 * part of the tick: finer than its length is to be known. */
#define SHARP 0.05

void clocks_ticks_note(struct tick_watch *w, uint64_t reading, uint64_t before_ns,
		       uint64_t after_ns)
{
	if (w->begun && reading != w->last && w->count < w->room)
		w->seen[w->count++] = (struct tick_seen){w->last_before_ns, after_ns, reading};
	w->begun = 1;
	w->last = reading;
	w->last_before_ns = before_ns;
}

static double middle_ns(const struct tick_seen *t)
{
	return ((double)t->after_ns + (double)t->by_ns) / 2;
}

static double ticks_between(const struct tick_seen *a, const struct tick_seen *b,
			    double units_a_tick)
{
	return round((double)(int64_t)(b->reading - a->reading) / units_a_tick);
}

static bool is_sharp(const struct tick_seen *t, double tick_ns)
{
	return (double)(t->by_ns - t->after_ns) <= SHARP * tick_ns;
}

size_t clocks_ticks_sharp(const struct tick_watch *w, double tick_ns, struct tick_seen *sharp)
{
	size_t count = 0;

	for (size_t i = 0; i < w->count; i++)
		if (is_sharp(&w->seen[i], tick_ns)) {
			if (sharp)
				sharp[count] = w->seen[i];
			count++;
		}
	return count;
}

/* Lengths of ticks. Several at once count as one long tick and others of length 0. */
static size_t take_lengths(const struct tick_watch *w, double units_a_tick, double tick_ns,
			   double *length, size_t room)
{
	size_t count = 0;

	for (size_t i = 1; i < w->count; i++) {
		const struct tick_seen *from = &w->seen[i - 1], *to = &w->seen[i];
		double ticks = ticks_between(from, to, units_a_tick);

		if (!is_sharp(from, tick_ns) || !is_sharp(to, tick_ns))
			continue;
		for (double tick = 0; tick < ticks && count < room; tick++)
			length[count++] = tick == 0 ? middle_ns(to) - middle_ns(from) : 0;
	}
	return count;
}

/* `seen`: sharp ones, `last` + 1 of them. */
static void set_mean(const struct tick_seen *seen, size_t last, double units_a_tick,
		     struct tick_summary *s)
{
	double batch[BATCHES];
	size_t batches = last / 4 < BATCHES ? last / 4 : BATCHES;

	for (size_t b = 0; b < batches; b++) {
		const struct tick_seen *from = &seen[last * b / batches];
		const struct tick_seen *to = &seen[last * (b + 1) / batches];

		batch[b] =
			(middle_ns(to) - middle_ns(from)) / ticks_between(from, to, units_a_tick);
	}
	struct replications_mean m = replications_mean(batch, batches, CONFIDENCE);
	double whole = middle_ns(&seen[last]) - middle_ns(&seen[0]);

	s->mean_ns = whole / (double)s->ticks;
	if (batches < 2)
		return;
	s->low_ns = s->mean_ns - (m.high - m.mean);
	s->high_ns = s->mean_ns + (m.high - m.mean);
}

static void set_spread(double *length, size_t count, struct tick_summary *s)
{
	double sum = 0, squares = 0;

	s->lengths = count;
	if (count < FEWEST)
		return;
	replications_median(length, count); /* sorts */
	for (size_t i = 0; i < count; i++)
		sum += length[i];
	for (size_t i = 0; i < count; i++)
		squares += pow(length[i] - sum / (double)count, 2);
	s->sd_ns = sqrt(squares / (double)(count - 1));
	s->min_ns = length[0];
	s->p10_ns = replications_quantile(length, count, 0.1);
	s->p50_ns = replications_quantile(length, count, 0.5);
	s->p90_ns = replications_quantile(length, count, 0.9);
	s->max_ns = length[count - 1];
}

/* k ticks at once need k - 1 ticks of time, be they of the shortest; counted from
 * when the old reading was last seen. */
static void find_together(const struct tick_watch *w, double units_a_tick, double tick_ns,
			  double shortest, struct tick_summary *s)
{
	for (size_t i = 1; i < w->count; i++) {
		double more = ticks_between(&w->seen[i - 1], &w->seen[i], units_a_tick) - 1;
		double blind_ns = (double)(w->seen[i].by_ns - w->seen[i].after_ns);

		if (more < 1 || blind_ns >= more * shortest * tick_ns)
			continue;
		s->together++;
		s->together_max_ns = fmax(s->together_max_ns, more * tick_ns);
	}
}

void clocks_ticks_summarise(const struct tick_watch *w, double unit_ns, double tick_ns,
			    double shortest, struct tick_summary *s)
{
	double units_a_tick = tick_ns / unit_ns;

	/* nothing was seen, and no length is known */
	*s = (struct tick_summary){0, 0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0, 0};
	if (w->count < FEWEST)
		return;
	struct tick_seen *sharp = calloc(w->count, sizeof(*sharp));
	size_t count = sharp ? clocks_ticks_sharp(w, tick_ns, sharp) : 0;
	double ticks =
		count < FEWEST ? 0 : ticks_between(&sharp[0], &sharp[count - 1], units_a_tick);
	/* otherwise it went back, or its tick is not the stated one: nothing to divide by */
	if (count >= FEWEST && ticks >= (double)count - 1 && ticks <= MOST_TICKS) {
		s->ticks = (uint64_t)ticks;
		set_mean(sharp, count - 1, units_a_tick, s);
		find_together(w, units_a_tick, tick_ns, shortest, s);
		double *length = calloc(s->ticks, sizeof(*length));
		if (length)
			set_spread(length, take_lengths(w, units_a_tick, tick_ns, length, s->ticks),
				   s);
		free(length);
	}
	free(sharp);
}
