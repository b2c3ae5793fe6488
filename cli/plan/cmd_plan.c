// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof plan`: how many calls for how narrow an interval, before measuring or after. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/plan/plan.h"
#include "report/symbols/function_names.h"
#include "cli/messages/progress.h"
#include "cli/usage/output.h"

/* Two questions share one command line. An option of one is refused with the other: an option that
 * is silently ignored gives a wrong answer. */

#define COMMAND "scprof plan"

enum { OPT_WIDTH = USAGE_OWN, OPT_RELATIVE, OPT_BY };

#define MEMBER(kind, member, ...) OPTIONS_MEMBER(kind, plan_options, member, ##__VA_ARGS__)
#define DURATION(member)	  MEMBER(DURATION, member, .least = 1, .most = UINT64_MAX)

static const struct usage_entry usage_options[] = {
	{"tick", 0, "T", .text = "interval of the clock: 50us, 1ms, 0.5s",
	 .flags = USAGE_TYPED_ONLY, DURATION(tick_ns)},
	{"mean", 0, "T", .text = "about how long the shortest operation takes",
	 .flags = USAGE_TYPED_ONLY, DURATION(mean_ns)},
	{"longest", 0, "T",
	 .text = "how long the longest one takes, such as the loop around it: tells how long the "
		 "experiment will last, and what it reaches",
	 .flags = USAGE_TYPED_ONLY, DURATION(longest_ns)},
	USAGE_ENTRY_CONFIDENCE(MEMBER(CONFIDENCE, confidence)),
	{"width", OPT_WIDTH, "P",
	 .text = "TOTAL width of the interval over the mean: 0.1 or 10% is +-5 % (Beilner's eq. "
		 "13; default: 0.1)",
	 .flags = USAGE_EXCLUSIVE},
	{"relative", OPT_RELATIVE, "P", .text = "the same as half a width: 5% is --width 10%",
	 .flags = USAGE_EXCLUSIVE},
	{"digits", 0, "K", .text = "right to one unit of the K-th significant digit instead",
	 .flags = USAGE_TYPED_ONLY | USAGE_EXCLUSIVE,
	 MEMBER(COUNT32, digits, .least = 1, .most = PLAN_DIGITS_MAX)},
	{"share", 0, "S", .text = "sites above this share of the calls' time (default: 1%)",
	 .flags = USAGE_TYPED_ONLY, MEMBER(SHARE, share, .most = 999999)},
	{"by", OPT_BY, "path|site|function", .text = "what a site is (default: path)",
	 .flags = USAGE_TYPED_ONLY, MEMBER(CHOICE, by)},
	USAGE_ENTRY_JSON("scprof-plan/1", MEMBER(FLAG, json)),
	USAGE_ENTRY_HELP,
	{0}};

const struct usage plan_options_usage = {
	.command = COMMAND,
	.summary = "how many calls a measurement needs, or how many more",
	.synopsis = {"--tick T --mean T [--longest T] [--confidence R] [--width P | --relative P | "
		     "--digits K] [--json]",
		     "[--share S] [--by path|site|function] [--confidence R] [--width P | "
		     "--relative P] [--json] PROFILE..."},
	.text = "How many calls a measurement needs before it is made (Beilner; Danzig and "
		"Melvin), or how many more one that was made needs.",
	.words = "PROFILE",
	.options = usage_options,
	.exit_status =
		"0 done, 1 profiles cannot be read, and are named (the others are used), or say "
		"nothing;\n2 wrong usage",
	USAGE_ENDS(2, 1),
};

#define refuse(...) complaint_say(COMMAND, __VA_ARGS__)

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

static int set_option(void *to, int code, const char *value)
{
	struct plan_options *o = to;

	o->width_given |= code == OPT_WIDTH;
	o->relative_given |= code == OPT_RELATIVE;
	o->by_given |= code == OPT_BY;
	if (code == OPT_WIDTH)
		return set_width(o, "width", value, 1);
	return code == OPT_RELATIVE ? set_width(o, "relative", value, 2) : 0;
}

static int check_to_come(const struct plan_options *o)
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
	if (o->share >= 0 || o->by_given)
		return refuse("--%s is a question to a PROFILE, and none is named",
			      o->share >= 0 ? "share" : "by");
	return 0;
}

static int check(const struct plan_options *o)
{
	if (o->confidence > PLAN_CONFIDENCE_MAX)
		return refuse("--confidence is more than any number of calls gives: at most %.9g",
			      PLAN_CONFIDENCE_MAX);
	if (o->width_given + o->relative_given + (o->digits > 0) > 1)
		return refuse("--width, --relative and --digits say the same thing in three ways; "
			      "give one");
	if (!o->profiles)
		return check_to_come(o);
	if (o->tick_ns || o->mean_ns || o->longest_ns)
		return refuse("a PROFILE knows its tick and its means; give either --tick and "
			      "--mean, or a PROFILE");
	if (o->digits)
		return refuse("--digits is for one mean, and a PROFILE has many; give --relative");
	return 0;
}

/* OPTIONS_GO, or the exit status. */
static int plan_options_parse(int argc, char **argv, struct plan_options *o)
{
	*o = (struct plan_options){
		.confidence = 0.95, .width = PLAN_WIDTH_DEFAULT, .share = -1, .by = REPORT_BY_PATH};
	int status = options_parse(&plan_options_usage, argc, argv, set_option, o);
	if (status != OPTIONS_GO)
		return status;
	o->profile = (const char *const *)argv + optind;
	o->profiles = (size_t)(argc - optind);
	if (check(o))
		return plan_options_usage.bad_usage;
	if (o->share < 0)
		o->share = PLAN_SHARE_DEFAULT;
	return OPTIONS_GO;
}

static int finish(int failed)
{
	return failed ? options_fail(&plan_options_usage, "out of memory") : 0;
}

static int plan_report(struct report *r, const struct plan_options *o)
{
	struct plan_sites p;
	int status = plan_sites_build(&p, r, o) ?: plan_sites_print(&p, r, o);

	free(p.site);
	return status;
}

static int plan_profiles(const struct plan_options *o)
{
	struct report_options options = REPORT_OPTIONS_DEFAULT;
	struct progress progress;
	int left_out = 0, status = -1;

	struct profile *p = inputs_open(COMMAND, NULL, o->profile, &progress, true, &left_out);

	if (!p)
		return left_out;
	function_names_fill(p);
	options.by = o->by;
	options.confidence = o->confidence;
	options.together = true;
	struct report *r = report_build(p, &options);
	if (r && !r->calls) {
		complaint_say("scprof plan",
			      "%s: no finished call to plan from; record a longer run, or more "
			      "groups (-g)",
			      o->profiles == 1 ? o->profile[0] : "these profiles");
		report_free(r);
		profile_free(p);
		return plan_options_usage.failure;
	}
	if (r)
		status = plan_report(r, o);
	report_free(r);
	profile_free(p);
	status = finish(status);
	return status ? status : left_out;
}

int cmd_plan(int argc, char **argv)
{
	struct plan_options o;
	int status = plan_options_parse(argc, argv, &o);

	if (status != OPTIONS_GO)
		return status;
	errno = 0;
	return o.profiles ? plan_profiles(&o) : finish(plan_ahead_print(&o));
}
