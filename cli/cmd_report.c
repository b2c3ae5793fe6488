// SPDX-License-Identifier: GPL-3.0-or-later
/* scprof report: profiles in, a report out. */
#include "cli/cmd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/messages/complaint.h"
#include "cli/usage/options.h"
#include "report/model/displacement_file.h"
#include "report/symbols/function_names.h"
#include "cli/usage/output.h"
#include "cli/messages/progress.h"
#include "cli/usage/inputs.h"
#include "cli/usage/quantity.h"
#include "report/report.h"
#include "report/report_print.h"

#define COMMAND "scprof report"

enum {
	OPT_FORMAT = USAGE_OWN,
	OPT_BY,
	OPT_TOP,
	OPT_FRAMES,
	OPT_INCLUDE_WARM_UP,
	OPT_DISPLACEMENT,
	OPT_WEIGHT
};

static const struct usage_entry usage_options[] = {
	{"format", OPT_FORMAT, "FORMAT",
	 .text = "what to print (default: text): text, json, csv; html: one page for a browser; "
		 "for other tools: pprof, folded (flame graphs), callgrind"},
	{"by", OPT_BY, "path|site|function|gap|thread|process",
	 .text = "what a row is (default: path, the full call path)"},
	USAGE_ENTRY_CONFIDENCE,
	{"include-warm-up", OPT_INCLUDE_WARM_UP, NULL,
	 .text = "leave in the means what is otherwise excluded"},
	{"top", OPT_TOP, "N", .text = "rows at most, 0: all (default: 20 in text, else all)"},
	{"weight", OPT_WEIGHT, "time|calls|bytes|on_cpu|runnable|asleep|uncharged",
	 .text = "what --format folded counts (default: time, in ns; on_cpu, runnable, asleep: "
		 "where that time went; uncharged: ns by displacement, from 'scprof run "
		 "--displace')"},
	{"frames", OPT_FRAMES, "N",
	 .text = "lines of call path a row in text (default: 6, later rows 2)"},
	{"displacement", OPT_DISPLACEMENT, "FILE",
	 .text = "in HTML: show the account of 'scprof displace --json' beside",
	 .flags = USAGE_TYPED_ONLY},
	USAGE_ENTRY_OUTPUT("OUT", "write to a file instead of standard output"),
	USAGE_ENTRY_HELP,
	{0}};

static const struct usage_entry usage_variables[] = {
	{.name = "SCPROF_DEBUG_PATH",
	 .text = "DIR[:DIR...]: more places for files of the program and their debug information; "
		 "build-ids decide"},
	{.name = "DEBUGINFOD_URLS", .text = "servers for it"},
	{0}};

const struct usage cmd_report_usage = {
	.command = "report",
	.summary = "print what profiles say",
	.synopsis = {"[OPTION...] PROFILE..."},
	.text = "Say what each call site of a profiled program costs, with confidence intervals. "
		"Several profiles are reported together.",
	.words = "PROFILE",
	.options = usage_options,
	.variables = usage_variables,
	.exit_status = "0 done, 1 done, but without profiles that cannot be read, which are "
		       "named;\n2 wrong usage, or no profile that can be read, or no output",
	.bad_usage = 2,
	.failure = 2,
};

struct arguments {
	struct report_options options;
	const char *output, *displaced;
};

static int set_format(struct arguments *a, const char *value)
{
	if (report_names_parse_format(value, &a->options.format) == 0)
		return 0;
	complaint_say(COMMAND, "no format '%s'; there are: %s", value, report_names_formats);
	return -1;
}

