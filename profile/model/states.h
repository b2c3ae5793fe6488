// SPDX-License-Identifier: GPL-3.0-or-later
/* Where a call's time went, under addition, and what a file says by not saying it; private to
 * profile/. */
#ifndef SCPROF_PROFILE_MODEL_STATES_H
#define SCPROF_PROFILE_MODEL_STATES_H

#include "profile/profile.h"

/* `detector` as a file has it; NONE where this reader does not know it. */
uint32_t states_detector(uint64_t detector);

/* RSEQ or PERF: whether a call was switched is known of each. */
bool states_sees_all(uint32_t detector);

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

#endif
