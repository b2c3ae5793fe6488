// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof doctor`: what is missing on this machine to profile. */
#include "cli/cmd.h"

#include <stdbool.h>
#include <stdio.h>

#include "collector/doctor/doctor.h"
#include "report/render/json/json_write.h"
#include "report/wording/terminal.h"
#include "report/wording/utf8.h"

static const struct usage_entry usage_operands[] = {
	{.name = "PROGRAM", .text = "a program, by its path or found as a shell finds it"}, {0}};

static const struct usage_entry usage_options[] = {
	USAGE_ENTRY_JSON("scprof-doctor/1", .sets.type = OPTIONS_FLAG), USAGE_ENTRY_HELP, {0}};

const struct usage cmd_doctor_usage = {
	.command = "scprof doctor",
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
	USAGE_ENDS(2, 2),
};

static const enum terminal_style styles[] = {TERMINAL_NAME, TERMINAL_DIM, TERMINAL_WARN,
					     TERMINAL_WARN};

static void print_check(const struct doctor_check *c, const struct terminal *t)
{
	terminal_style(stdout, t, styles[c->level]);
	printf("%-8s", doctor_level_name(c->level));
	terminal_style(stdout, t, TERMINAL_PLAIN);
	printf(" %-10s  ", c->name);
	utf8_put_clean(stdout, c->found, t->utf8);
	if (*c->remedy)
		printf("\n%-21s-> ", "");
	utf8_put_clean(stdout, c->remedy, t->utf8);
	putchar('\n');
}

static const char *const summaries[] = {
	[DOCTOR_OK] = "nothing is missing",
	[DOCTOR_NOTE] = "nothing is missing",
	[DOCTOR_LIMITED] = "scprof profiles here; see what is limited above",
	[DOCTOR_MISSING] = "scprof cannot profile here: see what is missing above"};

/* A line for each check, and below it what to do. Paths may have control characters: removed. */
static int print_text(const struct doctor *d)
{
	struct terminal t = terminal_of(stdout, 0);

	for (size_t i = 0; i < d->count; i++)
		print_check(&d->check[i], &t);
	puts(summaries[doctor_worst(d)]);
	return 0;
}

static int print_json(const struct doctor *d, int status)
{
	struct json_writer w = {.out = stdout, .indent = true};

	json_write_open(&w, NULL, '{');
	JSON_PUT(&w, "schema", "scprof-doctor/1", "status", status);
	JSON_LIST(&w, "checks", e, d->check, d->count,
		  JSON_OBJECT(&w, NULL, "name", e->name, "level", doctor_level_name(e->level),
			      "found", e->found, "remedy", *e->remedy ? e->remedy : NULL));
	return json_write_finish(&w);
}

int cmd_doctor(int argc, char **argv)
{
	static const int status_of[] = {
		[DOCTOR_OK] = 0, [DOCTOR_NOTE] = 0, [DOCTOR_LIMITED] = 1, [DOCTOR_MISSING] = 2};
	static struct doctor d;
	bool json = false;
	int status = options_parse(&cmd_doctor_usage, argc, argv, NULL, &json);

	if (status != OPTIONS_GO)
		return status;
	if (argc - optind > 1)
		return options_refuse(&cmd_doctor_usage,
				      "one PROGRAM at a time; its arguments do not matter here");
	doctor_examine(&d, argv[optind]);
	status = status_of[doctor_worst(&d)];
	if (!(json ? print_json(&d, status) : print_text(&d)))
		return status;
	complaint_print("scprof doctor", "out of memory");
	return 2;
}
