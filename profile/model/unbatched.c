// SPDX-License-Identifier: GPL-3.0-or-later
/* The stretches of unbatched calls, thread by thread and batch by batch. */
#include "profile/model/addition.h"

static void add_stretch(struct prof_apart *sum, prof_u128 calls, prof_u128 units, prof_u128 slow)
{
	sum->stretches++;
	sum->calls_sq += calls * calls;
	sum->calls_units += calls * units;
	sum->units_sq += units * units;
	sum->slow_calls_units += calls * slow;
	sum->slow_units_sq += slow * slow;
}

static void add_all(struct prof_apart *sum, const struct prof_apart *more)
{
	sum->stretches += more->stretches;
	sum->calls_sq += more->calls_sq;
	sum->calls_units += more->calls_units;
	sum->units_sq += more->units_sq;
	sum->slow_calls_units += more->slow_calls_units;
	sum->slow_units_sq += more->slow_units_sq;
}

/* NULL: the slow clock has no batches over the same calls. */
static const uint64_t *slow_sums(const struct prof_sums *s)
{
	return s->slow && s->slow->batches.count == s->batches.count ? s->slow->batches.sum : NULL;
}

/* What is left of one thread is one stretch. */
static void add_rest(struct prof_apart *sum, const struct prof_sums *s, uint64_t slow_units,
		     uint32_t kept)
{
	const uint64_t *slow = slow_sums(s);
	uint64_t calls = s->calls - kept * s->batches.calls, units = s->units;

	for (uint32_t i = 0; i < kept; i++) {
		units -= s->batches.sum[i];
		slow_units -= slow ? slow[i] : 0;
	}
	if (calls)
		add_stretch(sum, calls, units, slow_units);
}

void unbatched_add(struct prof_apart *sum, const struct prof_sums *s, uint64_t slow_units,
		   uint64_t calls)
{
	const uint64_t *slow = slow_sums(s);
	uint64_t each = s->batches.calls;
	uint32_t kept = 0;

	if (calls && each && s->batches.count) {
		uint64_t group = calls / each ? calls / each : 1;

		kept = (uint32_t)(s->batches.count / group * group);
	}
	if (!s->apart) {
		add_rest(sum, s, slow_units, kept);
		return;
	}
	add_all(sum, s->apart);
	for (uint32_t i = kept; i < s->batches.count; i++)
		add_stretch(sum, each, s->batches.sum[i], slow ? slow[i] : 0);
}
