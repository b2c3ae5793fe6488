// SPDX-License-Identifier: GPL-3.0-or-later
/* The names of the steps of a loop, and the loop on one line. */
#ifndef SCPROF_REPORT_RENDER_TEXT_TEXT_LOOP_H
#define SCPROF_REPORT_RENDER_TEXT_TEXT_LOOP_H

#include "report/loops/loop.h"
#include "report/render/text/text.h"

/* "recv", or where a loop has two of them "recv in serve:70"; and where these are on one line,
 * "recv in serve:70 #2". */
struct step_names {
	char **brief, **full; /* of each site; NULL: not asked for yet */
	uint32_t *twin;	      /* of each site: its number among those of one name; 0: alone */
	uint32_t *sites;      /* of each function: how many in the loop at hand */
};

/* -1: out of memory; text_loop_names_end in any case. */
int text_loop_names_begin(struct step_names *n, const struct report *r);
void text_loop_names_end(struct step_names *n, const struct report *r);
/* For the states of a loop from now on. -1: out of memory. */
int text_loop_names_choose(struct step_names *n, struct text *t, const struct loop *l);
/* Clean. The full one always has the call site. NULL: out of memory. */
const char *text_loop_names_name(struct step_names *n, struct text *t, uint32_t site,
				 const char *when_none);
const char *text_loop_names_full_name(struct step_names *n, struct text *t, uint32_t site);

/* "  recv 12 us -- 3.1 us --> send 4.0 us -- 0.9 us --> recv", broken between steps: one
 * way round. -1: out of memory. */
int text_loop_line_print(struct text *t, struct step_names *n, const struct loop *l,
			 const struct loop_cycle *c, uint32_t way);

#endif
