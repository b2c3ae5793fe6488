// SPDX-License-Identifier: GPL-3.0-or-later
/* Sequences of batches, one after the other. Sums simply add; these stay a sequence of equally long
 * runs of calls, for the serial covariance and the line's jackknife. */
#include "profile/model/addition.h"

#include <stdlib.h>
#include <string.h>

#include "profile/base/array.h"

struct sequence {
	uint64_t calls;
	uint32_t count;
	uint64_t sum[SCP_BATCHES];
};

/* What the sum is to have beside the times. */
struct needs {
	bool line, states;
};

/* The parallel sequences of one side. */
struct run {
	struct sequence time, slow;	   /* slow.count 0: none, or not over the same calls */
	struct prof_line *line;		   /* NULL: none */
	struct prof_state_batches *states; /* NULL: none */
	struct prof_tail *tail;		   /* NULL: none */
	bool gone;			   /* this side's batches gave way to the other's */
};

/* Pairs of neighbours become one batch; an odd last one is dropped. */
static void double_batches(struct sequence *b)
{
	b->count /= 2;
	for (uint32_t i = 0; i < b->count; i++)
		b->sum[i] = b->sum[2 * i] + b->sum[2 * i + 1];
	b->calls *= 2;
}

static void double_line(struct prof_line *l, uint32_t pairs)
{
	for (uint32_t i = 0; i < pairs; i++) {
		l->bytes[i] = l->bytes[2 * i] + l->bytes[2 * i + 1];
		l->bytes_sq[i] = l->bytes_sq[2 * i] + l->bytes_sq[2 * i + 1];
		l->bytes_units[i] = l->bytes_units[2 * i] + l->bytes_units[2 * i + 1];
	}
}

#define STATE_SLOTS (sizeof(struct prof_state_batches) / sizeof(uint64_t[SCP_BATCHES]))

static void state_slots(struct prof_state_batches *s, uint64_t *slot[STATE_SLOTS])
{
	uint64_t *const all[] = {s->calls,    s->units,	      s->known,
				 s->weighted, s->runnable_ns, s->asleep_ns};

	_Static_assert(sizeof all / sizeof all[0] == STATE_SLOTS, "all of them");
	memcpy(slot, all, sizeof all);
}

static void double_states(struct prof_state_batches *s, uint32_t pairs)
{
	uint64_t *slot[STATE_SLOTS];

	state_slots(s, slot);
	for (size_t k = 0; k < STATE_SLOTS; k++)
		for (uint32_t i = 0; i < pairs; i++)
			slot[k][i] = slot[k][2 * i] + slot[k][2 * i + 1];
}

static void double_run(struct run *r)
{
	double_batches(&r->time);
	double_batches(&r->slow);
	if (r->line)
		double_line(r->line, r->time.count);
	if (r->states)
		double_states(r->states, r->time.count);
	if (r->tail)
		tails_double(r->tail, r->time.count);
}

static void bring_to_size(struct run *r, uint64_t calls)
{
	while (r->time.count && r->time.calls < calls)
		double_run(r);
}

bool batches_one_size(const struct prof_sums *s, uint64_t *size)
{
	if (!s->has_bytes || s->calls == 0 || s->bytes % s->calls)
		return false;
	*size = s->bytes / s->calls;
	/* Equality in Cauchy-Schwarz: bytes_sq * calls = bytes^2 */
	return s->bytes_sq == (prof_u128)*size * s->bytes;
}

static struct prof_line *line_of_one_size(const struct prof_batches *b, uint64_t size)
{
	struct prof_line *l = calloc(1, sizeof *l);

	for (uint32_t i = 0; l && i < b->count; i++) {
		l->bytes[i] = size * b->calls;
		l->bytes_sq[i] = (prof_u128)size * l->bytes[i];
		l->bytes_units[i] = (prof_u128)size * b->sum[i];
	}
	return l;
}

