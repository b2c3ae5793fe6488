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

/* Is what s->states claims (its batches aside) possible beside the other sums? */
bool states_fit(const struct prof_sums *s);

/* The same of a table: nothing is known of one that contradicts itself. */
void states_settle_table(struct prof_table_states *t);

/* From now on nothing is known. */
void states_drop(struct prof_sums *s);
void states_free(struct prof_states *t);

#endif
