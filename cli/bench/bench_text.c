// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof bench` as text: first the result, then the figures behind it, then the warnings. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bench/bench_options.h"
#include "report/wording/numbers.h"
#include "report/wording/terminal.h"
#include "report/wording/utf8.h"

#define OUTLIERS_SHOWN 5

struct printer {
	const struct bench_options *o;
	const struct bench_summary *s;
	bool utf8;
};

static void print_safe(const struct printer *p, const char *text)
{
	char *safe = utf8_clean(text, p->utf8);

	fputs(safe ? safe : "?", stdout);
	free(safe);
}

static void print_subject(const struct printer *p)
{
	const struct bench_options *o = p->o;

	if (o->plan.library) {
		print_safe(p, o->plan.function);
		putchar('(');
		for (char **word = o->words; *word; word++) {
			fputs(word == o->words ? "" : ", ", stdout);
			print_safe(p, *word);
		}
		fputs(") of ", stdout);
		print_safe(p, o->plan.library);
	} else {
		for (char **word = o->words; *word; word++) {
			fputs(word == o->words ? "" : " ", stdout);
			print_safe(p, *word);
		}
	}
	putchar('\n');
}

static void label(const char *name)
{
	printf("  %-14s", name);
}

static void print_duration(const struct printer *p, double ns)
{
	char text[32];

	numbers_duration(text, sizeof(text), ns, p->utf8);
	fputs(text, stdout);
}

static void print_count(uint64_t count)
{
	char text[32];

	numbers_count(text, sizeof(text), count);
	fputs(text, stdout);
}

static void print_mean(const struct printer *p, const struct replications_mean *m)
{
	struct number_mean text;

	numbers_mean(&text, m->mean, m->low, m->high, p->utf8);
	printf("%s %s %s", text.mean, text.interval, text.unit);
}

static void print_answer(const struct printer *p)
{
	const struct bench_summary *s = p->s;
	char spread[32];

	label("mean");
	print_mean(p, &s->mean);
	printf("  (%.10g %%, Student's t over %zu replications)\n", 100 * p->o->wishes.confidence,
	       s->mean.n);
	numbers_significant(spread, sizeof(spread), 100 * s->best.spread, 2);
	label("K-best");
	print_duration(p, s->best_ns);
	if (s->best.measurements)
		printf("  converged after %zu replications: the %u fastest lie within %s %%\n",
		       s->best.measurements, p->o->wishes.k, spread);
	else
		printf("  not converged: the %u fastest lie within %s %%\n", p->o->wishes.k,
		       spread);
}

static void print_empty(const struct printer *p)
{
	const struct bench_summary *s = p->s;
	bool function = p->o->plan.library != NULL;

	if (!s->empty_known)
		return;
	label(function ? "empty loop" : "empty command");
	print_mean(p, &s->empty);
	if (s->subtracted) {
		fputs(", subtracted from ", stdout);
		print_mean(p, &s->raw);
	} else {
		fputs(", not subtracted (--subtract-empty)", stdout);
	}
	putchar('\n');
}

static void print_making(const struct printer *p)
{
	const struct bench_summary *s = p->s;
	char factor[32];

	label("loops");
	print_count(s->calls);
	printf(" call%s each, %u loops in ", s->calls == 1 ? "" : "s", s->replications);
	print_duration(p, 1e9 * s->took_s);
	printf(" (clock %s)\n", clocks_read_name(p->o->plan.clock));
	label("set aside");
	print_count(s->warmup_calls);
	printf(" call%s to warm up; the first took ", s->warmup_calls == 1 ? "" : "s");
	print_duration(p, s->first_ns);
	numbers_significant(factor, sizeof(factor), s->first_factor, 3);
	printf(", %s times the mean\n", factor);
}

static int by_factor(const void *a, const void *b)
{
	double x = ((const struct bench_outlier *)a)->factor,
	       y = ((const struct bench_outlier *)b)->factor;

	return (x < y) - (x > y);
}

static void print_outlier(const struct printer *p, const struct bench_outlier *o)
{
	char number[32], at[32], ns[32], factor[32], why[64] = "";

	snprintf(number, sizeof(number), "%u%s", o->replication + 1,
		 !o->empty	      ? ""
		 : p->o->plan.library ? ", empty loop,"
				      : ", empty command,");
	numbers_duration(at, sizeof(at), 1e9 * o->at_s, p->utf8);
	numbers_duration(ns, sizeof(ns), o->ns, p->utf8);
	if (o->switches)
		snprintf(why, sizeof(why), ", lost the processor %u time%s", o->switches,
			 o->switches == 1 ? "" : "s");
	numbers_significant(factor, sizeof(factor), o->factor, 3);
	printf("    replication %s at %s: %s, %s times the median%s\n", number, at, ns, factor,
	       why);
}

static void print_outliers_sum(const struct printer *p)
{
	const struct bench_summary *s = p->s;

	label("outliers");
	printf("%u loop%s above the fence, counted", s->outliers, s->outliers == 1 ? "" : "s");
	if (s->disturbed) {
		fputs("; mean without them ", stdout);
		print_mean(p, &s->undisturbed);
		printf(" (%zu replications)", s->undisturbed.n);
	}
	putchar('\n');
}

/* Only the worst; JSON has all. */
static int print_outliers(const struct printer *p)
{
	const struct bench_summary *s = p->s;
	struct bench_outlier *sorted;

	if (!s->outliers)
		return 0;
	sorted = malloc(s->outliers * sizeof(*sorted));
	if (!sorted)
		return -1;
	memcpy(sorted, s->outlier, s->outliers * sizeof(*sorted));
	qsort(sorted, s->outliers, sizeof(*sorted), by_factor);
	print_outliers_sum(p);
	for (uint32_t i = 0; i < s->outliers && i < OUTLIERS_SHOWN; i++)
		print_outlier(p, &sorted[i]);
	if (s->outliers > OUTLIERS_SHOWN)
		printf("    and %u more, at most %.3g times the median (--json lists all)\n",
		       s->outliers - OUTLIERS_SHOWN, sorted[OUTLIERS_SHOWN].factor);
	free(sorted);
	return 0;
}

int bench_print_text(const struct bench_options *o, const struct bench_summary *s)
{
	struct terminal terminal = terminal_of(stdout, 0);
	struct printer p = {o, s, terminal.utf8};

	print_subject(&p);
	print_answer(&p);
	print_empty(&p);
	print_making(&p);
	if (print_outliers(&p))
		return -1;
	for (uint32_t i = 0; i < s->warnings; i++)
		if (strcmp(s->warning[i].code, "outliers") != 0 &&
		    strcmp(s->warning[i].code, "not-converged") != 0)
			printf("warning: %s: %s\n", s->warning[i].code, s->warning[i].text);
	return fflush(stdout) || ferror(stdout) ? -1 : 0;
}
