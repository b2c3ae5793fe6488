// SPDX-License-Identifier: GPL-3.0-or-later
/* scprof report: profiles in, a report out. */
#include "cli/cmd.h"

#include <unistd.h>

#include "cli/usage/report_options.h"
#include "report/symbols/function_names.h"
#include "cli/usage/output.h"
#include "cli/messages/progress.h"
#include "report/report.h"

#define COMMAND "scprof report"

struct arguments {
	struct report_choice choice;
	const char *output, *program;
};

static const struct usage_entry usage_options[] = {
	REPORT_OPTIONS_ENTRIES,
	{"program", 0, "NAME", .text = "only programs of this name, which may have * and ? in it",
	 OPTIONS_MEMBER(TEXT, arguments, program)},
	USAGE_ENTRY_OUTPUT("OUT",
			   "write to a file, in the format that its name ends in: .html, "
			   ".json, .csv, .svg, .pb.gz, .folded, .callgrind, .speedscope, .txt",
			   OPTIONS_MEMBER(TEXT, arguments, output)),
	USAGE_ENTRY_HELP,
	{0}};

static const struct usage_entry usage_variables[] = {
	{.name = "SCPROF_DEBUG_PATH",
	 .text = "DIR[:DIR...]: more places for files of the program and their debug information; "
		 "build-ids decide"},
	{.name = "DEBUGINFOD_URLS", .text = "servers for it"},
	{0}};

const struct usage cmd_report_usage = {
	.command = COMMAND,
	.summary = "print what profiles say",
	.synopsis = {"[OPTION...] PROFILE...", "[OPTION...] DIRECTORY..."},
	.text = "Say what each call site of a profiled program costs, with confidence intervals. "
		"Profiles of one program are added up, those of several are reported apart. A "
		"directory stands for the *.scp files in it.",
	.words = "PROFILE",
	.options = usage_options,
	.variables = usage_variables,
	.report_at = offsetof(struct arguments, choice),
	.exit_status =
		"0 done, 1 profiles cannot be read, and are named (the others are reported), "
		"or no output;\n2 wrong usage",
	USAGE_ENDS(2, 1),
};

static int set_option(void *to, int code, const char *value)
{
	struct arguments *a = to;
	return report_options_take(&a->choice, &cmd_report_usage, code, value);
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
	return report_options_settle(&a->choice, &cmd_report_usage, a->output,
				     isatty(STDOUT_FILENO))
		       ? cmd_report_usage.bad_usage
		       : OPTIONS_GO;
}

static int print_to(const struct profile *p, const struct arguments *a)
{
	const char *missing = report_weight_missing(p, &a->choice.options);
	struct output out;

	if (missing)
		return complaint_say(COMMAND, "%s", missing);
	if (output_begin(&out, COMMAND, a->output))
		return -1;
	return output_end(&out, COMMAND, report_print(p, &a->choice.options, out.stream));
}

/* 0, or -1 having said why. */
static int keep_program(struct profile *p, const char *pattern, struct progress *progress)
{
	int status = pattern ? keep_programs(p, pattern) : 0;

	if (status >= 0)
		return 0;
	progress_clear(progress);
	if (status != KEEP_NONE)
		return complaint_say(COMMAND, "out of memory");
	return complaint_say(
		COMMAND, "--program '%s': no such program in this profile; --by process lists them",
		pattern);
}

int cmd_report(int argc, char **argv)
{
	struct arguments a = {.choice = REPORT_CHOICE_DEFAULT};
	struct progress progress;
	int left_out = 0, status = parse(argc, argv, &a);

	if (status != OPTIONS_GO)
		return status;
	struct profile *p = inputs_open(COMMAND, a.output, (const char *const *)argv + optind,
					&progress, false, &left_out);
	if (!p)
		return left_out;
	progress_show(&progress, 1, "working out the report");
	status = keep_program(p, a.program, &progress);
	function_names_fill(p);
	progress_clear(&progress);
	if (status == 0)
		status = print_to(p, &a);
	profile_free(p);
	return status < 0 ? cmd_report_usage.failure : left_out;
}