/* Will the sum's sizes vary, or may they? Else there is nothing to keep batch by batch. */
static bool needs_lines(const struct prof_sums *a, const struct prof_sums *b)
{
	uint64_t x, y;

	if (a->line || b->line)
		return true;
	if (!a->calls || !b->calls || (!a->has_bytes && !b->has_bytes))
		return false;
	return !batches_one_size(a, &x) || !batches_one_size(b, &y) || x != y;
}

static bool needs_states(const struct prof_sums *a, const struct prof_sums *b)
{
	return (a->states || b->states) && states_joint_detector(a, b) != SCP_SWITCH_NONE;
}

static void copy_out(struct sequence *to, const struct prof_batches *from)
{
	PROF_SET(to, from, calls, count);
	if (from->count)
		memcpy(to->sum, from->sum, from->count * sizeof to->sum[0]);
}

/* Without memory for them there are none, as where the target found no room. */
static void copy_back(struct prof_batches *to, const struct sequence *from)
{
	size_t bytes = from->count * sizeof from->sum[0];
	uint64_t *sum = bytes ? realloc(to->sum, bytes) : NULL;

	if (!sum) {
		free(to->sum);
		*to = (struct prof_batches){.calls = from->calls};
		return;
	}
	memcpy(sum, from->sum, bytes);
	*to = (struct prof_batches){from->calls, from->count, sum};
}

/* Of a site without states that a detector watched all the time: no call was switched. */
static struct prof_state_batches *copy_states(const struct prof_sums *s)
{
	if (s->states)
		return array_copy(s->states->batches, sizeof *s->states->batches);
	return states_sees_all(s->detector) ? calloc(1, sizeof(struct prof_state_batches)) : NULL;
}

static void run_of(struct run *r, const struct prof_sums *s, const struct needs *needs)
{
	uint64_t size;

	copy_out(&r->time, &s->batches);
	r->slow.calls = r->slow.count = 0;
	r->line = NULL;
	r->states = NULL;
	r->tail = s->batches.count ? array_copy(s->tail, sizeof *s->tail) : NULL;
	r->gone = false;
	if (s->slow && s->slow->batches.count == s->batches.count &&
	    s->slow->batches.calls == s->batches.calls)
		copy_out(&r->slow, &s->slow->batches);
	if (s->batches.count == 0)
		return;
	if (needs->states)
		r->states = copy_states(s);
	if (!needs->line)
		return;
	if (s->line)
		r->line = array_copy(s->line, sizeof *s->line);
	else if (batches_one_size(s, &size))
		r->line = line_of_one_size(&s->batches, size);
}

static void free_run(struct run *r)
{
	PROF_FREE(r, line, states, tail);
}

/* `to` takes over what `from` has. */
static void replace(struct run *to, struct run *from)
{
	free_run(to);
	*to = *from;
	from->line = NULL;
	from->states = NULL;
	from->tail = NULL;
}

static void append_line(struct prof_line *to, uint32_t at, const struct prof_line *from,
			uint32_t count)
{
	memcpy(to->bytes + at, from->bytes, count * sizeof to->bytes[0]);
	memcpy(to->bytes_sq + at, from->bytes_sq, count * sizeof to->bytes_sq[0]);
	memcpy(to->bytes_units + at, from->bytes_units, count * sizeof to->bytes_units[0]);
}

static void append_states(struct prof_state_batches *to, uint32_t at,
			  struct prof_state_batches *from, uint32_t count)
{
	uint64_t *slot[STATE_SLOTS], *more[STATE_SLOTS];

	state_slots(to, slot);
	state_slots(from, more);
	for (size_t k = 0; k < STATE_SLOTS; k++)
		memcpy(slot[k] + at, more[k], count * sizeof *more[k]);
}

