// SPDX-License-Identifier: Apache-2.0
/* What makes two sites the same one, in whatever processes they are: the function's name, and
 * frames as module and offset, or as file, function and line of Python. */
#ifndef SCPROF_PRELOAD_CAUSAL_CAUSAL_KEY_H
#define SCPROF_PRELOAD_CAUSAL_CAUSAL_KEY_H

#include "preload/causal/causal_page.h"
#include "preload/table/thread.h"

struct causal_key {
	uint64_t hash;	  /* never 0 */
	const char *name; /* of the function, as it is shown */
	bool in_handler;  /* or that is not known */
};

/* `by`: enum scp_causal_by, others as PATH. False: it is no site of the program's. */
HIDDEN bool causal_key_make(struct causal_key *k, const struct scp_thread *t,
			    const struct scp_site *s, uint32_t by);

/* Of SOURCE records, whose ids are from 1: the function's hash, and a line of it. In steps of
 * modules_exclusive. Without a page nothing is kept. */
HIDDEN void causal_key_note_function(uint32_t id, uint64_t hash);
HIDDEN void causal_key_note_line(uint32_t id, uint32_t function, int32_t line);

#endif
