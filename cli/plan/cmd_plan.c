// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof plan`: how many calls for how narrow an interval, before measuring or after. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/messages/complaint.h"
#include "cli/plan/plan.h"
#include "report/symbols/function_names.h"
#include "cli/messages/progress.h"
#include "cli/usage/inputs.h"

static int finish(int status)
{
	if (status < 0 && !ferror(stdout)) {
		fputs("scprof plan: out of memory\n", stderr);
		return plan_options_usage.failure;
	}
	return 0;
}

static int plan_report(struct report *r, const struct plan_options *o)
{
	struct plan_sites p;
	int status = plan_sites_build(&p, r, o);

	if (!status)
		status = plan_sites_print(&p, r, o);
	plan_sites_end(&p);
	return status;
}

static int plan_profiles(const struct plan_options *o)
{
	struct report_options options = REPORT_OPTIONS_DEFAULT;
	struct report *r;
	struct progress progress;
	struct profile *p;
	int left_out = 0, status = -1;

	p = inputs_open("scprof plan", o->profile, o->profiles, &progress, true, &left_out);
	progress_clear(&progress);
	if (!p)
		return plan_options_usage.failure;
	function_names_fill(p);
	below_mark(p);
	options.by = o->by;
	options.confidence = o->confidence;
	options.together = true;
	r = report_build(p, &options);
	if (r && !r->calls) {
		complaint_say("scprof plan",
			      "%s: no finished call to plan from; record a longer run, or more "
			      "groups (-g)",
			      o->profiles == 1 ? o->profile[0] : "these profiles");
		report_free(r);
		profile_free(p);
		return plan_options_usage.failure;
	}
	if (r)
		status = o->change > 0 ? plan_change_print(p, o) : plan_report(r, o);
	report_free(r);
	profile_free(p);
	status = finish(status);
	return status ? status : left_out;
}

int cmd_plan(int argc, char **argv)
{
	struct plan_options o;
	int status = plan_options_parse(argc, argv, &o);

	if (status != OPTIONS_GO)
		return status;
	errno = 0;
	return o.profiles ? plan_profiles(&o) : finish(plan_ahead_print(&o));
}