static void append(struct run *to, const struct run *from)
{
	uint32_t at = to->time.count, count = from->time.count;

	memcpy(to->time.sum + at, from->time.sum, count * sizeof to->time.sum[0]);
	to->time.count += count;
	if (to->slow.count && from->slow.count) {
		memcpy(to->slow.sum + at, from->slow.sum, count * sizeof to->slow.sum[0]);
		to->slow.count += count;
	} else {
		to->slow.count = 0;
	}
	if (to->line)
		append_line(to->line, at, from->line, count);
	if (to->states)
		append_states(to->states, at, from->states, count);
	tails_append(&to->tail, at, from->tail, count);
}

static bool lacks(const struct run *r, const struct needs *needs)
{
	return (needs->line && !r->line) || (needs->states && !r->states);
}

/* One of two runs of the same size lacks something: true if that one gave way. Else what it lacks
 * is dropped. */
static bool give_way(struct run *a, struct run *b, const struct needs *needs)
{
	if (!lacks(a, needs) && b->time.count <= a->time.count / 4) {
		b->gone = true;
		return true;
	}
	if (!lacks(b, needs) && a->time.count <= b->time.count / 4) {
		replace(a, b);
		a->gone = true;
		return true;
	}
	if (!a->line || !b->line)
		PROF_FREE(a, line);
	if (!a->states || !b->states)
		PROF_FREE(a, states);
	return false;
}

/* Both, one after the other, in `a`. Batches that are too few to make one of the other
 * side's size give way. */
static void join(struct run *a, struct run *b, const struct needs *needs)
{
	bring_to_size(a, b->time.count ? b->time.calls : 0);
	bring_to_size(b, a->time.count ? a->time.calls : 0);
	if (b->time.count == 0)
		return;
	if (a->time.count == 0) {
		replace(a, b);
		return;
	}
	if ((lacks(a, needs) || lacks(b, needs)) && give_way(a, b, needs))
		return;
	while (a->time.count + b->time.count > SCP_BATCHES) {
		double_run(a);
		double_run(b);
	}
	append(a, b);
}

/* The stretches of both; where there is no memory for them they are taken for one. The slow sum
 * of `dst` is that of both already. */
static void join_apart(struct prof_sums *dst, const struct prof_sums *src, const struct run *a,
		       const struct run *b)
{
	uint64_t of_src = src->slow ? src->slow->units : 0;
	uint64_t of_dst = dst->slow ? dst->slow->units - of_src : 0;
	struct prof_apart sum = {0};

	if (dst->calls && src->calls) {
		unbatched_add(&sum, dst, of_dst, a->gone ? 0 : a->time.calls);
		unbatched_add(&sum, src, of_src, b->gone ? 0 : a->time.calls);
	} else if (src->apart) {
		sum = *src->apart; /* dst has no calls: a copy */
	} else {
		return;
	}
	if (!sum.stretches) {
		PROF_FREE(dst, apart);
		return;
	}
	if (!dst->apart)
		dst->apart = malloc(sizeof *dst->apart);
	if (dst->apart)
		*dst->apart = sum;
}

static struct prof_state_batches *append_all(struct prof_sums *dst, const struct prof_sums *src)
{
	struct needs needs = {needs_lines(dst, src), needs_states(dst, src)};
	struct run a, b;

	run_of(&a, dst, &needs);
	run_of(&b, src, &needs);
	join(&a, &b, &needs);
	join_apart(dst, src, &a, &b);
	free_run(&b);
	PROF_FREE(dst, line, tail);
	PROF_SET(dst, &a, line, tail);
	copy_back(&dst->batches, &a.time);
	if (dst->slow)
		copy_back(&dst->slow->batches, &a.slow);
	if (dst->batches.count)
		return a.states;
	free(a.states);
	return NULL;
}

struct prof_state_batches *batches_append(struct prof_sums *dst, const struct prof_sums *src)
{
	static const struct run none;

	/* Most sites of a large profile have too few calls for any. */
	if (dst->batches.count || src->batches.count || dst->line || dst->slow)
		return append_all(dst, src);
	join_apart(dst, src, &none, &none);
	return NULL;
}
