// SPDX-License-Identifier: GPL-3.0-or-later
/* scprof merge: many profiles in, one out. */
#include "cli/cmd.h"

#include <getopt.h>
#include <stdio.h>

#include "cli/complaint.h"
#include "cli/output.h"
#include "profile/profile.h"
#include "cli/progress.h"
#include "cli/inputs.h"

/* Above so many processes those of the same program are folded into one. */
#define KEEP_PROCESSES 64

#define COMMAND "scprof merge"

const char merge_usage[] =
	"usage: scprof merge -o OUT PROFILE...\n"
	"Add up several profiles, of the same kind of clock, in one file.\n"
	"\n"
	"  -o, --output OUT  the file to write, none of the profiles; it is replaced only\n"
	"                    when all went well\n"
	"  -h, --help        this text\n"
	"\n"
	"Beyond 64 processes, those of the same program are kept as one.\n"
	"exit status: 0 done, 1 done, but without profiles that cannot be read, which are named;\n"
	"             2 wrong usage, or no profile that can be read, or no output\n";

static const struct option long_options[] = {
	{"output", required_argument, NULL, 'o'},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

/* 0 go on, 1 help was printed, -1 wrong usage. */
static int parse(int argc, char **argv, const char **output)
{
	int option;

	opterr = 0;
	optind = 0; /* another subcommand may have used getopt before */
	while ((option = getopt_long(argc, argv, ":o:h", long_options, NULL)) != -1) {
		switch (option) {
		case 'h':
			fputs(merge_usage, stdout);
			return 1;
		case 'o':
			*output = optarg;
			break;
		default:
			complaint_option(COMMAND, argv, option);
			return -1;
		}
	}
	if (*output && optind < argc)
		return 0;
	complaint_lines(COMMAND, *output ? "which profiles? Name one or more .scp files.\n"
					   "Try 'scprof merge --help'."
					 : "where to? Name the file to write with -o OUT.\n"
					   "Try 'scprof merge --help'.");
	return -1;
}

int cmd_merge(int argc, char **argv)
{
	struct profile_error err;
	const char *output = NULL;
	struct progress progress;
	struct profile *p;
	int left_out = 0, status = parse(argc, argv, &output);

	if (status)
		return status < 0 ? 2 : 0;
	if (output_refuse(COMMAND, output, (const char *const *)argv + optind,
			  (size_t)(argc - optind)))
		return 2;
	p = inputs_open(COMMAND, (const char *const *)argv + optind, (size_t)(argc - optind),
			&progress, false, &left_out);
	progress_clear(&progress);
	if (!p)
		return 2;
	fold_model(p, KEEP_PROCESSES);
	status = write_profile(p, output, &err);
	profile_free(p);
	if (status == 0)
		return left_out;
	complaint_lines(COMMAND, err.text);
	return 2;
}
