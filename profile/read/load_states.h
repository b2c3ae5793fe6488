// SPDX-License-Identifier: GPL-3.0-or-later
/* Switched calls, from a checked file into the model; private to profile/. */
#ifndef SCPROF_PROFILE_READ_LOAD_STATES_H
#define SCPROF_PROFILE_READ_LOAD_STATES_H

#include "profile/read/load.h"

/* out->detector and out->states, behind the other sums of the entry. -1: out of memory. */
int load_states_of_entry(const struct raw_file *raw, const struct raw_ref *entry,
			 struct prof_sums *out);

/* Cleared *out stays so where nothing is known of the table. */
void load_states_of_table(const struct raw_file *raw, uint32_t table,
			  struct prof_table_states *out);

#endif
