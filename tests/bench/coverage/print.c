// SPDX-License-Identifier: GPL-3.0-or-later
/* CSV for programs, a summary for people. */
#include <stdlib.h>

#include "tests/bench/coverage/print.h"

static void print_methods(FILE *f, const struct score *s)
{
	const char *between = "";

	for (int i = 0; i < SCORE_METHODS && s->method[i].name; i++) {
		fprintf(f, "%s%s:%.3g", between, s->method[i].name,
			score_share(s, s->method[i].count));
		between = " ";
	}
}

void print_cell(FILE *f, const struct cell *c)
{
	fprintf(f, "%s,%s,%s,%g,%.0f", c->randomised ? "randomised" : "fixed",
		dependence_names[c->dependence], law_names[c->law.kind], c->law.mean, (double)c->n);
}

void print_verdict(FILE *f, const struct score *s)
{
	const char *between = "";
	bool failed = false;

	for (int c = 0; c < CRITERIA; c++)
		if (score_badness(s, c) > 0) {
			fprintf(f, "%s%s", between, criterion_names[c]);
			between = " ";
			failed = true;
		}
	if (!failed)
		fputs("pass", f);
}

void print_csv(FILE *f, const struct score *s, size_t count)
{
	fputs("ticks,dependence,law,mean_over_d,n,replications,coverage,coverage_error,missed_"
	      "below,"
	      "mean_ticks,width_over_oracle,bias_over_deviation",
	      f);
	for (int i = 0; i < SCORE_DOUBTS; i++)
		fprintf(f, ",%s", doubt_names[i]);
	fputs(",warned,silent,locked,methods,verdict\n", f);
	for (size_t i = 0; i < count; i++, s++) {
		print_cell(f, &s->cell);
		fprintf(f, ",%.0f,%.4f,%.4f,%.4f,%.5g,%.4g,%.3g", (double)s->replications,
			score_coverage(s), score_coverage_error(s), score_share(s, s->low_misses),
			s->ticks, score_width(s),
			s->mean_sum / (double)s->replications / score_deviation(s));
		for (int j = 0; j < SCORE_DOUBTS; j++)
			fprintf(f, ",%.4f", score_share(s, s->doubt[j]));
		fprintf(f, ",%.4f,%.4f,%d,", score_share(s, s->warned), score_share(s, s->silent),
			cell_is_locked(&s->cell));
		print_methods(f, s);
		fputc(',', f);
		print_verdict(f, s);
		fputc('\n', f);
	}
}

static enum criterion ordered_by;

static int worse_first(const void *a, const void *b)
{
	double x = score_badness(*(const struct score *const *)a, ordered_by);
	double y = score_badness(*(const struct score *const *)b, ordered_by);

	return (x < y) - (x > y);
}

static void print_failure(FILE *f, const struct score *s)
{
	const struct cell *c = &s->cell;

	fprintf(f, "  %-10s %-13s %-11s m/d %-6g n %-6g cov %.4f+-%.4f (below %.3f) warn %.3f",
		c->randomised ? "randomised" : "fixed", dependence_names[c->dependence],
		law_names[c->law.kind], c->law.mean, (double)c->n, score_coverage(s),
		score_coverage_error(s), score_share(s, s->low_misses), score_share(s, s->warned));
	fprintf(f, " [%.2f %.2f %.2f] ticks %-7.3g w/o %.3f ", score_share(s, s->doubt[0]),
		score_share(s, s->doubt[1]), score_share(s, s->doubt[2]), s->ticks, score_width(s));
	print_methods(f, s);
	fputc('\n', f);
}

/* Locked cells are listed apart: a warning is true there even where the interval
 * happens to cover. */
static void print_criterion(FILE *f, const struct score *s, size_t count, size_t most, bool locked)
{
	const struct score **failed = malloc((count + 1) * sizeof *failed);
	size_t judged = 0, failures = 0;

	if (!failed)
		return;
	for (size_t i = 0; i < count; i++) {
		double badness = score_badness(&s[i], ordered_by);

		if (cell_is_locked(&s[i].cell) != locked || isnan(badness))
			continue;
		judged++;
		if (badness > 0)
			failed[failures++] = &s[i];
	}
	qsort(failed, failures, sizeof failed[0], worse_first);
	fprintf(f, "%s%s: %zu judged, %zu passed, %zu failed\n", criterion_names[ordered_by],
		locked ? " (locked to the tick)" : "", judged, judged - failures, failures);
	for (size_t i = 0; i < failures && i < most; i++)
		print_failure(f, failed[i]);
	if (failures > most)
		fprintf(f, "  ... and %zu more\n", failures - most);
	free(failed);
}

void print_summary(FILE *f, const struct score *s, size_t count, size_t most)
{
	for (int c = 0; c < CRITERIA; c++) {
		ordered_by = (enum criterion)c;
		print_criterion(f, s, count, most, false);
		print_criterion(f, s, count, most, true);
	}
}
