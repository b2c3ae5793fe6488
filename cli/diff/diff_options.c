// SPDX-License-Identifier: GPL-3.0-or-later
/* Two profiles need no separator; several on a side need "--" between BASE and NEW. Two commands
 * are two operands. */
#include "cli/diff/diff_cli.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/messages/complaint.h"
#include "cli/usage/options.h"
#include "cli/usage/report_options.h"

enum {
	OPT_FORMAT = USAGE_OWN,
	OPT_BY,
	OPT_THRESHOLD,
	OPT_RUN_TO_RUN,
	OPT_STRICT,
	OPT_SITES,
	OPT_PER,
	OPT_FULL,
	OPT_TOP,
	OPT_FRAMES,
	OPT_LIVE,
	OPT_RUNS,
	OPT_EQUAL,
	OPT_MOST,
	OPT_FOR
};

#define EQUAL	  0.01
#define MOST_RUNS 100
#define RUNS_MOST 1000

static const struct usage_entry usage_options[] = {
	{"by", OPT_BY, "path|site|function",
	 .text = "what a row is (default: path, the full call path)"},
	{"confidence", USAGE_CONFIDENCE, "R",
	 .text = "1 - R of the changes reported may be none (default: 0.95)"},
	{"threshold", OPT_THRESHOLD, "P",
	 .text = "a smaller change of a site is none (default: 0.5%)"},
	{"run-to-run", OPT_RUN_TO_RUN, "P",
	 .text = "one run a side: how far runs may differ; a site without others of its function "
		 "must change more (default: 900%)"},
	{"per", OPT_PER, "FUNCTION",
	 .text = "calls and time for each completed call of this function, such as one that takes "
		 "a request (recv; recv@error: of another outcome)"},
	{"sites", OPT_SITES, "frequent|all|none",
	 .text = "which sites that came or went are a change (default: frequent, those of 256 "
		 "calls a run and 1 % of them or of the time)"},
	{"strict-sites", OPT_STRICT, NULL, .text = "the same as --sites all"},
	{"format", OPT_FORMAT, "text|json|html",
	 .text = "what to print (default: as the name of OUT ends, else text)"},
	{"top", OPT_TOP, "N", .text = "rows at most, 0: all (default: 20 in text, else all)"},
	{"full", OPT_FULL, NULL, .text = "list the sites of which too little is known, too"},
	{"frames", OPT_FRAMES, "N", .text = "lines of call path a row in text (default: 4)"},
	USAGE_ENTRY_JSON("scprof-diff/1 (scprof-diff-live/1 with --live), as --format json"),
	{"live", OPT_LIVE, NULL,
	 .text = "BASE and NEW are commands: run them in turn, in random order, until the answer "
		 "is "
		 "sure. That holds however often one looks",
	 .flags = USAGE_TYPED_ONLY},
	{"runs", OPT_RUNS, "N",
	 .text = "OLD and NEW are commands: run each N times, in turn, and compare the profiles",
	 .flags = USAGE_TYPED_ONLY},
	{"equal", OPT_EQUAL, "P",
	 .text = "live: stop, too, when the run and all sites with 1 % of the time or more are "
		 "equal within P (default: 1%; 0: do not)",
	 .flags = USAGE_TYPED_ONLY},
	{"most", OPT_MOST, "RUNS", .text = "live: runs of each at most (default: 100)",
	 .flags = USAGE_TYPED_ONLY},
	{"for", OPT_FOR, "T", .text = "live: begin no more runs after so long, such as 10s",
	 .flags = USAGE_TYPED_ONLY},
	{"clock", 'c', "CLOCK", .text = "of commands: as of scprof run", .flags = USAGE_TYPED_ONLY},
	{"symbols", 's', "SYMBOLS", .text = "of commands: as of scprof run",
	 .flags = USAGE_TYPED_ONLY},
	{"groups", 'g', "GROUPS", .text = "of commands: as of scprof run",
	 .flags = USAGE_TYPED_ONLY},
	USAGE_ENTRY_OUTPUT("OUT", "write to a file instead of standard output"),
	USAGE_ENTRY_HELP,
	{0}};