static int set_option(void *to, int code, const char *value)
{
	struct arguments *a = to;

	switch (code) {
	case OPT_FORMAT:
		return set_format(a, value);
	case OPT_BY:
		return report_names_parse_by(value, &a->options.by);
	case USAGE_CONFIDENCE:
		return options_confidence(&cmd_report_usage, value, &a->options.confidence);
	case OPT_TOP:
		return options_count32(&cmd_report_usage, code, value, 0, OPTIONS_ANY_COUNT,
				       &a->options.top);
	case OPT_FRAMES:
		return options_count32(&cmd_report_usage, code, value, 0, OPTIONS_ANY_COUNT,
				       &a->options.frames);
	case OPT_INCLUDE_WARM_UP:
		a->options.include_warmup = true;
		return 0;
	case OPT_DISPLACEMENT:
		a->displaced = value;
		return 0;
	case OPT_WEIGHT:
		return report_names_parse_weight(value, &a->options.weight);
	default:
		a->output = value;
		return 0;
	}
}

/* Not every format can show every grouping, nor every output take every format. */
static int check_format(const struct arguments *a)
{
	unsigned traits = report_names_format_traits(a->options.format);
	enum report_by by = a->options.by;

	if (traits & REPORT_OF_STACKS &&
	    (by == REPORT_BY_GAP || by == REPORT_BY_THREAD || by == REPORT_BY_PROCESS)) {
		complaint_say(COMMAND,
			      "this format has call paths only, no rows by %s. Use --by "
			      "path, site or function, or --format text, json, html or csv",
			      report_names_by(by));
		return -1;
	}
	if (traits & REPORT_BINARY && !a->output && isatty(STDOUT_FILENO)) {
		complaint_say(COMMAND, "this format is not for a terminal. Name a file with -o, or "
				       "pipe it on");
		return -1;
	}
	return 0;
}

static int parse(int argc, char **argv, struct arguments *a)
{
	int status = options_parse(&cmd_report_usage, argc, argv, set_option, a);

	if (status != OPTIONS_GO)
		return status;
	if (optind == argc) {
		complaint_lines(COMMAND, "which profile? Name one or more .scp files.\n"
					 "Try 'scprof report --help'.");
		return cmd_report_usage.bad_usage;
	}
	return check_format(a) ? cmd_report_usage.bad_usage : OPTIONS_GO;
}

/* NULL: none was asked for, or it cannot be read, and *failed is set. */
static struct displaced *read_displaced(const struct arguments *a, bool *failed)
{
	char error[512] = "--displacement goes with --format html only";
	struct displaced *d = NULL;

	if (!a->displaced)
		return NULL;
	if (a->options.format == REPORT_HTML)
		d = displacement_file_read(a->displaced, error, sizeof(error));
	if (!d) {
		complaint_lines(COMMAND, error);
		*failed = true;
	}
	return d;
}

static int print_to(const struct profile *p, const struct arguments *a)
{
	const char *missing = report_weight_missing(p, &a->options);
	struct output out;

	if (missing) {
		complaint_say(COMMAND, "%s", missing);
		return -1;
	}
	if (output_begin(&out, COMMAND, a->output))
		return -1;
	return output_end(&out, COMMAND, report_print(p, &a->options, out.stream));
}

int cmd_report(int argc, char **argv)
{
	struct arguments a = {.options = REPORT_OPTIONS_DEFAULT};
	struct displaced *displaced;
	struct progress progress;
	struct profile *p = NULL;
	bool failed = false;
	int left_out = 0, status = parse(argc, argv, &a);

	if (status != OPTIONS_GO)
		return status;
	if (output_refuse(COMMAND, a.output, (const char *const *)argv + optind,
			  (size_t)(argc - optind)) ||
	    output_refuse(COMMAND, a.output, &a.displaced, a.displaced != NULL))
		return 2;
	a.options.displaced = displaced = read_displaced(&a, &failed);
	if (failed)
		return 2;
	p = inputs_open(COMMAND, (const char *const *)argv + optind, (size_t)(argc - optind),
			&progress, false, &left_out);
	if (!p) {
		displacement_file_free(displaced);
		return 2;
	}
	progress_show(&progress, 1, "working out the report");
	function_names_fill(p);
	progress_clear(&progress);
	status = print_to(p, &a);
	profile_free(p);
	displacement_file_free(displaced);
	return status < 0 ? 2 : left_out;
}
