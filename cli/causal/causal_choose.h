// SPDX-License-Identifier: GPL-3.0-or-later
/* What is to be delayed, and what is progress. */
#ifndef SCPROF_CLI_CAUSAL_CAUSAL_CHOOSE_H
#define SCPROF_CLI_CAUSAL_CAUSAL_CHOOSE_H

#include "cli/causal/causal_options.h"
#include "cli/causal/causal_sites.h"
#include "collector/causal/causal.h"

/* For causal_wishes.choose: all that is known of the pilot's calls. */
struct causal_choice {
	const char *directory; /* of the profiles */
	const char *at;	       /* patterns; NULL: all that take time */
	const char *progress;  /* the unit's name */
	enum scp_causal_by by;
	bool none_matched; /* set: no call was seen at the sites of `at` */
};
bool causal_choose_sites(void *choice, struct causal_candidate *c, size_t count);

/* Does one of the patterns mean the site? */
bool causal_choose_matches(const struct causal_sites *s, const struct causal_found *found,
			   const char *patterns);

/* Where the function of --progress is one of a library, -s selects it, too. */
void causal_choose_progress(struct causal_options *o);

#endif