const struct usage diff_options_usage = {
	.command = "diff",
	.summary = "what became slower or faster",
	.synopsis = {"[OPTION...] BASE NEW", "[OPTION...] BASE... -- NEW...",
		     "--live [OPTION...] 'BASE COMMAND' 'NEW COMMAND'",
		     "--runs N -- OLD [ARG...] -- NEW [ARG...]"},
	.text = "Say what became slower or faster. Two runs of the same work are compared site by "
		"site: their elapsed time, and the CPU time of calls that were "
		"not switched. Sites are matched by symbol and line, not by address: a rebuilt "
		"program matches. Three runs a side or more, recorded in turn, can tell far "
		"smaller changes: only they show by how much runs differ anyway.",
	.words = "BASE NEW",
	.mode = "-",
	.options = usage_options,
	.exit_status = "0 no significant change, 1 some change, 2 wrong usage, a profile that "
		       "cannot be read, or nothing that could be compared",
	.bad_usage = 2,
	.failure = 2,
};

static int refuse(const char *what, const char *value, const char *why)
{
	return complaint_say(DIFF_COMMAND, "%s '%s' %s", what, value, why);
}

static int set_share(double *share, const char *name, const char *value, double most)
{
	double given;

	if (!strcmp(value, "0") || !strcmp(value, "0%"))
		given = 0;
	else if (quantity_share(value, &given) || given > most)
		return refuse(name, value, "is not a share such as 0.02 or 2%, nor 0");
	*share = given;
	return 0;
}

