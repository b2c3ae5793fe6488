// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/causal/causal_private.h"

#include <string.h>
#include <unistd.h>

#include "cli/attach/attach_options.h"
#include "cli/cmd.h"
#include "cli/usage/report_options.h"
#include "include/scprof_names.h"
#include "stats/causal/slopes.h"

#define COMMAND	     "scprof causal"
#define RUNS_DEFAULT 4

enum { OPT_PROGRESS = USAGE_OWN, OPT_ATTACH };

#define MEMBER(kind, member, ...) OPTIONS_MEMBER(kind, causal_options, member, ##__VA_ARGS__)
static const struct usage_entry usage_options[] = {
	{"progress", OPT_PROGRESS, "FUNCTION[@OUTCOME]",
	 .text = "a unit of work is done each time that this completes: a function, a region, a "
		 "point. @OUTCOME counts calls of another outcome. Its group, or -s, is added",
	 .flags = USAGE_TYPED_ONLY},
	{"at", 0, "SITES",
	 .text = "only these sites: FUNCTION or FUNCTION@FRAME, globs, separated by commas. FRAME "
		 "is a function, or FILE:LINE, of the call path (default: all that take time)",
	 .flags = USAGE_TYPED_ONLY, MEMBER(TEXT, at)},
	{"for", 0, "T", .text = "delay for so long: 30s, 5m (default: until the command ends)",
	 MEMBER(SECONDS, wishes.for_s, .least = 100000000u, .most = UINT64_C(604800000000000))},
	{"until", 0, "P",
	 .text = "until what 10 % off would bring is known to +-P at each site: 1%",
	 MEMBER(SHARE, wishes.precision, .least = 100, .most = 500000)},
	{"end", 0, NULL,
	 .text = "then end the command, by SIGTERM; otherwise it goes on, without delays",
	 MEMBER(FLAG, end)},
	{"slowdown", 0, "P",
	 .text = "all delays together cost no more of the throughput (default: 5%)",
	 MEMBER(SHARE, wishes.slowdown, .least = 1000, .most = 500000)},
	{"by", 0, "path|site|function",
	 .text = "what a site is (default: path, the full call path)",
	 MEMBER(CHOICE, wishes.of_page.by)},
	{"place", 0, "auto|begin|end",
	 .text = "where in a call its delay lies. auto (default): at the end of calls that wait "
		 "for others, else at the beginning",
	 MEMBER(CHOICE, wishes.of_page.place)},
	{"window", 0, "T",
	 .text = "delays are drawn anew so often, 1ms to 10s (default: as progress scatters)",
	 MEMBER(SECONDS, wishes.window_s, .least = 1000000u, .most = UINT64_C(10000000000))},
	{"sites", 0, "N", .text = "delay so many sites at most, 1 to 63 (default: 24)",
	 MEMBER(COUNT, wishes.sites, .least = 1, .most = SLOPES_SITES)},
	{"seed", 0, "N", .text = "of the draws (default: random)",
	 MEMBER(COUNT, wishes.seed, .least = 1, .most = UINT64_MAX)},
	{"groups", 'g', "GROUPS", .text = "functions to time, as run -g",
	 .variable = "SCPROF_GROUPS", MEMBER(TEXT, run.groups)},
	{"symbols", 's', "SYMBOLS", .text = "functions of libraries to time besides, as run -s",
	 .variable = "SCPROF_SYMBOLS", MEMBER(TEXT, run.symbols)},
	{"attach", OPT_ATTACH, "PID", .text = "in a process that runs, instead of a COMMAND",
	 .flags = USAGE_TYPED_ONLY},
	{"confirm", 0, "SITE",
	 .text = "predict what a change at this site (as --at) brings, and check it by running "
		 "both programs in turn",
	 .flags = USAGE_TYPED_ONLY, MEMBER(TEXT, confirm)},
	{"faster", 0, "P", .text = "the change makes a call there shorter by so much: 10%",
	 .flags = USAGE_TYPED_ONLY, MEMBER(SHARE, faster, .least = 1000, .most = 990000)},
	{"changed", 0, "COMMAND", .text = "the changed program, as /bin/sh runs it",
	 .flags = USAGE_TYPED_ONLY, MEMBER(TEXT, changed)},
	{"runs", 0, "N", .text = "run each so often, 2 to 100, for --for (default: 4)",
	 .flags = USAGE_TYPED_ONLY, MEMBER(COUNT, runs, .least = 2, .most = 100)},
	{"format", USAGE_FORMAT, "text|json|html",
	 .text = "what to print (default: as the name of -o ends, else text)",
	 MEMBER(CHOICE, format)},
	USAGE_ENTRY_JSON("scprof-causal/1"),
	USAGE_ENTRY_OUTPUT("OUT",
			   "write it there (default: text on standard error, JSON and HTML "
			   "on standard output, which the command shares; with --attach all "
			   "on standard output)",
			   MEMBER(TEXT, output)),
	USAGE_ENTRY_HELP,
	{0}};

const struct usage causal_options_usage = {
	.command = COMMAND,
	.summary = "what a faster call at each site would bring",
	.synopsis = {"--progress FUNCTION [OPTION...] [--] COMMAND [ARG...]",
		     "--progress FUNCTION [OPTION...] --attach PID"},
	.text = "Run a command, make calls at its sites a little longer at random, and measure how "
		"progress slows down. From that follows what a faster call would bring: 10 % off a "
		"call that another thread hides brings nothing. Ctrl-C ends the delays at once.",
	.words = "COMMAND ARG",
	.mode = "+",
	.options = usage_options,
	.exit_status = "the command's own, 128+N after signal N, 0 where --end ended it; 125 "
		       "scprof failed, 126 the command cannot be executed, 127 it was not found",
	USAGE_ENDS(125, 125),
};

