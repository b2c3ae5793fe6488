// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/run/run_save.h"

#include "cli/messages/say.h"
#include "cli/run/run_report.h"
#include "report/symbols/function_names.h"
#include "report/symbols/generated_keep.h"

int run_save(const struct run_options *o, const struct run_output *to, struct run_directory *d,
	     const struct gathered *g)
{
	const char *saved = *to->path ? to->path : NULL;
	struct profile_error err;

	generated_keep(g->profile);
	fold_model(g->profile, 64);
	int failed = saved ? write_profile(g->profile, saved, &err) : 0;
	if (failed) {
		saved = d->profiles;
		say(err.text);
		say_format("the profiles of the single processes are kept in %s\n"
			   "scprof merge -o OUT %s  makes one of them",
			   saved, saved);
	}
	function_names_fill(g->profile);
	run_report_print(o, to, saved, g->profile);
	if (failed)
		return -1;
	if (gather_discard(d, g))
		say_format("what could not be read is kept in %s", d->profiles);
	if (saved)
		say_format("profile: %s\nread it again with: scprof report %s", saved, saved);
	return 0;
}
