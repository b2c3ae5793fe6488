// SPDX-License-Identifier: GPL-3.0-or-later
/* --confirm: was the prediction right? The program and the changed one run in turn, in random
 * order, and are recorded without delays. */
#ifndef SCPROF_CLI_CAUSAL_CAUSAL_CONFIRM_H
#define SCPROF_CLI_CAUSAL_CAUSAL_CONFIRM_H

#include "cli/causal/causal_options.h"
#include "cli/causal/causal_report.h"

struct causal_confirm {
	char **environment; /* as it was before the experiment changed it */
};
void causal_confirm_keep_environment(struct causal_confirm *c);

/* The runs, and *out from them. What fails is said, and leaves out->known false. */
void causal_confirm_run(const struct causal_confirm *c, const struct causal_options *o,
			const struct causal_report *r, struct causal_confirmed *out);

/* What the runs of both say: rates of progress, means of the site in seconds (NAN: not known). */
struct causal_confirm_runs {
	size_t count;
	const double *rate[2], *mean[2]; /* before, after: [count] */
};
void causal_confirm_settle(const struct causal_confirm_runs *runs, const struct causal_options *o,
			   const struct causal_report *r, struct causal_confirmed *out);

#endif
