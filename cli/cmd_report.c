// SPDX-License-Identifier: GPL-3.0-or-later
/* scprof report: profiles in, a report out. */
#include "cli/cmd.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/complaint.h"
#include "report/model/displacement_file.h"
#include "report/symbols/function_names.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/quantity.h"
#include "report/report.h"
#include "report/report_print.h"
#include "cli/inputs.h"

#define COMMAND "scprof report"

const char report_usage[] =
	"usage: scprof report [OPTION...] PROFILE...\n"
	"Say what each call site of a profiled program costs, with confidence intervals.\n"
	"Several profiles are reported together.\n"
	"\n"
	"  --format FORMAT        what to print (default: text): text, json, csv; html: one page\n"
	"                         for a browser; for other tools: pprof, folded (flame graphs),\n"
	"                         callgrind\n"
	"  --by path|site|function|gap|thread|process\n"
	"                         what a row is (default: path, the full call path)\n"
	"  --confidence R         of the intervals, between 0 and 1 (default: 0.95)\n"
	"  --include-warm-up      leave in the means what is otherwise set aside\n"
	"  --top N                rows at most, 0: all (default: 20 in text, else all)\n"
	"  --weight time|calls|bytes|uncharged\n"
	"                         what --format folded counts (default: time, in ns; uncharged:\n"
	"                         ns by displacement, from 'scprof run --displace')\n"
	"  --frames N             lines of call path a row in text (default: 6, later rows 2)\n"
	"  --displacement FILE    in HTML: show the account of 'scprof displace --json' beside\n"
	"  -o, --output OUT       write to a file instead of standard output\n"
	"  -h, --help             this text\n"
	"\n"
	"environment:\n"
	"  SCPROF_DEBUG_PATH    DIR[:DIR...]: more places for files of the program and their\n"
	"                       debug information; build-ids decide\n"
	"  DEBUGINFOD_URLS      servers for it\n"
	"\n"
	"exit status: 0 done, 1 done, but without profiles that cannot be read, which are named;\n"
	"             2 wrong usage, or no profile that can be read, or no output\n";

struct arguments {
	struct report_options options;
	const char *output, *displaced;
};

static int set_format(struct arguments *a, const char *value)
{
	if (words_format_parse(value, &a->options.format) == 0)
		return 0;
	complaint_say(COMMAND, "no format '%s'; there are: %s", value, words_format_names);
	return -1;
}

static int set_by(struct arguments *a, const char *value)
{
	if (words_by_parse(value, &a->options.by) == 0)
		return 0;
	complaint_say(COMMAND,
		      "cannot group by '%s'; there are: path, site, function, gap, "
		      "thread, "
		      "process",
		      value);
	return -1;
}

static int set_weight(struct arguments *a, const char *value)
{
	if (words_weight_parse(value, &a->options.weight) == 0)
		return 0;
	complaint_say(COMMAND, "no weight '%s'; there are: %s", value, weights_names);
	return -1;
}

static int set_confidence(struct arguments *a, const char *value)
{
	if (quantity_confidence(value, &a->options.confidence) == 0)
		return 0;
	complaint_say(COMMAND,
		      "confidence '%s' is not a number between 0 and 1, such as 0.95 or "
		      "95%%",
		      value);
	return -1;
}

static int set_count(uint32_t *to, const char *name, const char *value)
{
	uint64_t n;

	if (quantity_count(value, 0, UINT32_MAX - 1, &n)) {
		complaint_say(COMMAND, "--%s '%s' is not a count; 0, 1, 2, ...", name, value);
		return -1;
	}
	*to = (uint32_t)n;
	return 0;
}

enum {
	OPT_FORMAT = 256,
	OPT_BY,
	OPT_CONFIDENCE,
	OPT_TOP,
	OPT_FRAMES,
	OPT_INCLUDE_WARM_UP,
	OPT_DISPLACEMENT,
	OPT_WEIGHT
};

static const struct option long_options[] = {
	{"format", required_argument, NULL, OPT_FORMAT},
	{"by", required_argument, NULL, OPT_BY},
	{"confidence", required_argument, NULL, OPT_CONFIDENCE},
	{"top", required_argument, NULL, OPT_TOP},
	{"frames", required_argument, NULL, OPT_FRAMES},
	{"include-warm-up", no_argument, NULL, OPT_INCLUDE_WARM_UP},
	{"displacement", required_argument, NULL, OPT_DISPLACEMENT},
	{"weight", required_argument, NULL, OPT_WEIGHT},
	{"output", required_argument, NULL, 'o'},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

static int set_option(struct arguments *a, int option, char **argv)
{
	switch (option) {
	case OPT_FORMAT:
		return set_format(a, optarg);
	case OPT_BY:
		return set_by(a, optarg);
	case OPT_CONFIDENCE:
		return set_confidence(a, optarg);
	case OPT_TOP:
		return set_count(&a->options.top, "top", optarg);
	case OPT_FRAMES:
		return set_count(&a->options.frames, "frames", optarg);
	case OPT_INCLUDE_WARM_UP:
		a->options.include_warmup = true;
		return 0;
	case OPT_DISPLACEMENT:
		a->displaced = optarg;
		return 0;
	case OPT_WEIGHT:
		return set_weight(a, optarg);
	case 'o':
		a->output = optarg;
		return 0;
	default:
		complaint_option(COMMAND, argv, option);
		return -1;
	}
}

/* Not every format can show every grouping, nor every output take every format. */
static int check_format(const struct arguments *a)
{
	unsigned traits = words_format_traits(a->options.format);
	enum report_by by = a->options.by;

	if (traits & REPORT_OF_STACKS &&
	    (by == REPORT_BY_GAP || by == REPORT_BY_THREAD || by == REPORT_BY_PROCESS)) {
		complaint_say(COMMAND,
			      "this format has call paths only, no rows by %s. Use --by "
			      "path, site or function, or --format text, json, html or csv",
			      words_by_name(by));
		return -1;
	}
	if (traits & REPORT_BINARY && !a->output && isatty(STDOUT_FILENO)) {
		complaint_say(COMMAND, "this format is not for a terminal. Name a file with -o, or "
				       "pipe it on");
		return -1;
	}
	return 0;
}

/* 0 go on, 1 help was printed, -1 wrong usage. */
static int parse(int argc, char **argv, struct arguments *a)
{
	int option;

	opterr = 0;
	optind = 0; /* another subcommand may have used getopt before */
	while ((option = getopt_long(argc, argv, ":o:h", long_options, NULL)) != -1) {
		if (option == 'h') {
			fputs(report_usage, stdout);
			return 1;
		}
		if (set_option(a, option, argv) < 0)
			return -1;
	}
	if (optind == argc) {
		complaint_lines(COMMAND, "which profile? Name one or more .scp files.\n"
					 "Try 'scprof report --help'.");
		return -1;
	}
	return check_format(a);
}

/* NULL where none was asked for; *failed where it cannot be had. */
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
	const char *missing = weights_missing(p, &a->options);
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

	if (status)
		return status < 0 ? 2 : 0;
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
