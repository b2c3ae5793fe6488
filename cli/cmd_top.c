// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof top`: what a profile is being filled with, now. */
#include "cli/cmd.h"
#include "cli/complaint.h"
#include "cli/quantity.h"

#include <getopt.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/duration.h"
#include "report/live/screen.h"

#define COMMAND "scprof top"

const char top_usage[] =
	"usage: scprof top [OPTION...] PID|PROFILE|DIR\n"
	"Watch a program while it is profiled: rates of the last interval, means with their\n"
	"intervals. It reads the profile, and nothing else; the program does not notice. On the\n"
	"screen: h shows the keys, q quits.\n"
	"\n"
	"  PID                  of the program, or of `scprof run`\n"
	"  PROFILE              that is being written\n"
	"  DIR                  with such profiles\n"
	"  -d, --interval TIME  between two pictures: 100ms to 60s (default: 1s)\n"
	"  -s, --sort time|calls|bytes|mean|total|precision|name  (default: time)\n"
	"  --by path|site|function  what a row is (default: path)\n"
	"  --filter TEXT        only rows whose function or caller has this text in it\n"
	"  --paths              show the call path of every row\n"
	"  --confidence R       of the intervals (default: 0.95)\n"
	"  -b, --batch          pictures as text on standard output, until the program ends;\n"
	"                       so, too, where that is no terminal\n"
	"  -n, --pictures N     so many of them, then stop (--batch)\n"
	"  --rows N             of each picture (--batch; default: 20, 0: all)\n"
	"  --width N            columns (--batch; default: the terminal's, or 100)\n"
	"  -h, --help           this text\n"
	"\n"
	"exit status: 0 done, 1 failure, 2 wrong usage, or nothing to watch\n";

enum { OPTION_BY = 256, OPTION_FILTER, OPTION_PATHS, OPTION_CONFIDENCE, OPTION_ROWS, OPTION_WIDTH };

