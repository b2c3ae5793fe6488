// SPDX-License-Identifier: GPL-3.0-or-later
/* Texts kept once and known by number, for documents that name the same functions a hundred
 * thousand times; private to report/. Single-threaded. */
#ifndef SCPROF_REPORT_STRINGS_H
#define SCPROF_REPORT_STRINGS_H

#include <stdbool.h>
#include <stdint.h>

#define STRINGS_NONE UINT32_MAX

struct strings_entry;
struct strings {
	struct strings_entry *by_text;
	const char **text; /* by number; owned */
	uint32_t count, room;
	bool failed; /* memory was out: some numbers are STRINGS_NONE */
};

/* The number of a copy of `text`, the same for the same text; STRINGS_NONE for NULL. */
uint32_t strings_add(struct strings *s, const char *text);
void strings_clear(struct strings *s);

#endif
