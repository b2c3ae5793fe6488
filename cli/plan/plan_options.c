// SPDX-License-Identifier: GPL-3.0-or-later
/* Two questions share one command line. An option of one is refused with the other: an option that
 * is silently ignored gives a wrong answer. */
#include "cli/plan/plan.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/messages/complaint.h"
#include "collector/duration.h"
#include "cli/usage/options.h"

#define COMMAND "scprof plan"

enum {
	OPT_TICK = USAGE_OWN,
	OPT_MEAN,
	OPT_LONGEST,
	OPT_WIDTH,
	OPT_RELATIVE,
	OPT_DIGITS,
	OPT_CALLS,
	OPT_CHANGE,
	OPT_SHARE,
	OPT_BY
};

static const struct usage_entry usage_options[] = {
	{"tick", OPT_TICK, "T", .text = "interval of the clock: 50us, 1ms, 0.5s",
	 .flags = USAGE_TYPED_ONLY},
	{"mean", OPT_MEAN, "T", .text = "about how long the shortest operation takes",
	 .flags = USAGE_TYPED_ONLY},
	{"longest", OPT_LONGEST, "T",
	 .text = "how long the longest one takes, such as the loop around it: tells how long the "
		 "experiment will last, and what it reaches",
	 .flags = USAGE_TYPED_ONLY},
	USAGE_ENTRY_CONFIDENCE,
	{"width", OPT_WIDTH, "P",
	 .text = "TOTAL width of the interval over the mean: 0.1 or 10% is +-5 % (Beilner's eq. "
		 "13; default: 0.1)",
	 .flags = USAGE_EXCLUSIVE},
	{"relative", OPT_RELATIVE, "P", .text = "the same as half a width: 5% is --width 10%",
	 .flags = USAGE_EXCLUSIVE},
	{"digits", OPT_DIGITS, "K",
	 .text = "right to one unit of the K-th significant digit instead",
	 .flags = USAGE_TYPED_ONLY | USAGE_EXCLUSIVE},
	{"calls", OPT_CALLS, "N",
	 .text = "the question turned round: how narrow after so many calls",
	 .flags = USAGE_TYPED_ONLY | USAGE_EXCLUSIVE},
	{"change", OPT_CHANGE, "P",
	 .text = "instead: how many calls until scprof diff finds a change of P at any one site, "
		 "95 times in 100",
	 .flags = USAGE_TYPED_ONLY | USAGE_EXCLUSIVE},
	{"share", OPT_SHARE, "S", .text = "sites above this share of the calls' time (default: 1%)",
	 .flags = USAGE_TYPED_ONLY},
	{"by", OPT_BY, "path|site|function", .text = "what a site is (default: path)",
	 .flags = USAGE_TYPED_ONLY},
	USAGE_ENTRY_JSON("scprof-plan/1"),
	USAGE_ENTRY_HELP,
	{0}};

const struct usage plan_options_usage = {
	.command = "plan",
	.summary = "how many calls a measurement needs, or how many more",
	.synopsis = {"--tick T --mean T [--longest T] [--confidence R] [--width P | --relative P | "
		     "--digits K | --calls N] [--json]",
		     "[--share S] [--by path|site|function] [--confidence R] [--width P | "
		     "--relative P | --change P] [--json] PROFILE..."},
	.text = "How many calls a measurement needs before it is made (Beilner; Danzig and "
		"Melvin), or how many more one that was made needs.",
	.words = "PROFILE",
	.options = usage_options,
	.exit_status =
		"0 done, 1 profiles cannot be read, and are named (the others are used), or say "
		"nothing;\n2 wrong usage",
	.bad_usage = 2,
	.failure = 1,
};

/* The options that were given, for checks between options. */
struct given {
	struct plan_options *options;
	bool width, relative, digits, share, by;
};

__attribute__((format(printf, 1, 2))) static int refuse(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	complaint_format(COMMAND, format, args);
	va_end(args);
	return -1;
}

static int set_duration(uint64_t *to, const char *name, const char *text)
{
	int failed = duration_parse(text, to);

	if (failed && errno == ERANGE)
		return refuse("--%s '%s' is out of range: whole nanoseconds, from 1ns to 584 years",
			      name, text);
	if (failed)
		return refuse("--%s '%s' is not a duration: a number and its unit, such as 50us, "
			      "1ms or 0.5s",
			      name, text);
	if (!*to)
		return refuse("--%s '%s' is no time at all; it must be longer than 0", name, text);
	return 0;
}

static int set_confidence(struct plan_options *o, const char *text)
{
	double value;

	if (options_confidence(&plan_options_usage, text, &value))
		return -1;
	if (value > PLAN_CONFIDENCE_MAX)
		return refuse("--confidence '%s' is more than any number of calls gives: at most "
			      "%.9g",
			      text, PLAN_CONFIDENCE_MAX);
	o->confidence = value;
	return 0;
}

