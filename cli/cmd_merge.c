// SPDX-License-Identifier: GPL-3.0-or-later
/* scprof merge: many profiles in, one out. */
#include "cli/cmd.h"

#include "cli/usage/report_options.h"
#include "cli/usage/output.h"
#include "report/symbols/function_names.h"
#include "profile/profile.h"
#include "cli/messages/progress.h"

/* With more processes than this, those of the same program become one. */
#define KEEP_PROCESSES 64

#define COMMAND "scprof merge"

static const struct usage_entry usage_options[] = {
	USAGE_ENTRY_OUTPUT(
		"OUT",
		"the file to write, none of the profiles; it is replaced only when all went well",
		.sets.type = OPTIONS_TEXT),
	USAGE_ENTRY_HELP,
	{0}};

const struct usage cmd_merge_usage = {
	.command = COMMAND,
	.summary = "make one profile of several",
	.synopsis = {"-o OUT PROFILE...", "-o OUT DIRECTORY..."},
	.text = "Add up several profiles, of the same kind of clock, in one file.",
	.words = "PROFILE",
	.options = usage_options,
	.note = "Beyond 64 processes, those of the same program in one run are kept as one.",
	.exit_status =
		"0 done, 1 profiles cannot be read, and are named (the others are added up), "
		"or no output;\n2 wrong usage",
	USAGE_ENDS(2, 1),
};

static int parse(int argc, char **argv, const char **output)
{
	int status = options_parse(&cmd_merge_usage, argc, argv, NULL, output);

	if (status != OPTIONS_GO)
		return status;
	if (report_options_refuse_ending(COMMAND, *output, true))
		return cmd_merge_usage.bad_usage;
	if (*output && optind < argc)
		return OPTIONS_GO;
	complaint_lines(COMMAND, *output ? "which profiles? Name one or more .scp files.\n"
					   "Try 'scprof merge --help'."
					 : "where to? Name the file to write with -o OUT.\n"
					   "Try 'scprof merge --help'.");
	return cmd_merge_usage.bad_usage;
}

int cmd_merge(int argc, char **argv)
{
	struct profile_error err;
	const char *output = NULL;
	struct progress progress;
	int left_out = 0, status = parse(argc, argv, &output);

	if (status != OPTIONS_GO)
		return status;
	struct profile *p = inputs_open(COMMAND, output, (const char *const *)argv + optind,
					&progress, false, &left_out);

	if (!p)
		return left_out;
	generated_keep(p);
	fold_model(p, KEEP_PROCESSES);
	status = write_profile(p, output, &err);
	profile_free(p);
	if (status == 0)
		return left_out;
	complaint_lines(COMMAND, err.text);
	return cmd_merge_usage.failure;
}
