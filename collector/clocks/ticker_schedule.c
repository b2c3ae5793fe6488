// SPDX-License-Identifier: GPL-3.0-or-later
/* The arithmetic of the page clock without its thread: a seed and an instant determine the count of
 * ticks, which tests check. */
#include "collector/clocks/ticker.h"

/* Uniform over 2 floor(d/2) + 1 integers around d: the mean is d for odd d as well. */
static uint64_t tick_length(struct tick_schedule *s)
{
	uint64_t half = s->interval_ns / 2;

	return s->interval_ns - half + random_below(&s->random, 2 * half + 1);
}

void ticker_schedule_begin(struct tick_schedule *s, uint64_t interval_ns, uint64_t start_ns,
			   uint64_t seed)
{
	*s = (struct tick_schedule){.interval_ns = interval_ns};
	random_seed(&s->random, seed);
	s->due_ns = start_ns + tick_length(s);
}

uint64_t ticker_schedule_advance(struct tick_schedule *s, uint64_t now_ns)
{
	uint64_t made = 0;

	for (; s->due_ns <= now_ns; made++) {
		uint64_t late_ns = now_ns - s->due_ns;

		s->late_sum_ns += late_ns;
		s->late_ticks += late_ns > s->interval_ns / 2;
		if (late_ns > s->late_max_ns)
			s->late_max_ns = late_ns;
		s->due_ns += tick_length(s);
	}
	s->ticks += made;
	return made;
}
