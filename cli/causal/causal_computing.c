// SPDX-License-Identifier: GPL-3.0-or-later
/* Delays are made in recorded calls, and tell nothing of what is computed between them. Samples
 * tell where that is: what might be worth a region. */
#include "cli/causal/causal_private.h"

#include "report/model/model.h"
#include "report/render/text/text.h"
#include "report/symbols/function_names.h"

#define MOST   5
#define LEAST  10   /* samples */
#define WORTH  0.05 /* of the CPU time outside of calls */
#define SCPROF 0.01 /* the same, of our own part */

int causal_computing_find(struct causal_report *r, struct profile *p)
{
	struct report_options options = REPORT_OPTIONS_DEFAULT;
	const char *missing = computing_missing(p);

	if (missing)
		causal_report_warn_unsampled(r, missing);
	if (!p->samples)
		return 0;
	options.together = true;
	function_names_fill(p);
	r->computing = report_build(p, &options);
	return !r->computing || computing_find(r->computing) ? -1 : 0;
}

uint32_t causal_computing_rows(const struct causal_report *r)
{
	const struct report_computing *c = r->computing ? r->computing->computing : NULL;
	uint32_t rows = 0;

	while (c && rows < c->rows && rows < MOST && c->row[rows].samples >= LEAST &&
	       c->row[rows].share >= WORTH)
		rows++;
	return rows;
}

struct words causal_computing_row(const struct causal_report *r, uint32_t i)
{
	const struct report_computing_row *row = &r->computing->computing->row[i];
	struct words line = {""};

	numbers_append(&line, "%s (%s): %.200s%s", numbered_share(row->share).text,
		       numbered_limits(row->share_low, row->share_high).text, computing_name(row),
		       computing_behind(row));
	return line;
}

struct words causal_computing_advice(const struct causal_report *r)
{
	double own = r->computing->computing->recording.share;
	struct words text = {""};

	numbers_append(&text,
		       "None of these is a site. A region around it (scprof.h) makes it one; "
		       "so does -s where a library exports it");
	if (own >= SCPROF)
		numbers_append(&text, ". Delays and recording: %s", numbered_share(own).text);
	return text;
}
