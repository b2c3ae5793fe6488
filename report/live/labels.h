// SPDX-License-Identifier: GPL-3.0-or-later
/* Names of frames and rows, safe for a terminal. Each is looked up once: a new model of the same
 * files has the same frames. Texts of frames live as long as the labels. */
#ifndef SCPROF_REPORT_LIVE_LABELS_H
#define SCPROF_REPORT_LIVE_LABELS_H

#include "report/live/live_reader.h"

struct labels;

struct labels *labels_new(bool utf8); /* NULL: out of memory */
void labels_free(struct labels *l);

/* The profile that names came from is about to be freed: for live_reader.forget. */
void labels_forget(void *labels);

/* "readQuery at networking.c:123", "libc.so.6+0x1234". Never NULL. */
const char *labels_frame(struct labels *l, const struct profile *p, const struct prof_frame *frame);

/* "recv", "recv [would-block]", into out. */
void labels_function(const struct labels *l, const struct live_reader *f,
		     const struct group_row *row, char *out, size_t room);

#endif
