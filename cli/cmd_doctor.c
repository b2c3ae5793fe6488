// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof doctor`: what is missing on this machine to profile. */
#include "cli/cmd.h"

#include <stdbool.h>
#include <stdio.h>

#include "cli/messages/complaint.h"
#include "cli/usage/options.h"
#include "collector/doctor/doctor.h"
#include "cli/doctor_print.h"
#include "include/scprof_version.h"
#include "cli/usage/output.h"

static const struct usage_entry usage_operands[] = {
	{.name = "PROGRAM", .text = "a program, by its path or found as a shell finds it"}, {0}};

static const struct usage_entry usage_options[] = {
	USAGE_ENTRY_JSON("scprof-doctor/1"), USAGE_ENTRY_HELP, {0}};

const struct usage cmd_doctor_usage = {
	.command = "doctor",
	.summary = "what this machine allows, and what is missing",
	.synopsis = {"[--json] [PROGRAM]"},
	.text = "What this machine and this session allow, what is missing, and how to get it: "
		"each thing is tried, none is guessed. With PROGRAM, whether the library can be "
		"loaded into it; it is not run.",
	.words = "PROGRAM",
	.operands = usage_operands,
	.options = usage_options,
	.exit_status =
		"0 nothing is missing; 1 scprof run works, and something else is limited;\n2 "
		"scprof run cannot profile here, or not this PROGRAM; or wrong usage",
	.bad_usage = 2,
	.failure = 2,
};

static int fail(const char *why)
{
	complaint_print("scprof doctor", why);
	return 2;
}

static int take_option(void *to, int code, const char *value)
{
	(void)value;
	*(bool *)to = code == USAGE_JSON;
	return 0;
}

int cmd_doctor(int argc, char **argv)
{
	static const int status_of[] = {
		[DOCTOR_OK] = 0, [DOCTOR_NOTE] = 0, [DOCTOR_LIMITED] = 1, [DOCTOR_MISSING] = 2};
	static struct doctor d;
	bool json = false;
	int status = options_parse(&cmd_doctor_usage, argc, argv, take_option, &json);

	if (status != OPTIONS_GO)
		return status;
	if (argc - optind > 1)
		return fail("one PROGRAM at a time; its arguments do not matter here");
	doctor_examine(&d, SCPROF_VERSION, argv[optind]);
	status = status_of[doctor_check_worst(&d)];
	if (json ? doctor_print_json(&d, status) : doctor_print_text(&d)) {
		output_lost("scprof doctor");
		return 2;
	}
	return status;
}
