// SPDX-License-Identifier: GPL-3.0-or-later
/* scprof diff: two profiles in, or several a side; what changed out. Or two commands:
 * --live, --runs. */

#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/diff/diff_cli.h"
#include "cli/messages/progress.h"
#include "cli/run/child_run.h"
#include "cli/usage/output.h"
#include "report/report.h"
#include "cli/usage/report_options.h"

/* Two profiles need no separator; several on a side need "--" between BASE and NEW. Two commands
 * are two operands. */

enum { OPT_FORMAT = USAGE_OWN, OPT_STRICT, OPT_EQUAL, OPT_MOST, OPT_FOR };

#define EQUAL	  0.01
#define MOST_RUNS 100
#define RUNS_MOST 1000

#define MEMBER(kind, member, ...) OPTIONS_MEMBER(kind, diff_arguments, member, ##__VA_ARGS__)
static const struct usage_entry usage_options[] = {
	{"by", 0, "path|site|function", .text = "what a row is (default: path, the full call path)",
	 MEMBER(CHOICE, options.by)},
	{"confidence", 0, "R", .text = "1 - R of the changes reported may be none (default: 0.95)",
	 MEMBER(CONFIDENCE, options.confidence)},
	{"threshold", 0, "P", .text = "a smaller change of a site is none (default: 0.5%)",
	 MEMBER(SHARE, options.min_change, .most = 1000000)},
	{"run-to-run", 0, "P",
	 .text = "one run a side: how far runs may differ; a site without others of its function "
		 "must change more (default: 900%)",
	 MEMBER(SHARE, options.run_to_run, .most = 100000000)},
	{"per", 0, "FUNCTION",
	 .text = "calls and time for each completed call of this function, such as one that takes "
		 "a request (recv; recv@error: of another outcome)",
	 MEMBER(TEXT, options.per)},
	{"sites", 0, "frequent|all|none",
	 .text = "which sites that came or went are a change (default: frequent, those of 256 "
		 "calls a run and 1 % of them or of the time)",
	 MEMBER(CHOICE, options.sides)},
	{"strict-sites", OPT_STRICT, NULL, .text = "the same as --sites all"},
	{"format", OPT_FORMAT, "text|json|html",
	 .text = "what to print (default: as the name of OUT ends, else text)"},
	{"top", 0, "N", .text = "rows at most, 0: all (default: 20 in text, else all)",
	 MEMBER(COUNT32, options.top, .most = OPTIONS_ANY_COUNT)},
	{"full", 0, NULL, .text = "list the sites of which too little is known, too",
	 MEMBER(FLAG, options.full)},
	{"frames", 0, "N", .text = "lines of call path a row in text (default: 4)",
	 MEMBER(COUNT32, options.frames, .most = OPTIONS_ANY_COUNT)},
	USAGE_ENTRY_JSON("scprof-diff/1 (scprof-diff-live/1 with --live), as --format json"),
	{"live", 0, NULL,
	 .text = "BASE and NEW are commands: run them in turn, in random order, until the answer "
		 "is sure. That holds however often one looks",
	 .flags = USAGE_TYPED_ONLY, MEMBER(FLAG, live)},
	{"runs", 0, "N",
	 .text = "OLD and NEW are commands: run each N times, in turn, and compare the profiles",
	 .flags = USAGE_TYPED_ONLY, MEMBER(COUNT32, runs, .least = 1, .most = RUNS_MOST)},
	{"equal", OPT_EQUAL, "P",
	 .text = "live: stop, too, when the run and all sites with 1 % of the time or more are "
		 "equal within P (default: 1%; 0: do not)",
	 .flags = USAGE_TYPED_ONLY, MEMBER(SHARE, equal, .most = 1000000)},
	{"most", OPT_MOST, "RUNS", .text = "live: runs of each at most (default: 100)",
	 .flags = USAGE_TYPED_ONLY, MEMBER(COUNT32, most, .least = 1, .most = 1000000)},
	{"for", OPT_FOR, "T", .text = "live: begin no more runs after so long, such as 10s",
	 .flags = USAGE_TYPED_ONLY, MEMBER(DURATION, for_ns, .least = 1, .most = UINT64_MAX)},
	{"clock", 'c', "CLOCK", .text = "of commands: as of scprof run", .flags = USAGE_TYPED_ONLY,
	 MEMBER(TEXT, clock)},
	{"symbols", 's', "SYMBOLS", .text = "of commands: as of scprof run",
	 .flags = USAGE_TYPED_ONLY, MEMBER(TEXT, symbols)},
	{"groups", 'g', "GROUPS", .text = "of commands: as of scprof run",
	 .flags = USAGE_TYPED_ONLY, MEMBER(TEXT, groups)},
	USAGE_ENTRY_OUTPUT("OUT", "write to a file instead of standard output",
			   MEMBER(TEXT, output)),
	USAGE_ENTRY_HELP,
	{0}};

const struct usage diff_options_usage = {
	.command = DIFF_COMMAND,
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
	USAGE_ENDS(2, 2),
};

