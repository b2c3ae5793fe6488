// SPDX-License-Identifier: GPL-3.0-or-later
/* The study's command line, and the grid that it stands for when empty. */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/coverage/cell.h"
#include "tests/bench/coverage/options.h"

static const double full_means[] = {1e-4, 1e-3, 1e-2, 0.1, 0.3, 1.7, 10, 30};
static const double full_n[] = {30, 100, 1e3, 1e4, 1e5, 1e6, 1e7};
static const double quick_means[] = {1e-3, 0.1, 0.3, 1.7, 30};
static const double quick_n[] = {30, 100, 1e3, 1e4, 1e6};
static const char *const clocks[] = {"fixed", "randomised"};

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

static const struct option options[] = {
	{"quick", no_argument, NULL, 'q'},	    {"csv", required_argument, NULL, 'o'},
	{"jobs", required_argument, NULL, 'j'},	    {"law", required_argument, NULL, 'l'},
	{"clock", required_argument, NULL, 'c'},    {"dependence", required_argument, NULL, 'd'},
	{"mean", required_argument, NULL, 'm'},	    {"n", required_argument, NULL, 'n'},
	{"budget", required_argument, NULL, 'b'},   {"replications", required_argument, NULL, 'r'},
	{"failures", required_argument, NULL, 'f'}, {"check", no_argument, NULL, 'k'},
	{"intervals", no_argument, NULL, 'i'},	    {"threads", no_argument, NULL, 't'},
	{"states", no_argument, NULL, 's'},	    {"percentiles", no_argument, NULL, 'p'},
	{"heldout", optional_argument, NULL, 'e'},  {"traces", required_argument, NULL, 'a'},
	{"help", no_argument, NULL, 'h'},	    {NULL, 0, NULL, 0}};

static void print_usage(void)
{
	fputs("usage: coverage [--quick] [--csv FILE] [--jobs N] [--law NAMES] [--dependence "
	      "NAMES]\n"
	      "                [--clock fixed|randomised] [--mean LIST] [--n LIST] [--budget "
	      "SECONDS]\n"
	      "                [--replications MOST] [--failures N]\n"
	      "       coverage --check [...]: fast simulations against calls one by one\n"
	      "       coverage --intervals [...]: the binomial intervals side by side\n"
	      "       coverage --threads [--replications N] [--csv FILE]: many short threads\n"
	      "       coverage --states [--replications N] [--csv FILE]: calls that sleep or lose "
	      "their CPU\n"
	      "       coverage --percentiles [...]: limits of percentiles on a fast clock\n"
	      "       coverage --heldout[=NAMES] [--traces DIR] [--quick] [--n LIST] [--csv "
	      "FILE]:\n"
	      "                laws, or recorded durations, that the rule was not tuned on\n"
	      "Without --csv the table goes to standard output and the summary to standard error.\n"
	      "NAMES and LIST are separated by commas; --quick goes before what it is to spare.\n"
	      "laws:        ",
	      stderr);
	for (int i = 0; i < LAW_KINDS; i++)
		fprintf(stderr, " %s", law_names[i]);
	fputs("\ndependences: ", stderr);
	for (int i = 0; i < DEPENDENCE_NAMES; i++)
		fprintf(stderr, " %s", dependence_names[i]);
	fputs(" (with --percentiles)\n", stderr);
}

static bool parse_number(const char *text, double least, double most, double *v)
{
	char *end;

	*v = strtod(text, &end);
	return end != text && !*end && *v >= least && *v <= most;
}

static bool parse_whole(const char *text, double least, double most, double *v)
{
	return parse_number(text, least, most, v) && *v == floor(*v);
}

static bool parse_list(const char *text, double least, double most, struct options_list *l)
{
	char item[64];
	size_t length;

	l->count = 0;
	for (; *text; text += length + (text[length] == ',')) {
		length = strcspn(text, ",");
		if (length >= sizeof item || l->count == OPTIONS_LIST)
			return false;
		memcpy(item, text, length);
		item[length] = 0;
		if (!parse_number(item, least, most, &l->value[l->count++]))
			return false;
	}
	return l->count > 0;
}

