// SPDX-License-Identifier: Apache-2.0
/* Adding one duration to the sums of an entry or a gap. The sequence number is
 * made from the count: odd while the sums are changing. */
#pragma once

#include "include/scprof_format.h"
#include "preload/system/util.h"

/* Where there is no such count. */
static inline void sums_begin_change(uint32_t *seq)
{
	*seq |= 1; /* odd already where a handler left the last change by longjmp */
	publish_barrier();
}

static inline void sums_end_change(uint32_t *seq)
{
	publish_barrier();
	*seq = (*seq | 1) + 1;
}

static inline void sums_add_large_product(uint64_t *low, uint64_t *high, uint64_t a, uint64_t b)
{
	unsigned __int128 sum = ((unsigned __int128)*high << 64 | *low) + (unsigned __int128)a * b;
	*low = (uint64_t)sum;
	*high = (uint64_t)(sum >> 64);
}

/* 128 bits wide, but where both factors are small the upper half is touched only
 * when it changes. `small` is a constant: both are below 2^32. */
static inline __attribute__((always_inline)) void sums_add_product(uint64_t *low, uint64_t *high,
								   uint64_t a, uint64_t b,
								   bool small)
{
	uint64_t sum;
	if (!small) {
		sums_add_large_product(low, high, a, b);
		return;
	}
	if (unlikely(__builtin_add_overflow(*low, a * b, &sum)))
		++*high;
	*low = sum;
}

/* `small`, here and below: the fast path has seen that it is none of the longest, or shortest, so
 * far. `mark` is the instant up to which the thread's time is counted: now `until`. */
static inline __attribute__((always_inline)) void sums_add_gap(struct scp_gap *g, uint64_t units,
							       bool small, volatile uint64_t *mark,
							       uint64_t until)
{
	uint64_t calls = g->calls;
	g->seq = 2 * (uint32_t)calls + 1;
	publish_barrier();
	g->units += units;
	*mark = until;
	compiler_barrier();
	sums_add_product(&g->units_sq_lo, &g->units_sq_hi, units, units, small);
	if (!small && unlikely(units > g->max_units))
		g->max_units = units;
	g->calls = calls + 1;
	publish_barrier();
	g->seq = 2 * (uint32_t)calls + 2;
}

/* All but the parts that need the thread (histogram, batches). Returns the new count; the caller
 * ends the change with sums_end_entry. `mark`, if not NULL, is set to `now` with the units: the
 * time up to it is counted from then on, even if a handler leaves the rest of this by longjmp. */
static inline __attribute__((always_inline)) uint64_t sums_begin_entry(struct scp_entry *e,
								       uint64_t units, uint64_t now,
								       uint64_t bytes,
								       bool has_bytes, bool small,
								       volatile uint64_t *mark)
{
	uint64_t calls = e->calls;
	e->seq = 2 * (uint32_t)calls + 1;
	publish_barrier();
	e->units += units;
	if (mark)
		*mark = now;
	compiler_barrier();
	sums_add_product(&e->units_sq_lo, &e->units_sq_hi, units, units, small);
	if (!small && unlikely(units > e->max_units)) {
		e->max_units = units;
		e->max_at = now;
	}
	if (!small && unlikely(units < e->min_units))
		e->min_units = units;
	e->last_at = now;
	if (has_bytes) {
		e->bytes += bytes;
		sums_add_product(&e->bytes_sq_lo, &e->bytes_sq_hi, bytes, bytes, small);
		sums_add_product(&e->bytes_units_lo, &e->bytes_units_hi, bytes, units, small);
	}
	e->calls = calls + 1;
	return calls + 1;
}

static inline __attribute__((always_inline)) void sums_end_entry(struct scp_entry *e,
								 uint64_t calls)
{
	publish_barrier();
	e->seq = 2 * (uint32_t)calls;
}

/* The `calls`th call, of no units, within the limits. Where one number changes, and the time of the
 * last call, there is nothing that a reader could find half done. */
static inline __attribute__((always_inline)) void sums_add_tickless(struct scp_entry *e,
								    uint64_t calls, uint64_t now,
								    uint64_t bytes, bool has_bytes)
{
	if (has_bytes) {
		e->seq = 2 * (uint32_t)calls - 1;
		publish_barrier();
		e->bytes += bytes;
		sums_add_product(&e->bytes_sq_lo, &e->bytes_sq_hi, bytes, bytes, true);
	}
	e->last_at = now;
	e->calls = calls;
	if (has_bytes)
		sums_end_entry(e, calls);
}

/* Calls inside an interval make it longer by what recording them costs, so they are counted: in
 * `inner` of the thread from the beginning of a top-level interval on. That one takes the
 * count at its end; a nested one what was added since its beginning, and adds itself. */
static inline __attribute__((always_inline)) void sums_take_inner(struct scp_entry *e,
								  uint64_t *inner)
{
	if (unlikely(*inner)) {
		e->inner_calls += *inner;
		*inner = 0;
	}
}

static inline __attribute__((always_inline)) void sums_add_inner(struct scp_entry *e,
								 uint64_t *inner, uint64_t since)
{
	if (unlikely(*inner > since)) /* less: the interval around it has ended meanwhile */
		e->inner_calls += *inner - since;
	++*inner;
}

/* See struct scp_hist. */
static inline __attribute__((always_inline)) uint32_t sums_bucket(uint64_t v)
{
	if (unlikely(v < 8))
		return (uint32_t)v;
	uint32_t e = 63u ^ (uint32_t)__builtin_clzll(v);
	return 8 * e - 24 + (uint32_t)(v >> (e - 3)); /* the shifted value lies in 8 .. 15 */
}