#define MEMBER(option, kind, member, ...)                                                          \
	OPTIONS_MEMBER(option, kind, diff_arguments, member, ##__VA_ARGS__)
static const struct options_member members[] = {
	MEMBER(OPT_LIVE, FLAG, live),
	MEMBER(OPT_RUNS, COUNT32, runs, .least = 1, .most = RUNS_MOST),
	MEMBER(OPT_MOST, COUNT32, most, .least = 1, .most = 1000000),
	MEMBER(OPT_FOR, DURATION, for_ns, .least = 1, .most = UINT64_MAX),
	MEMBER('c', TEXT, clock),
	MEMBER('s', TEXT, symbols),
	MEMBER('g', TEXT, groups),
	MEMBER(USAGE_CONFIDENCE, CONFIDENCE, options.confidence),
	MEMBER(OPT_PER, TEXT, options.per),
	MEMBER(OPT_FULL, FLAG, options.full),
	MEMBER(OPT_TOP, COUNT32, options.top, .most = OPTIONS_ANY_COUNT),
	MEMBER(OPT_FRAMES, COUNT32, options.frames, .most = OPTIONS_ANY_COUNT),
	MEMBER('o', TEXT, output),
	{0}};

static int set_option(void *to, int code, const char *value)
{
	struct diff_arguments *a = to;
	struct diff_options *o = &a->options;

	if (code == OPT_EQUAL || code == OPT_MOST || code == OPT_FOR)
		a->only_live = usage_find_code(&diff_options_usage, code)->name;
	else if (code == 'c' || code == 's' || code == 'g')
		a->only_recording = usage_find_code(&diff_options_usage, code)->name;
	switch (code) {
	case OPT_EQUAL:
		return set_share(&a->equal, "--equal", value, 1);
	case USAGE_JSON:
		value = "json";
		/* fall through */
	case OPT_FORMAT:
		a->format_given = true;
		return report_names_parse_format(value, &o->format);
	case OPT_BY:
		return report_names_parse_by(value, &o->by);
	case OPT_THRESHOLD:
		return set_share(&o->min_change, "--threshold", value, 1);
	case OPT_RUN_TO_RUN:
		return set_share(&o->run_to_run, "--run-to-run", value, 100);
	case OPT_STRICT:
		o->sides = DIFF_SIDES_ALL;
		return 0;
	case OPT_SITES:
		o->sides = *value == 'f'   ? DIFF_SIDES_FREQUENT
			   : *value == 'a' ? DIFF_SIDES_ALL
					   : DIFF_SIDES_NONE;
		return 0;
	case 1: /* an operand, in its place among the others: "--" is seen where it stands */
		a->file[a->files++] = value;
		return 0;
	default:
		return options_take(&diff_options_usage, members, a, code, value);
	}
}

/* Names before "--" are BASE's; without it there are two. */
static int split(struct diff_arguments *a, bool separated)
{
	const char *why = NULL;

	if (!separated && a->files == 2)
		a->bases = 1;
	if (!a->files)
		why = "which profiles? Name two .scp files, the older one first.";
	else if (!separated && a->files == 1)
		why = "with which other profile? Name two .scp files, the older one first.";
	else if (!separated && a->files > 2)
		why = "where does NEW begin? Several profiles a side: BASE... -- NEW...";
	else if (!a->bases || a->bases == a->files)
		why = "one side has no profile: BASE... -- NEW...";
	if (!why)
		return 0;
	return complaint_say(DIFF_COMMAND, "%s See scprof diff --help", why);
}

/* -o page.html: the format by the name, unless --format is given. */
static int name_format(struct diff_arguments *a)
{
	enum report_format named = REPORT_CSV;

	if (a->format_given || !a->output)
		return 0;
	if (report_names_format_of(a->output, &named) && !report_options_strange_ending(a->output))
		return 0;
	if (named != REPORT_TEXT && named != REPORT_JSON && named != REPORT_HTML)
		return refuse("-o", a->output,
			      "is not named as a comparison. One has .txt, .json and .html; other "
			      "names need --format");
	a->options.format = named;
	return 0;
}

/* Two commands. */
static int check_live(const struct diff_arguments *a)
{
	if (a->files != 2)
		complaint_say(DIFF_COMMAND,
			      "--live takes two commands, each in quotes: scprof diff "
			      "--live './base ARG' './new ARG'");
	else if (!a->file[0][strspn(a->file[0], " \t")] || !a->file[1][strspn(a->file[1], " \t")])
		complaint_say(DIFF_COMMAND, "--live: a command is empty");
	else if (a->options.per)
		complaint_say(DIFF_COMMAND, "--per is of profiles, not of --live");
	else if (a->options.format == REPORT_HTML)
		complaint_say(DIFF_COMMAND,
			      "--live prints text or JSON. For a page, record runs with "
			      "scprof run and compare those");
	else
		return 0;
	return -1;
}

/* "--runs N -- OLD [ARG...] -- NEW [ARG...]": `operands` begins behind the first "--". */
static int check_runs(struct diff_arguments *a, char **operands, bool separated)
{
	char **second = operands;

	while (*second && strcmp(*second, "--") != 0)
		second++;
	if (a->live)
		complaint_say(DIFF_COMMAND,
			      "--runs and --live: either so many runs, or as many as it takes");
	else if (a->only_live)
		complaint_say(DIFF_COMMAND, "--%s is of --live, not of --runs", a->only_live);
	else if (!separated || second == operands || !*second || !second[1])
		complaint_say(DIFF_COMMAND,
			      "--runs takes two commands: scprof diff --runs 5 -- ./old "
			      "ARG -- ./new ARG");
	else {
		*second = NULL;
		a->words[0] = operands;
		a->words[1] = second + 1;
		return 0;
	}
	return -1;
}

static int check(struct diff_arguments *a, char **operands, bool separated)
{
	if (name_format(a))
		return -1;
	if (a->runs)
		return check_runs(a, operands, separated);
	if (a->live)
		return check_live(a);
	if (!a->only_live && !a->only_recording)
		return split(a, separated);
	return complaint_say(DIFF_COMMAND, "--%s is of %s two commands",
			     a->only_live ? a->only_live : a->only_recording,
			     a->only_live ? "--live, which runs" : "--live and --runs, which run");
}

static int parse(int argc, char **argv, struct diff_arguments *a)
{
	int status = options_parse(&diff_options_usage, argc, argv, set_option, a);

	if (status != OPTIONS_GO)
		return status;
	bool separated = optind > 1 && !strcmp(argv[optind - 1], "--");

	a->bases = a->files;
	if (a->runs)
		return check(a, argv + optind, separated && !a->files)
			       ? diff_options_usage.bad_usage
			       : OPTIONS_GO;
	for (int i = optind; i < argc; i++)
		a->file[a->files++] = argv[i];
	return check(a, NULL, separated) ? diff_options_usage.bad_usage : OPTIONS_GO;
}

int diff_options_parse(int argc, char **argv, struct diff_arguments *a)
{
	int status;

	*a = (struct diff_arguments){
		.options = DIFF_OPTIONS_DEFAULT, .equal = EQUAL, .most = MOST_RUNS};
	a->file = calloc((size_t)argc + 1, sizeof(*a->file));
	if (!a->file) {
		complaint_say(DIFF_COMMAND, "out of memory");
		return diff_options_usage.failure;
	}
	status = parse(argc, argv, a);
	if (status != OPTIONS_GO)
		diff_options_free(a);
	return status;
}

void diff_options_free(struct diff_arguments *a)
{
	free(a->file);
	a->file = NULL;
}
