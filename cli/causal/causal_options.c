// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/causal/causal_private.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/attach/attach_options.h"
#include "cli/cmd.h"
#include "cli/messages/complaint.h"
#include "cli/usage/options.h"
#include "collector/clocks/ticker.h"
#include "include/scprof_names.h"
#include "stats/causal/slopes.h"

#define COMMAND "scprof causal"

enum {
	OPT_PROGRESS = RUN_OPTION_OF_OTHERS,
	OPT_AT,
	OPT_FOR,
	OPT_UNTIL,
	OPT_SLOWDOWN,
	OPT_PLACE,
	OPT_WINDOW,
	OPT_SITES,
	OPT_SEED,
	OPT_END,
	OPT_ATTACH,
	OPT_CONFIRM,
	OPT_FASTER,
	OPT_CHANGED,
	OPT_RUNS
};

static const struct usage_entry usage_options[] = {
	{"progress", OPT_PROGRESS, "FUNCTION[@OUTCOME]",
	 .text = "a unit of work is done each time that this completes: a function, a region, a "
		 "point. @OUTCOME counts calls of another outcome. Its group, or -s, is added",
	 .flags = USAGE_TYPED_ONLY},
	{"at", OPT_AT, "SITES",
	 .text = "only these sites: FUNCTION or FUNCTION@FRAME, globs, separated by commas. FRAME "
		 "is a function, or FILE:LINE, of the call path (default: all that take time)",
	 .flags = USAGE_TYPED_ONLY},
	{"for", OPT_FOR, "T",
	 .text = "delay for so long: 30s, 5m (default: until the command ends)"},
	{"until", OPT_UNTIL, "P",
	 .text = "until what 10 % off would bring is known to +-P at each site: 1%"},
	{"end", OPT_END, NULL,
	 .text = "then end the command, by SIGTERM; otherwise it goes on, without delays"},
	{"slowdown", OPT_SLOWDOWN, "P",
	 .text = "all delays together cost no more of the throughput (default: 5%)"},
	{"by", USAGE_BY, "path|site|function",
	 .text = "what a site is (default: path, the full call path)"},
	{"place", OPT_PLACE, "auto|begin|end",
	 .text = "where in a call its delay lies. auto (default): at the end of calls that wait "
		 "for others, else at the beginning"},
	{"window", OPT_WINDOW, "T",
	 .text = "delays are drawn anew so often, 1ms to 10s (default: as progress scatters)"},
	{"sites", OPT_SITES, "N", .text = "delay so many sites at most, 1 to 63 (default: 24)"},
	{"seed", OPT_SEED, "N", .text = "of the draws (default: random)"},
	{"groups", 'g', "GROUPS", .text = "functions to time, as run -g",
	 .variable = "SCPROF_GROUPS"},
	{"symbols", 's', "SYMBOLS", .text = "functions of libraries to time besides, as run -s",
	 .variable = "SCPROF_SYMBOLS"},
	{"attach", OPT_ATTACH, "PID", .text = "in a process that runs, instead of a COMMAND",
	 .flags = USAGE_TYPED_ONLY},
	{"confirm", OPT_CONFIRM, "SITE",
	 .text = "predict what a change at this site (as --at) brings, and check it by running "
		 "both programs in turn",
	 .flags = USAGE_TYPED_ONLY},
	{"faster", OPT_FASTER, "P", .text = "the change makes a call there shorter by so much: 10%",
	 .flags = USAGE_TYPED_ONLY},
	{"changed", OPT_CHANGED, "COMMAND", .text = "the changed program, as /bin/sh runs it",
	 .flags = USAGE_TYPED_ONLY},
	{"runs", OPT_RUNS, "N", .text = "run each so often, 2 to 100, for --for (default: 4)",
	 .flags = USAGE_TYPED_ONLY},
	{"format", USAGE_FORMAT, "text|json|html",
	 .text = "what to print (default: as the name of -o ends, else text)"},
	USAGE_ENTRY_JSON("scprof-causal/1"),
	USAGE_ENTRY_OUTPUT("OUT", "write it there (default: text on standard error, JSON and HTML "
				  "on standard output, which the command shares; with --attach all "
				  "on standard output)"),
	USAGE_ENTRY_HELP,
	{0}};

const struct usage causal_options_usage = {
	.command = "causal",
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
	.bad_usage = 125,
	.failure = 125,
};

struct given {
	struct causal_options *options;
	bool format, runs;
};

__attribute__((format(printf, 1, 2))) static int refuse(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	complaint_format(COMMAND, format, args);
	va_end(args);
	return -1;
}

static const char *const outcomes[] = {SCP_OUTCOME_NAMES};

static int take_progress(struct causal_options *o, const char *text)
{
	const char *at = strrchr(text, '@');
	size_t length = at ? (size_t)(at - text) : strlen(text);

	if (o->progress)
		return refuse("--progress: one only, and '%s' was given before", o->progress);
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
	o->progress = text;
	return 0;
}

static int take_share(const char *name, const char *text, double least, double most, double *to)
{
	double share;

	if (quantity_share(text, &share) || share < least || share > most)
		return refuse("--%s: '%s' is not from %.3g%% to %.3g%%: such as 5%%, 0.05", name,
			      text, 100 * least, 100 * most);
	*to = share;
	return 0;
}

static int take_time(int code, const char *text, uint64_t least_ns, uint64_t most_ns, double *to)
{
	uint64_t ns;

	if (options_duration(&causal_options_usage, code, text, least_ns, most_ns, &ns))
		return -1;
	*to = (double)ns / 1e9;
	return 0;
}

