// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof doctor`: what is missing here, before somebody wonders about an empty report. */
#include "cli/cmd.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>

#include "cli/complaint.h"
#include "collector/doctor/doctor.h"
#include "cli/doctor_print.h"
#include "cli/version.h"

const char doctor_usage[] =
	"usage: scprof doctor [--json] [PROGRAM]\n"
	"What this machine and this session allow, what is missing, and how to get it: each thing "
	"is\n"
	"tried, none is guessed. With PROGRAM, whether the library can be loaded into it; it is "
	"not\n"
	"run.\n"
	"\n"
	"  PROGRAM     a program, by its path or found as a shell finds it\n"
	"  --json      one object, schema scprof-doctor/1\n"
	"  -h, --help  this text\n"
	"\n"
	"exit status: 0 nothing is missing; 1 scprof run works, and something else is limited;\n"
	"             2 scprof run cannot profile here, or not this PROGRAM; or wrong usage\n";

enum { OPT_JSON = 256 };

static int fail(const char *why)
{
	complaint_print("scprof doctor", why);
	return 2;
}

int cmd_doctor(int argc, char **argv)
{
	static const struct option options[] = {
		{"json", no_argument, NULL, OPT_JSON}, {"help", no_argument, NULL, 'h'}, {0}};
	static const int status_of[] = {
		[DOCTOR_OK] = 0, [DOCTOR_NOTE] = 0, [DOCTOR_LIMITED] = 1, [DOCTOR_MISSING] = 2};
	static struct doctor d;
	bool json = false;
	int option, status;

	opterr = 0;
	optind = 0;
	while ((option = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
		if (option == 'h')
			return fputs(doctor_usage, stdout) == EOF || fflush(stdout) ? 2 : 0;
		if (option != OPT_JSON) {
			complaint_option("scprof doctor", argv, option);
			return 2;
		}
		json = true;
	}
	if (argc - optind > 1)
		return fail("one PROGRAM at a time; its arguments do not matter here");
	doctor_examine(&d, SCPROF_VERSION, argv[optind]);
	status = status_of[doctor_check_worst(&d)];
	if (json ? doctor_print_json(&d, status) : doctor_print_text(&d)) {
		perror("scprof doctor: cannot write to standard output");
		return 2;
	}
	return status;
}