static const struct option long_options[] = {
	{"interval", required_argument, NULL, 'd'},
	{"sort", required_argument, NULL, 's'},
	{"by", required_argument, NULL, OPTION_BY},
	{"filter", required_argument, NULL, OPTION_FILTER},
	{"paths", no_argument, NULL, OPTION_PATHS},
	{"confidence", required_argument, NULL, OPTION_CONFIDENCE},
	{"batch", no_argument, NULL, 'b'},
	{"pictures", required_argument, NULL, 'n'},
	{"rows", required_argument, NULL, OPTION_ROWS},
	{"width", required_argument, NULL, OPTION_WIDTH},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

struct top_options {
	struct live_options live;
	bool batch;
	const char *target;
};

static int refuse(const char *what, const char *value, const char *wanted)
{
	complaint_say(COMMAND, "%s: '%.200s' is not %s", what, value, wanted);
	return -1;
}

static int take_interval(const char *text, struct state *s)
{
	uint64_t ns;

	if (duration_parse(text, &ns) || (double)ns < STATE_INTERVAL_MIN * 1e9 ||
	    (double)ns > STATE_INTERVAL_MAX * 1e9)
		return refuse("--interval", text, "a time between 100ms and 60s, with its unit");
	s->interval_s = (double)ns / 1e9;
	return 0;
}

static int take_number(const char *what, const char *text, uint64_t least, uint64_t most,
		       uint64_t *number)
{
	char wanted[80];

	if (!quantity_count(text, least, most, number))
		return 0;
	snprintf(wanted, sizeof(wanted), "a number from %llu to %llu", (unsigned long long)least,
		 (unsigned long long)most);
	return refuse(what, text, wanted);
}

static int take_confidence(const char *text, double *confidence)
{
	if (quantity_confidence(text, confidence))
		return refuse("--confidence", text, "between 0 and 1, such as 0.95 or 95%");
	return 0;
}

static int take_grouping(const char *text, struct state *s)
{
	if (words_by_parse(text, &s->by) ||
	    (s->by != REPORT_BY_PATH && s->by != REPORT_BY_SITE && s->by != REPORT_BY_FUNCTION))
		return refuse("--by", text, "path, site or function");
	return 0;
}

static int take_filter(const char *text, struct state *s)
{
	if (strlen(text) >= sizeof(s->filter))
		return refuse("--filter", text, "short enough (63 characters)");
	strcpy(s->filter, text);
	return 0;
}

/* 0, 1: help, -1: wrong. */
static int take_option(char **argv, int option, struct top_options *o)
{
	struct live_options *live = &o->live;
	uint64_t number;

	switch (option) {
	case 'd':
		return take_interval(optarg, &live->state);
	case 's':
		return live_rows_sort_parse(optarg, &live->state.sort)
			       ? refuse("--sort", optarg,
					"one of time, calls, bytes, mean, total, precision, name")
			       : 0;
	case OPTION_BY:
		return take_grouping(optarg, &live->state);
	case OPTION_FILTER:
		return take_filter(optarg, &live->state);
	case OPTION_PATHS:
		live->state.all_open = true;
		return 0;
	case OPTION_CONFIDENCE:
		return take_confidence(optarg, &live->confidence);
	case 'b':
		o->batch = true;
		return 0;
	case 'n':
		o->batch = true;
		return take_number("--pictures", optarg, 1, UINT32_MAX, &live->pictures);
	case OPTION_ROWS:
		if (take_number("--rows", optarg, 0, UINT32_MAX, &number))
			return -1;
		live->rows = number;
		return 0;
	case OPTION_WIDTH:
		if (take_number("--width", optarg, 20, 1000, &number))
			return -1;
		live->width = number;
		return 0;
	case 'h':
		return 1;
	default:
		complaint_option(COMMAND, argv, option);
		return -1;
	}
}

static struct top_options by_default(void)
{
	return (struct top_options){
		.live = {.state = view_state_default(), .confidence = 0.95, .rows = 20, .end = -1}};
}

static int parse(int argc, char **argv, struct top_options *o)
{
	int option, taken;

	*o = by_default();
	opterr = 0;
	optind = 0; /* another subcommand may have used getopt before */
	while ((option = getopt_long(argc, argv, ":d:s:bn:h", long_options, NULL)) != -1) {
		taken = take_option(argv, option, o);
		if (taken)
			return taken;
	}
	if (optind + 1 == argc) {
		o->target = argv[optind];
		return 0;
	}
	complaint_say(COMMAND, "%s See scprof top --help",
		      optind == argc ? "watch what? Name a process by its number, a profile, or a "
				       "directory of profiles."
				     : "one target at a time: a directory may hold many profiles.");
	return -1;
}

static int complain(const struct profile_error *err, int status)
{
	complaint_lines(COMMAND, err->text);
	return status;
}

/* The first process of the run has to begin recording. -1: the run ended without one. */
static int open_run(struct feed *f, const struct top_options *o, struct profile_error *err)
{
	struct pollfd over = {.fd = o->live.end, .events = POLLIN};
	struct target t = {.kind = TARGET_RUN};

	snprintf(t.path, sizeof(t.path), "%s", o->target);
	while (live_reader_open(f, &t, o->live.state.by, err))
		if (poll(&over, 1, 20) != 0)
			return -1;
	f->held = true;
	return 0;
}

static int open_target(struct feed *f, const struct top_options *o, struct profile_error *err)
{
	struct target target;

	if (o->live.end >= 0)
		return open_run(f, o, err);
	return target_parse(&target, o->target, err) ||
	       live_reader_open(f, &target, o->live.state.by, err);
}

static int watch(const struct top_options *o)
{
	struct profile_error err;
	static struct feed feed; /* a path: large */
	int status;

	unsetenv("DEBUGINFOD_URLS"); /* no picture shall wait for a server far away */
	if (open_target(&feed, o, &err))
		return complain(&err, 2);
	if (o->batch || !isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO))
		status = text_batch_run(&feed, &o->live, stdout, &err);
	else
		status = screen_run(&feed, &o->live, &err);
	live_reader_close(&feed);
	return status ? complain(&err, 1) : 0;
}

int cmd_top(int argc, char **argv)
{
	struct top_options o;
	int status = parse(argc, argv, &o);

	if (status > 0)
		return fputs(top_usage, stdout) == EOF;
	return status < 0 ? 2 : watch(&o);
}

/* What `scprof run --live` becomes: watch-run DESCRIPTOR NOTE DIRECTORY. The descriptor is readable
 * when the run has ended. */
int cmd_watch_run(int argc, char **argv)
{
	struct top_options o = by_default();
	uint64_t end;

	if (argc != 4 || take_number("the descriptor", argv[1], 0, INT_MAX, &end))
		return 2;
	o.live.end = (int)end;
	o.live.keep = true;
	o.live.note = *argv[2] ? argv[2] : NULL;
	o.target = argv[3];
	return watch(&o);
}