/* Of --relative, half a width, "+-5%" and "±5%", too: the output has them. */
static int set_width(struct plan_options *o, const char *name, const char *text, double widths)
{
	bool signs = widths > 1 && (!strncmp(text, "+-", 2) || !strncmp(text, "±", 2));
	double value;

	if (quantity_share(text + (signs ? 2 : 0), &value) || value > 2 / widths)
		return refuse("--%s '%s' is not above 0 and at most %.9g (times the mean): such as "
			      "%.9g or %.9g%%",
			      name, text, 2 / widths, 0.1 / widths, 10 / widths);
	if (widths * value < PLAN_WIDTH_MIN)
		return refuse("--%s '%s' is narrower than any clock's calibration: at least %.9g",
			      name, text, PLAN_WIDTH_MIN / widths);
	o->width = widths * value;
	return 0;
}

static int set_digits(struct plan_options *o, const char *text)
{
	if (text[0] < '1' || text[0] > '0' + PLAN_DIGITS_MAX || text[1])
		return refuse("--digits '%s' is not a number of significant digits, 1 to %d", text,
			      PLAN_DIGITS_MAX);
	o->digits = (unsigned)(text[0] - '0');
	return 0;
}

static int set_change(struct plan_options *o, const char *text)
{
	double value;

	if (quantity_share(text, &value) || value < PLAN_CHANGE_MIN || value > PLAN_CHANGE_MAX)
		return refuse("--change '%s' is not from 1%% to 1000%%: such as 0.05 or 5%%", text);
	o->change = value;
	return 0;
}

static int set_share(struct plan_options *o, const char *text)
{
	double value = 0;
	bool none = !strcmp(text, "0") || !strcmp(text, "0%");

	if (!none && (quantity_share(text, &value) || value >= 1))
		return refuse("--share '%s' is not a share from 0 to below 1: such as 0.01 or 1%%",
			      text);
	o->share = value;
	return 0;
}

static int set_option(void *to, int code, const char *value)
{
	struct given *given = to;
	struct plan_options *o = given->options;

	switch (code) {
	case OPT_TICK:
		return set_duration(&o->tick_ns, "tick", value);
	case OPT_MEAN:
		return set_duration(&o->mean_ns, "mean", value);
	case OPT_LONGEST:
		return set_duration(&o->longest_ns, "longest", value);
	case USAGE_CONFIDENCE:
		return set_confidence(o, value);
	case OPT_WIDTH:
		given->width = true;
		return set_width(o, "width", value, 1);
	case OPT_RELATIVE:
		given->relative = true;
		return set_width(o, "relative", value, 2);
	case OPT_DIGITS:
		given->digits = true;
		return set_digits(o, value);
	case OPT_CALLS:
		return options_count(&plan_options_usage, code, value, 1, PLAN_CALLS_MAX,
				     &o->calls);
	case OPT_CHANGE:
		return set_change(o, value);
	case OPT_SHARE:
		given->share = true;
		return set_share(o, value);
	case OPT_BY:
		given->by = true;
		return report_names_parse_by(value, &o->by);
	default:
		o->json = true;
		return 0;
	}
}

static int check_to_come(const struct plan_options *o, const struct given *given)
{
	if (!o->tick_ns && !o->mean_ns)
		return refuse("plan what? Give --tick and --mean, or a PROFILE; see scprof plan "
			      "--help");
	if (!o->tick_ns)
		return refuse("--tick is missing: the interval of the clock, such as 1ms");
	if (!o->mean_ns)
		return refuse("--mean is missing: about how long the operation takes, such as "
			      "50us");
	if (o->longest_ns && o->longest_ns < o->mean_ns)
		return refuse("--longest is shorter than --mean; it is the longest of the "
			      "operations measured");
	if (given->share || given->by)
		return refuse("--%s is a question to a PROFILE, and none is named",
			      given->share ? "share" : "by");
	return 0;
}

static int check(const struct plan_options *o, const struct given *given)
{
	if (given->width + given->relative + given->digits > 1)
		return refuse("--width, --relative and --digits say the same thing in three ways; "
			      "give one");
	if (o->calls && (given->width || given->relative || given->digits || o->change > 0))
		return refuse("--calls asks how narrow, the others how many calls; give one");
	if (o->change > 0 && !o->profiles)
		return refuse("--change is a question to a PROFILE, and none is named");
	if (o->change > 0 && (given->width || given->relative || given->digits))
		return refuse("--change asks for a comparison, --width and --relative for an "
			      "interval; give one");
	if (!o->profiles)
		return check_to_come(o, given);
	if (o->tick_ns || o->mean_ns || o->longest_ns)
		return refuse("a PROFILE knows its tick and its means; give either --tick and "
			      "--mean, or a PROFILE");
	if (o->calls)
		return refuse("--calls goes with --tick and --mean; a PROFILE knows its calls");
	if (given->digits)
		return refuse("--digits is for one mean, and a PROFILE has many; give --relative");
	return 0;
}

int plan_options_parse(int argc, char **argv, struct plan_options *o)
{
	struct given given = {.options = o};
	int status;

	*o = (struct plan_options){.confidence = 0.95,
				   .width = PLAN_WIDTH_DEFAULT,
				   .share = PLAN_SHARE_DEFAULT,
				   .by = REPORT_BY_PATH};
	status = options_parse(&plan_options_usage, argc, argv, set_option, &given);
	if (status != OPTIONS_GO)
		return status;
	o->profile = (const char *const *)argv + optind;
	o->profiles = (size_t)(argc - optind);
	return check(o, &given) ? plan_options_usage.bad_usage : OPTIONS_GO;
}
