// SPDX-License-Identifier: GPL-3.0-or-later
/* One clause a filter, in the order in which they were noted. */
#include "report/findings/findings.h"
#include "report/wording/utf8.h"
#include "report/wording/warning_list.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *key, *before, *behind;
} clauses[] = {
	{"below=", "only calls below ", ""},
	{"thread=", "only threads named ", ""},
	{"depth=", "the innermost ", " frames of each path"},
	/* native=: nothing is left out by that */
	{"python=", "C frames, no Python functions", NULL},
	{"after=", "from ", " after the start on"},
	{"for=", "for ", " each time"},
	{"signal=", "stopped and started by ", ""},
	{"until=", "until the means were known to ", ""},
	{"stopped=", "begun stopped", NULL}, /* NULL: without the value */
};

/* A variable that was set, but is not in force. */
static bool is_ignored(const struct profile *p, const char *key)
{
	static const char *const variables[][2] = {
		{"after=", "SCPROF_AFTER"}, {"for=", "SCPROF_FOR"}, {"signal=", "SCPROF_SIGNAL"}};

	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++)
		for (const char *v = NULL; (v = filters_text(p, SCP_FILTER_IGNORED, v));)
			if (!strcmp(variables[i][0], key) && !strcmp(variables[i][1], v))
				return true;
	return false;
}

char *filter_summary_describe(const struct profile *p)
{
	struct utf8_memory memory;
	const char *before = "";

	utf8_memory_begin(&memory);
	for (size_t i = 0; memory.to && i < sizeof(clauses) / sizeof(*clauses); i++)
		for (const char *v = NULL; (v = filters_text(p, clauses[i].key, v));) {
			if (is_ignored(p, clauses[i].key))
				continue;
			fprintf(memory.to, "%s%s%s%s", before, clauses[i].before,
				clauses[i].behind ? v : "",
				clauses[i].behind ? clauses[i].behind : "");
			before = "; ";
		}
	return utf8_memory_end(&memory);
}

double filter_summary_recorded_share(const struct profile *p)
{
	if (!(p->flags & SCP_FILE_WINDOWS) || !p->recorded_of_ns)
		return NAN;
	return (double)p->recorded_ns / (double)p->recorded_of_ns;
}

static void warn_ignored(struct report *r, const char *variable)
{
	static const struct {
		const char *variable, *why;
	} known[] = {
		{"SCPROF_BELOW", "none of its functions was found in the objects that the program "
				 "started with, so no call was recorded. Names must be as symbol "
				 "tables have them; `scprof run --below` finds C++ names, separate "
				 "debug files and libraries that are opened later, too"},
		{"SCPROF_DEPTH", "it is not a number of frames between 1 and 192"},
		{"SCPROF_SIGNAL",
		 "the program has a use for that signal, or it is neither USR1 nor "
		 "USR2. `scprof run --signal` takes it without disturbing the "
		 "program"},
		{"SCPROF_AFTER", "only `scprof run` keeps the time"},
		{"SCPROF_FOR", "only `scprof run` keeps the time"},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(known[i].variable, variable))
			warning_list_note(r, "setting-ignored", "%s was set, but %s", variable,
					  known[i].why);
}

void filter_summary_warn(struct report *r)
{
	const struct profile *p = r->profile;

	for (const char *v = NULL; (v = filters_text(p, SCP_FILTER_IGNORED, v));)
		warn_ignored(r, v);
	if (p->flags & SCP_FILE_FILTERS_DIFFER)
		warning_list_note(r, "profiles-differ",
				  "The profiles were not recorded with the same filters");
	if (p->below_cut)
		warning_list_note(
			r, "calls-skipped",
			"On %" PRIu64
			" paths it is not known whether they are below a function of --below: "
			"their calls are left out",
			p->below_cut);
}
