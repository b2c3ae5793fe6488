// SPDX-License-Identifier: GPL-3.0-or-later
/* Standard output is left to the command, where one was started. */
#include "cli/run/run_report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/messages/say.h"
#include "cli/usage/output.h"
#include "report/report_print.h"

static void say_failed(const char *path)
{
	say_format("cannot write the report%s%s: %s; the profile is not touched by that",
		   path ? " " : "", path ? path : "", strerror(errno));
}

static void print_file(const struct report_options *options, const char *path,
		       const struct profile *p)
{
	struct output out;
	int failed, error;

	if (output_open(&out, path)) {
		say_failed(path);
		return;
	}
	failed = report_print(p, options, out.stream);
	error = errno;
	if (output_close(&out, !failed) == 0 && !failed) {
		say_format("report: %s", path);
		return;
	}
	errno = failed ? error : errno;
	say_failed(path);
}

static void print_here(const struct report_options *options, const struct profile *p, FILE *out)
{
	static char buffer[1 << 16];
	int failed, error;

	setvbuf(out, buffer, _IOFBF, sizeof(buffer)); /* not a system call a word */
	failed = report_print(p, options, out);
	error = errno;
	setvbuf(out, NULL, _IONBF, 0);
	errno = error;
	if (failed && (out != stdout || !ferror(stdout))) /* that is said at the end */
		say_failed(NULL);
}

void run_report_print(const struct run_options *o, const struct run_output *to, const char *saved,
		      const struct profile *p)
{
	struct report_options here = o->shown.options;
	const char *missing = report_weight_missing(p, &here);

	here.profile = saved;
	if (missing && (*to->report || o->report))
		say(missing);
	else if (*to->report)
		print_file(&here, to->report, p);
	/* text has no use for a weight */
	if (*to->report)
		here.format = REPORT_TEXT;
	if (o->report && (!missing || *to->report))
		print_here(&here, p, o->filters.attached ? stdout : stderr);
}
