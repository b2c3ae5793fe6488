// SPDX-License-Identifier: GPL-3.0-or-later
/* See diff_options.h. Two profiles need no sign between them, several a side do: "--". */
#include "cli/diff_options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/complaint.h"
#include "cli/quantity.h"

#define COMMAND "scprof diff"

const char diff_usage[] =
	"usage: scprof diff [OPTION...] BASE NEW\n"
	"       scprof diff [OPTION...] BASE... -- NEW...\n"
	"Say what became slower or faster between two runs of the same work, site by site, with\n"
	"intervals. Sites are matched by symbol and line, not by address: a rebuilt program\n"
	"matches. Three runs a side or more, recorded in turn, can tell far smaller changes: only\n"
	"they show by how much runs differ anyway.\n"
	"\n"
	"  --by path|site|function  what a row is (default: path, the full call path)\n"
	"  --confidence R           1 - R of the changes reported may be none (default: 0.95)\n"
	"  --threshold P            a smaller change of a site is none (default: 0.5%)\n"
	"  --run-to-run P           one run a side: how far runs may differ as a whole; a site\n"
	"                           without others of its kind must change more (default: 75%)\n"
	"  --strict-sites           a site that came or went is a change, too\n"
	"  --format text|json       what to print (default: text)\n"
	"  --top N                  rows at most, 0: all (default: 20 in text, all in JSON)\n"
	"  --frames N               lines of call path a row in text (default: 4)\n"
	"  -o, --output OUT         write to a file instead of standard output\n"
	"  -h, --help               this text\n"
	"\n"
	"exit status: 0 no significant change, 1 some change, 2 wrong usage, a profile that "
	"cannot\n"
	"             be read, or nothing that could be compared\n";

static int refuse(const char *what, const char *value, const char *why)
{
	complaint_say(COMMAND, "%s '%s' %s", what, value, why);
	return -1;
}

static int set_by(struct diff_options *o, const char *value)
{
	if (words_by_parse(value, &o->by) == 0 && o->by <= REPORT_BY_FUNCTION)
		return 0;
	return refuse("--by", value, "is no way to compare; there are: path, site, function");
}

static int set_format(struct diff_options *o, const char *value)
{
	if (words_format_parse(value, &o->format) == 0)
		return 0;
	return refuse("--format", value, "is not known; there are: text, json");
}

static int set_share(double *share, const char *name, const char *value, double most)
{
	double given;

	if (!strcmp(value, "0") || !strcmp(value, "0%"))
		given = 0;
	else if (quantity_share(value, &given) || given > most)
		return refuse(name, value, "is not a share such as 0.02 or 2%, nor 0");
	*share = given;
	return 0;
}

static int set_count(uint32_t *to, const char *name, const char *value)
{
	uint64_t n;

	if (quantity_count(value, 0, UINT32_MAX - 1, &n))
		return refuse(name, value, "is not a count; 0, 1, 2, ...");
	*to = (uint32_t)n;
	return 0;
}

enum {
	OPT_FORMAT = 256,
	OPT_BY,
	OPT_CONFIDENCE,
	OPT_THRESHOLD,
	OPT_RUN_TO_RUN,
	OPT_STRICT,
	OPT_TOP,
	OPT_FRAMES
};

static const struct option long_options[] = {
	{"format", required_argument, NULL, OPT_FORMAT},
	{"by", required_argument, NULL, OPT_BY},
	{"confidence", required_argument, NULL, OPT_CONFIDENCE},
	{"threshold", required_argument, NULL, OPT_THRESHOLD},
	{"run-to-run", required_argument, NULL, OPT_RUN_TO_RUN},
	{"strict-sites", no_argument, NULL, OPT_STRICT},
	{"top", required_argument, NULL, OPT_TOP},
	{"frames", required_argument, NULL, OPT_FRAMES},
	{"output", required_argument, NULL, 'o'},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

static int set_option(struct diff_arguments *a, int option, char **argv)
{
	struct diff_options *o = &a->options;

	switch (option) {
	case OPT_FORMAT:
		return set_format(o, optarg);
	case OPT_BY:
		return set_by(o, optarg);
	case OPT_CONFIDENCE:
		if (quantity_confidence(optarg, &o->confidence) == 0)
			return 0;
		return refuse("--confidence", optarg,
			      "is not a number between 0 and 1, such as 0.95 or 95%");
	case OPT_THRESHOLD:
		return set_share(&o->min_change, "--threshold", optarg, 1);
	case OPT_RUN_TO_RUN:
		return set_share(&o->run_to_run, "--run-to-run", optarg, 100);
	case OPT_STRICT:
		o->strict_sites = true;
		return 0;
	case OPT_TOP:
		return set_count(&o->top, "--top", optarg);
	case OPT_FRAMES:
		return set_count(&o->frames, "--frames", optarg);
	case 'o':
		a->output = optarg;
		return 0;
	default:
		complaint_option(COMMAND, argv, option);
		return -1;
	}
}

/* Names before "--" are BASE's; without it there are two. */
static int split(struct diff_arguments *a, bool separated)
{
	const char *why = NULL;

	if (!separated && a->files == 2)
		a->bases = 1;
	if (!a->files)
		why = "which profiles? Name two .scp files, the older one first.";
	else if (!separated && a->files == 1)
		why = "with which other profile? Name two .scp files, the older one first.";
	else if (!separated && a->files > 2)
		why = "where does NEW begin? Several profiles a side: BASE... -- NEW...";
	else if (!a->bases || a->bases == a->files)
		why = "one side has no profile: BASE... -- NEW...";
	if (!why)
		return 0;
	complaint_say(COMMAND, "%s See scprof diff --help", why);
	return -1;
}

static int parse(int argc, char **argv, struct diff_arguments *a)
{
	int option;

	/* "-": names come as option 1, in their order, so that "--" is where it stands. */
	while ((option = getopt_long(argc, argv, "-:o:h", long_options, NULL)) != -1) {
		if (option == 'h') {
			fputs(diff_usage, stdout);
			return 1;
		}
		if (option == 1)
			a->file[a->files++] = optarg;
		else if (set_option(a, option, argv) < 0)
			return -1;
	}
	a->bases = a->files;
	for (int i = optind; i < argc; i++)
		a->file[a->files++] = argv[i];
	return split(a, optind > 1 && !strcmp(argv[optind - 1], "--"));
}

int diff_options_parse(int argc, char **argv, struct diff_arguments *a)
{
	int status;

	*a = (struct diff_arguments){.options = DIFF_OPTIONS_DEFAULT};
	a->file = calloc((size_t)argc + 1, sizeof(*a->file));
	if (!a->file) {
		complaint_say(COMMAND, "out of memory");
		return -1;
	}
	opterr = 0;
	optind = 0; /* another subcommand may have used getopt before */
	status = parse(argc, argv, a);
	if (status)
		diff_options_free(a);
	return status;
}

void diff_options_free(struct diff_arguments *a)
{
	free(a->file);
	a->file = NULL;
}
