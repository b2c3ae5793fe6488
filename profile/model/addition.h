// SPDX-License-Identifier: GPL-3.0-or-later
/* What is known of a site, under addition; private to profile/. sums_add calls all these. */
#pragma once

#include "profile/profile.h"

/* What is known of a site batch by batch, under addition. The batches of the clock, those of the
 * slow clock of a dual run, the sums of the line of time on size, those of switched calls, and the
 * calls by octaves are parallel sequences: slot i of each is about the same calls. They are joined,
 * doubled and cut together, so that they stay so. */

/* The batches of `src` after those of `dst`, at most SCP_BATCHES of the larger size. To be called
 * before the other sums are added, and after dst->slow has been settled. A site without a line
 * whose calls all moved the same number of bytes has one all the same: it follows from the batches.
 * Where one side's sizes vary and it has none (few calls, or no room for the record) that side's
 * batches give way if they are at most a quarter of the other's; else the result has no line.
 * Cannot fail: a line that there is no memory for is dropped. So it is with states, where no call
 * of a site without them was switched. Those are returned, for dst->states (NULL: none); they are
 * the caller's. */
struct prof_state_batches *batches_append(struct prof_sums *dst, const struct prof_sums *src);

/* Did every call move the same number of bytes? *size: which. */
bool batches_one_size(const struct prof_sums *s, uint64_t *size);

/* Unbatched calls, under addition. Joining batches leaves calls out: threads too short for a batch
 * of the size that the longest one needs, and ends. Their scatter is part of the error of a mean
 * (stats/mean/), so they are counted stretch by stretch: a stretch has the calls of one thread, or
 * of one dropped batch. */

/* Add to *sum the stretches of `s` if of its batches only the first are kept that make whole ones
 * of `calls` calls; 0: none are. `slow_units`: sum of its slow clock. */
void unbatched_add(struct prof_apart *sum, const struct prof_sums *s, uint64_t slow_units,
		   uint64_t calls);

/* Calls by octaves, batch by batch, under addition: batches.c calls these as it doubles and appends
 * the batches themselves. */

/* Pairs of neighbours become one slot. */
void tails_double(struct prof_tail *t, uint32_t pairs);

/* The first `count` slots of `from` behind the first `at` of *to; at + count <= SCP_BATCHES. The
 * slots of a side that has none (NULL) are not known. Both keep the octaves that both have: where
 * these are too few, or there is no memory, *to becomes NULL. */
void tails_append(struct prof_tail **to, uint32_t at, const struct prof_tail *from, uint32_t count);

/* The counts of a block, zeroed where there were none. NULL: out of memory. */
uint64_t *hist_block(struct prof_blocks **of, uint32_t block);

/* *to += times * *from, or room for it where `times` is 0. -1: out of memory. */
int hist_add_blocks(struct prof_blocks **to, const struct prof_blocks *from, uint64_t times);

void hist_free(struct prof_blocks *blocks);

/* What hist_add will need. -1: out of memory. */
int hist_make_room(struct prof_sums *dst, const struct prof_sums *src);

/* Before the calls are added. */
void hist_add(struct prof_sums *dst, const struct prof_sums *src);

/* Instead of hist_make_room: the histogram of `src` is taken over; without memory, none is known of
 * the sum. */
void hist_take(struct prof_sums *dst, struct prof_sums *src);

/* Where a call's time went, under addition, and what a file says by not saying it. */

/* `detector` as a file has it; NONE where this reader does not know it. */
uint32_t states_detector(uint64_t detector);

/* The detector of an entry without a STATES record. NONE: not known. */
uint32_t states_implied(const struct scp_switches *s);

/* *to += *from; where `first`, a copy. */
void states_join_switches(struct scp_switches *to, const struct scp_switches *from, bool first);

/* The detector of the sum of both. That of the calls that are known, where those of one side are
 * not; NONE where different kinds of detectors saw them. */
uint32_t states_joint_detector(const struct prof_sums *a, const struct prof_sums *b);

/* dst->states += src->states, to be called before the calls are added. `batches`: those of the sum,
 * or NULL; they belong to it then. Calls of which nothing is known are from then on in from_calls.
 * Cannot fail: what there is no memory for is not known. */
void states_add(struct prof_sums *dst, const struct prof_sums *src,
		struct prof_state_batches *batches);

/* When the other sums are there: drop what is impossible beside them (a torn or hostile entry, an
 * overflow). Batches are not looked at. */
void states_settle(struct prof_sums *s);

/* *to += *from. NONE where they differ, or one is NONE. */
void states_add_table(struct prof_table_states *to, const struct prof_table_states *from);

/* The same of a table: nothing is known of one that contradicts itself. */
void states_settle_table(struct prof_table_states *t);

/* From now on nothing is known. */
void states_drop(struct prof_sums *s);
void states_free(struct prof_states *t);
