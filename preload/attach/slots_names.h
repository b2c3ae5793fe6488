// SPDX-License-Identifier: Apache-2.0
/* Which names lead to us in a session, and what they lead to otherwise. */
#ifndef SCPROF_PRELOAD_ATTACH_SLOTS_NAMES_H
#define SCPROF_PRELOAD_ATTACH_SLOTS_NAMES_H

#include "preload/attach/slots_object.h"

struct slots_name {
	const char *name;
	uint32_t hash;	/* symbols_hash */
	bool is_region; /* of scprof.h: 0 without us, and stays ours */
	uint64_t ours, real;
	uint64_t definers; /* 0: not counted yet; else objects that define it, plus 1 */
};

/* Make the list for the settings of this session. False: no memory. */
HIDDEN bool slots_names_make(const struct slots_list *objects);

/* The next one of this name: NULL at the end. *at is 0 at first. Several selected functions may be
 * versions of one name. */
HIDDEN struct slots_name *slots_names_next(const char *name, uint32_t hash, uint32_t *at);

/* Is it worth while to look up the name of a word that holds this? */
HIDDEN bool slots_names_leads(uint64_t value);

/* Does only one object define it, so that whoever binds it finds the same? libc and what were parts
 * of it count as one. */
HIDDEN bool slots_names_is_unique(struct slots_name *n, const struct slots_list *objects);

#endif