static bool parse_names(const char *text, const char *const *name, unsigned names, unsigned *mask)
{
	size_t length;

	*mask = 0;
	for (; *text; text += length + (text[length] == ',')) {
		unsigned i = 0;

		length = strcspn(text, ",");
		while (i < names &&
		       (strlen(name[i]) != length || strncmp(text, name[i], length) != 0))
			i++;
		if (i == names)
			return false;
		*mask |= 1u << i;
	}
	return *mask != 0;
}

static void take_list(struct options_list *l, const double *value, unsigned count)
{
	l->count = count;
	memcpy(l->value, value, count * sizeof *value);
}

static void make_quick(struct options *o)
{
	take_list(&o->means, quick_means, COUNT(quick_means));
	take_list(&o->n, quick_n, COUNT(quick_n));
	o->budget_ns = 0.03e9;
	o->least = 100;
	o->pool = 0.05;
}

static bool parse_numbers(struct options *o, int name, const char *text)
{
	double v;

	switch (name) {
	case 'j':
		if (!parse_whole(text, 1, OPTIONS_JOBS, &v))
			return false;
		o->jobs = (int)v;
		return true;
	case 'b':
		if (!parse_number(text, 1e-6, 1e6, &v))
			return false;
		o->budget_ns = 1e9 * v;
		return true;
	case 'r':
		if (!parse_whole(text, 2, 1e9, &v))
			return false;
		o->most = (uint64_t)v;
		o->least = o->least < o->most ? o->least : o->most;
		return true;
	case 'f':
		if (!parse_whole(text, 0, 1e6, &v))
			return false;
		o->failures = (size_t)v;
		return true;
	default:
		return false;
	}
}

/* One option; false: its argument is not understood. */
static bool take(struct options *o, int name, const char *text)
{
	switch (name) {
	case 'q':
		make_quick(o);
		return true;
	case 'k':
		return o->check = true;
	case 'i':
		return o->intervals = true;
	case 't':
		return o->threads = true;
	case 's':
		return o->states = true;
	case 'p':
		return o->percentiles = true;
	case 'a':
		o->traces = text;
		return o->heldout = true;
	case 'e':
		o->streams = text;
		return o->heldout = true;
	case 'o':
		o->csv = text;
		return true;
	case 'l':
		return parse_names(text, law_names, LAW_KINDS, &o->laws);
	case 'd':
		return parse_names(text, dependence_names, DEPENDENCE_NAMES, &o->dependences);
	case 'c':
		return parse_names(text, clocks, COUNT(clocks), &o->clocks);
	case 'm':
		return parse_list(text, 1e-9, 1e6, &o->means);
	case 'n': /* below ten calls there are no bursts */
		return parse_list(text, 10, 1e9, &o->n);
	default:
		return parse_numbers(o, name, text);
	}
}

bool options_parse(struct options *o, int argc, char **argv)
{
	int name, which = 0;

	*o = (struct options){.laws = ~0u,
			      .dependences = ~0u,
			      .clocks = 3,
			      .budget_ns = 0.6e9,
			      .least = 400,
			      .most = 10000,
			      .pool = 1,
			      .jobs = 2,
			      .failures = 20};
	take_list(&o->means, full_means, COUNT(full_means));
	take_list(&o->n, full_n, COUNT(full_n));
	while ((name = getopt_long(argc, argv, "", options, &which)) != -1) {
		if (name == '?' || name == 'h') {
			print_usage();
			return false;
		}
		if (!take(o, name, optarg)) {
			fprintf(stderr, "coverage: --%s: '%s' is not understood; see --help\n",
				options[which].name, optarg);
			return false;
		}
	}
	if (optind < argc) {
		fprintf(stderr, "coverage: '%s' is no option; see --help\n", argv[optind]);
		return false;
	}
	return true;
}