static int set_option(void *to, int code, const char *value)
{
	struct diff_arguments *a = to;
	struct diff_options *o = &a->options;

	if (code == OPT_EQUAL || code == OPT_MOST || code == OPT_FOR)
		a->only_live = usage_find_code(&diff_options_usage, code)->name;
	else if (code == 'c' || code == 's' || code == 'g')
		a->only_recording = usage_find_code(&diff_options_usage, code)->name;
	if (code == OPT_STRICT)
		o->sides = DIFF_SIDES_ALL;
	if (code == USAGE_OPERAND) /* in its place among the others: "--" is seen where it stands */
		a->file[a->files++] = value;
	if (code != USAGE_JSON && code != OPT_FORMAT)
		return 0;
	a->format_given = true;
	return report_names_parse_format(code == USAGE_JSON ? "json" : value, &o->format);
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

static char **next_separator(char **words)
{
	while (*words && strcmp(*words, "--") != 0)
		words++;
	return words;
}

/* "--runs N -- OLD [ARG...] -- NEW [ARG...]": `operands` begins behind the first "--". */
static int check_runs(struct diff_arguments *a, char **operands, bool separated)
{
	char **second = next_separator(operands);

	if (a->live)
		complaint_say(DIFF_COMMAND,
			      "--runs and --live: either so many runs, or as many as it takes");
	else if (a->only_live)
		complaint_say(DIFF_COMMAND, "--%s is of --live, not of --runs", a->only_live);
	else if (!separated || second == operands || !*second || !second[1])
		complaint_say(DIFF_COMMAND,
			      "--runs takes two commands: scprof diff --runs 5 -- ./old "
			      "ARG -- ./new ARG");
	else if (*next_separator(second + 1))
		complaint_say(DIFF_COMMAND,
			      "--runs: which -- begins NEW? A command with -- in it is one word: "
			      "'git log -- FILE'");
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
	if (!a->format_given && a->output &&
	    report_options_name_result(a->output, &a->options.format))
		return complaint_say(DIFF_COMMAND,
				     "-o '%s' is not named as a comparison. One has .txt, .json "
				     "and .html; other names need --format",
				     a->output);
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

/* OPTIONS_GO, or the exit status. Only after OPTIONS_GO there is something to free. */
static int diff_options_parse(int argc, char **argv, struct diff_arguments *a)
{
	*a = (struct diff_arguments){
		.options = DIFF_OPTIONS_DEFAULT, .equal = EQUAL, .most = MOST_RUNS};
	a->file = calloc((size_t)argc + 1, sizeof(*a->file));
	if (!a->file)
		return options_fail(&diff_options_usage, "out of memory");
	int status = parse(argc, argv, a);
	if (status != OPTIONS_GO)
		free(a->file);
	return status;
}

static int compare(const struct diff_arguments *a, const char *const *file, uint32_t files,
		   uint32_t bases)
{
	struct output out;
	struct diff_files f;
	int status = 2;

	if (!diff_files_compare(&f, file, files, bases, &a->options) &&
	    !output_begin(&out, DIFF_COMMAND, a->output) &&
	    !output_end(&out, DIFF_COMMAND, report_print_diff(f.diff, out.stream))) {
		status = f.diff->status;
		if (a->output && status == 2) /* nobody sees it in a file */
			complaint_say(DIFF_COMMAND, "%s", diff_words_verdict(f.diff).text);
	}
	diff_files_free(&f);
	return status;
}

/* 0, or -1 having said why. */
static int record(struct diff_pairs *p)
{
	struct progress progress;
	int failed = 0;

	progress_begin(&progress, DIFF_COMMAND, true);
	for (uint32_t i = 0; i < p->pairs && !failed; i++) {
		progress_show(&progress, (double)i / p->pairs, "run %u of %u of each", i + 1,
			      p->pairs);
		failed = diff_pairs_run(p, i);
	}
	progress_clear(&progress);
	if (failed && child_run_stopped())
		complaint_say(DIFF_COMMAND, "interrupted: nothing is compared");
	return failed;
}

/* --runs: the profiles of both commands' runs are compared as files are. */
static int compare_runs(const struct diff_arguments *a)
{
	struct diff_pairs p;
	int status = 2;

	if (!diff_pairs_begin(&p, a) && !record(&p))
		status = compare(a, p.file, 2 * p.pairs, p.pairs);
	diff_pairs_end(&p);
	return status;
}

int cmd_diff(int argc, char **argv)
{
	struct diff_arguments a;
	int status = diff_options_parse(argc, argv, &a);

	if (status != OPTIONS_GO)
		return status;
	if ((a.runs || a.live) && output_try(DIFF_COMMAND, a.output))
		status = 2;
	else if (a.runs)
		status = compare_runs(&a);
	else if (a.live)
		status = diff_live(&a);
	else if (output_refuse(DIFF_COMMAND, a.output, a.file, a.files))
		status = 2;
	else
		status = compare(&a, a.file, a.files, a.bases);
	free(a.file);
	return status;
}
