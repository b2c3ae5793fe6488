// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof clocks [--json]`: what each clock of this machine is worth. */
#include <getopt.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>

#include "clocks.h"
#include "cmd.h"
#include "duration.h"

static const char usage[] = "usage: scprof clocks [--json]\n"
			    "Tests every clock on this machine: resolution, cost of a reading, "
			    "order across CPUs, drift.\n";

static json_t *real_or_null(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *clock_json(const struct clock_test *t)
{
	return json_pack("{s:s, s:b, s:s, s:o, s:o, s:o, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, "
			 "s:o, s:o, s:o}",
			 "name", clocks_name(t->kind), "usable", t->usable, "verdict", t->verdict,
			 "resolution_ns", real_or_null(t->step_ns), "claimed_resolution_ns",
			 real_or_null(t->claimed_ns), "read_ns", real_or_null(t->read_ns),
			 "cpus_compared", (json_int_t)t->cpus + (t->cpus > 0), "comparisons",
			 (json_int_t)t->comparisons, "backward", (json_int_t)t->backward,
			 "backward_max_ns", real_or_null(t->backward_max_ns), "drift_ppm",
			 real_or_null(t->drift_ppm), "drift_error_ppm",
			 real_or_null(t->drift_error_ppm), "rate_hz", real_or_null(t->rate_hz),
			 "rate_error_ppm", real_or_null(t->rate_error_ppm), "late_mean_ns",
			 real_or_null(t->late_mean_ns), "late_max_ns", real_or_null(t->late_max_ns),
			 "late_share", real_or_null(t->late_share));
}

static int print_json(const struct clocks_report *r)
{
	json_t *clocks = json_array(), *root;
	int result = -1;

	for (int i = 0; i < CLOCKS_TESTED; i++)
		json_array_append_new(clocks, clock_json(&r->clock[i]));
	root = json_pack("{s:s, s:s, s:s, s:f, s:o}", "schema", "scprof-clocks/1", "default",
			 clocks_name(r->preferred), "reason", r->reason, "window_s", r->window_s,
			 "clocks", clocks);
	if (root && !json_dumpf(root, stdout, JSON_INDENT(2)))
		result = putchar('\n') == EOF ? -1 : 0;
	json_decref(root);
	return result;
}

/* As many as the error of the drift deserves. */
static int decimals(const struct clock_test *t)
{
	return t->drift_error_ppm >= 10 ? 0 : t->drift_error_ppm >= 1 ? 1 : 2;
}

static void print_row(const struct clock_test *t)
{
	char step[32], claimed[32], read[32], drift[48] = "-", cpus[48] = "one CPU only";

	duration_print(t->step_ns, step, sizeof(step));
	duration_print(t->claimed_ns, claimed, sizeof(claimed));
	duration_print(t->read_ns, read, sizeof(read));
	if (!isnan(t->drift_ppm))
		snprintf(drift, sizeof(drift), "%+.*f ± %.*f ppm", decimals(t), t->drift_ppm,
			 decimals(t), t->drift_error_ppm);
	if (t->cpus)
		snprintf(cpus, sizeof(cpus), "%llu of %llu", (unsigned long long)t->backward,
			 (unsigned long long)t->comparisons);
	printf("%-11s %9s %9s %9s  %15s  %s\n", clocks_name(t->kind), step, claimed, read, cpus,
	       drift);
}

static int print_text(const struct clocks_report *r)
{
	const struct clock_test *tsc = &r->clock[0], *page = &r->clock[SCP_CLOCK_PAGE - 1];
	char mean[32], max[32];

	printf("clock            step   claimed      read        backwards  drift against "
	       "CLOCK_MONOTONIC_RAW\n");
	for (int i = 0; i < CLOCKS_TESTED; i++)
		print_row(&r->clock[i]);
	putchar('\n');
	for (int i = 0; i < CLOCKS_TESTED; i++)
		printf("%-11s %s\n", clocks_name(r->clock[i].kind), r->clock[i].verdict);
	duration_print(page->late_mean_ns, mean, sizeof(mean));
	duration_print(page->late_max_ns, max, sizeof(max));
	printf("\ntsc runs at %.6f MHz ± %.2g ppm, calibrated over %.2f s\n", tsc->rate_hz / 1e6,
	       tsc->rate_error_ppm, r->window_s);
	printf("page ticks came late by %s on average, %s at most\n", mean, max);
	printf("default: %s, because %s\n", clocks_name(r->preferred), r->reason);
	return fflush(stdout) || ferror(stdout) ? -1 : 0;
}

int cmd_clocks(int argc, char **argv)
{
	static const struct option options[] = {
		{"json", no_argument, NULL, 'j'}, {"help", no_argument, NULL, 'h'}, {0}};
	struct clocks_report report;
	struct profile_error err;
	bool json = false;
	int option;

	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (option == 'h')
			return fputs(usage, stdout) == EOF;
		if (option != 'j')
			return fputs(usage, stderr), 2;
		json = true;
	}
	if (optind < argc) {
		fprintf(stderr, "scprof clocks: unexpected argument '%s'\n%s", argv[optind], usage);
		return 2;
	}
	if (clocks_test(&report, &err)) {
		fprintf(stderr, "scprof clocks: %s\n", err.text);
		return 1;
	}
	if (json ? print_json(&report) : print_text(&report)) {
		perror("scprof clocks: cannot write to standard output");
		return 1;
	}
	return 0;
}