/* Which of the words, separated by bars, it is: options_parse knows that it is one. */
static unsigned word_of(const char *words, const char *text)
{
	unsigned at = 0;

	for (const char *c = words; c != strstr(words, text); c++)
		at += *c == '|';
	return at;
}

static int take_format(struct given *g, const char *text)
{
	g->format = true;
	g->options->format = (enum causal_format)word_of("text|json|html", text);
	return 0;
}

static int take_attach(struct causal_options *o, const char *text)
{
	o->attach = attach_options_pid(COMMAND, text);
	return o->attach ? 0 : -1;
}

/* Numbers and texts that need no thought. */
static int take_plain(struct given *g, int code, const char *value)
{
	struct causal_options *o = g->options;
	const struct usage *u = &causal_options_usage;

	switch (code) {
	case OPT_SITES:
		return options_count(u, code, value, 1, SLOPES_SITES, &o->sites);
	case OPT_SEED:
		return options_count(u, code, value, 1, UINT64_MAX, &o->seed);
	case OPT_RUNS:
		g->runs = true;
		return options_count(u, code, value, 2, 100, &o->runs);
	case OPT_AT:
		o->at = value;
		return 0;
	case OPT_END:
		o->end = true;
		return 0;
	case OPT_CONFIRM:
		o->confirm = value;
		return 0;
	case OPT_CHANGED:
		o->changed = value;
		return 0;
	case 'g':
		g->options->run.groups = value;
		return 0;
	case 's':
		o->run.symbols = value;
		return 0;
	default:
		o->output = value;
		return 0;
	}
}

static int take(void *to, int code, const char *value)
{
	struct given *g = to;
	struct causal_options *o = g->options;

	switch (code) {
	case OPT_PROGRESS:
		return take_progress(o, value);
	case OPT_FOR:
		return take_time(code, value, 100000000u, UINT64_C(604800000000000), &o->for_s);
	case OPT_WINDOW:
		return take_time(code, value, 1000000u, UINT64_C(10000000000), &o->window_s);
	case OPT_UNTIL:
		return take_share("until", value, 0.0001, 0.5, &o->precision);
	case OPT_SLOWDOWN:
		return take_share("slowdown", value, 0.001, 0.5, &o->slowdown);
	case OPT_FASTER:
		return take_share("faster", value, 0.001, 0.99, &o->faster);
	case USAGE_BY:
		o->by = (enum scp_causal_by)word_of("path|site|function", value);
		return 0;
	case OPT_PLACE:
		o->place = (enum scp_causal_place)word_of("auto|begin|end", value);
		return 0;
	case OPT_ATTACH:
		return take_attach(o, value);
	case USAGE_FORMAT:
		return take_format(g, value);
	case USAGE_JSON:
		return take_format(g, "json");
	default:
		return take_plain(g, code, value);
	}
}

static bool has_empty_pattern(const char *list)
{
	return !*list || *list == ',' || *list == '@' || list[strlen(list) - 1] == ',' ||
	       strstr(list, ",,") || strstr(list, ",@");
}

static int check_confirm(const struct causal_options *o, const struct given *g)
{
	if (!o->confirm && (o->faster > 0 || o->changed || g->runs))
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
	if (isinf(o->for_s))
		return refuse("--confirm needs --for T: how long each run lasts, such as 30s");
	return o->attach ? refuse("--confirm starts both programs; --attach does not go with it")
			 : 0;
}

static int check(const struct causal_options *o, const struct given *g)
{
	if (!o->progress)
		return refuse("what is progress? Give --progress FUNCTION: what completes once for "
			      "each unit of work, such as a request");
	if (o->at && has_empty_pattern(o->at))
		return refuse("--at: '%s' has an empty name in it", o->at);
	if (o->at && strchr(o->at, '@') && o->by == SCP_CAUSAL_BY_FUNCTION)
		return refuse("--at FUNCTION@FRAME needs call paths: --by path, or site");
	if (!o->attach && !*o->run.command)
		return refuse("which command? usage: scprof causal %s",
			      causal_options_usage.synopsis[0]);
	if (o->attach && *o->run.command)
		return refuse("--attach %d, or a command: one of them", (int)o->attach);
	if (o->end && isinf(o->for_s) && !(o->precision > 0))
		return refuse("--end: when? Add --for T, or --until P");
	if (o->end && o->attach)
		return refuse("--end ends a command that scprof started, not process %d",
			      (int)o->attach);
	return check_confirm(o, g);
}

static void settle_format(struct causal_options *o, const struct given *g)
{
	const char *dot = o->output ? strrchr(o->output, '.') : NULL;

	if (g->format || !dot)
		return;
	if (!strcmp(dot, ".json"))
		o->format = CAUSAL_JSON;
	else if (!strcmp(dot, ".html"))
		o->format = CAUSAL_HTML;
}

int causal_options_parse(int argc, char **argv, struct causal_options *o)
{
	struct given g = {.options = o};
	int status;

	*o = (struct causal_options){.for_s = INFINITY, .slowdown = 0.05, .runs = 4};
	run_options_begin(&o->run);
	status = options_parse(&causal_options_usage, argc, argv, take, &g);
	if (status != OPTIONS_GO)
		return status;
	o->run.command = argv + optind;
	o->run.report = false;
	o->run.filters.attached = o->attach != 0;
	if (check(o, &g))
		return causal_options_usage.bad_usage;
	causal_choose_recorded(o);
	if (run_options_settle(&o->run))
		return causal_options_usage.bad_usage;
	if (o->run.disabled) {
		refuse("SCPROF_DISABLE is set: nothing can be measured");
		return causal_options_usage.failure;
	}
	settle_format(o, &g);
	return OPTIONS_GO;
}