#define refuse(...) complaint_say(COMMAND, __VA_ARGS__)

static const char *const outcomes[] = {SCP_OUTCOME_NAMES};

static int take_progress(struct causal_options *o, const char *text)
{
	const char *at = strrchr(text, '@');
	size_t length = at ? (size_t)(at - text) : strlen(text);

	if (o->wishes.of_page.progress)
		return refuse("--progress: one only, and '%s' was given before",
			      o->wishes.of_page.progress);
	if (!length || length >= sizeof(o->function) || strchr(text, ','))
		return refuse("--progress: '%s' is not the name of a function, region or point",
			      text);
	for (size_t i = 0; at && i < sizeof(outcomes) / sizeof(*outcomes); i++)
		if (outcomes[i] && !strcmp(at + 1, outcomes[i]))
			at = NULL;
	if (at)
		return refuse("--progress: no outcome is called '%s'; there are: completed, "
			      "would-block, timeout, error, peek, exception",
			      at + 1);
	snprintf(o->function, sizeof(o->function), "%.*s", (int)length, text);
	o->wishes.of_page.progress = text;
	return 0;
}

static int take(void *to, int code, const char *value)
{
	struct causal_options *o = to;

	if (code == OPT_PROGRESS)
		return take_progress(o, value);
	if (code == USAGE_JSON)
		o->format = REPORT_JSON;
	o->format_given |= code == USAGE_JSON || code == USAGE_FORMAT;
	if (code != OPT_ATTACH)
		return 0;
	o->attach = attach_options_pid(COMMAND, value);
	return o->attach ? 0 : -1;
}

static bool has_empty_pattern(const char *list)
{
	return !*list || *list == ',' || *list == '@' || list[strlen(list) - 1] == ',' ||
	       strstr(list, ",,") || strstr(list, ",@");
}

static int check_confirm(const struct causal_options *o)
{
	if (!o->confirm && (o->faster > 0 || o->changed || o->runs))
		return refuse("--%s goes with --confirm: at which site is the change?",
			      o->changed      ? "changed"
			      : o->faster > 0 ? "faster"
					      : "runs");
	if (!o->confirm)
		return 0;
	if (has_empty_pattern(o->confirm))
		return refuse("--confirm: '%s' is not a site: FUNCTION, or FUNCTION@FRAME",
			      o->confirm);
	if (!o->changed)
		return refuse("--confirm compares two programs; give the changed one: --changed "
			      "'COMMAND'");
	if (!(o->faster > 0))
		return refuse("--confirm needs to know by how much a call at the site is shorter: "
			      "--faster 10%%");
	if (isinf(o->wishes.for_s))
		return refuse("--confirm needs --for T: how long each run lasts, such as 30s");
	return o->attach ? refuse("--confirm starts both programs; --attach does not go with it")
			 : 0;
}

static int check(const struct causal_options *o)
{
	if (!o->wishes.of_page.progress)
		return refuse("what is progress? Give --progress FUNCTION: what completes once for "
			      "each unit of work, such as a request");
	if (o->at && has_empty_pattern(o->at))
		return refuse("--at: '%s' has an empty name in it", o->at);
	if (o->at && strchr(o->at, '@') && o->wishes.of_page.by == SCP_CAUSAL_BY_FUNCTION)
		return refuse("--at FUNCTION@FRAME needs call paths: --by path, or site");
	if (!o->attach && !*o->run.command)
		return refuse("which command? usage: scprof causal %s",
			      causal_options_usage.synopsis[0]);
	if (o->attach && *o->run.command)
		return refuse("--attach %d, or a command: one of them", (int)o->attach);
	if (o->end && isinf(o->wishes.for_s) && !(o->wishes.precision > 0))
		return refuse("--end: when? Add --for T, or --until P");
	if (o->end && o->attach)
		return refuse("--end ends a command that scprof started, not process %d",
			      (int)o->attach);
	return check_confirm(o);
}

int causal_options_parse(int argc, char **argv, struct causal_options *o)
{
	*o = (struct causal_options){.wishes = {.for_s = INFINITY, .slowdown = 0.05}};
	run_options_begin(&o->run);
	int status = options_parse(&causal_options_usage, argc, argv, take, o);
	if (status != OPTIONS_GO)
		return status;
	o->run.command = argv + optind;
	o->run.report = false;
	o->run.filters.attached = o->attach != 0;
	if (check(o))
		return causal_options_usage.bad_usage;
	causal_choose_recorded(o);
	if (run_options_settle(&o->run))
		return causal_options_usage.bad_usage;
	if (o->run.disabled)
		return options_fail(&causal_options_usage,
				    "SCPROF_DISABLE is set: nothing can be measured");
	o->runs = o->runs ? o->runs : RUNS_DEFAULT;
	if (o->format_given || !o->output || !report_options_name_result(o->output, &o->format))
		return OPTIONS_GO;
	return options_refuse(
		&causal_options_usage,
		"-o '%s': a result has .txt, .json or .html; other names need --format", o->output);
}
