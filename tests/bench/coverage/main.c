// SPDX-License-Identifier: GPL-3.0-or-later
/* The coverage study: simulated programs on slow clocks, what the recorder keeps of them, and how
 * often the interval made of that covers the true mean. docs/coverage.md describes the grid and the
 * rule.
 *
 * A program on a kind of clock (all its n) is one piece of work, with seeds made of
 * its parameters: results do not depend on filters, threads or time. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/coverage/check.h"
#include "tests/bench/coverage/heldout/report.h"
#include "tests/bench/coverage/intervals.h"
#include "tests/bench/coverage/options.h"
#include "tests/bench/coverage/percentiles.h"
#include "tests/bench/coverage/print.h"
#include "tests/bench/coverage/states.h"
#include "tests/bench/coverage/threads.h"

/* Time of one mean_interval_estimate, about; replications are planned by it. */
#define ESTIMATE_NS 12e3

/* Programs still to do, and all results. */
struct work {
	const struct options *options;
	struct cell *program; /* n is not set */
	size_t programs;
	atomic_size_t next;
	/* Programs times n; one of them, by what is asked. */
	struct score *score;
	struct intervals_score *intervals;
	atomic_uint compared, suspect; /* with --check */
};

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15u;
	return h ^ (h >> 29);
}

static uint64_t seed_of(const struct cell *c)
{
	uint64_t h = 1988, mean;

	memcpy(&mean, &c->law.mean, sizeof mean);
	h = mix(h, c->law.kind);
	h = mix(h, mean);
	h = mix(h, c->dependence);
	return mix(h, c->randomised);
}

static uint64_t replications_of(const struct options *p, const struct source *s)
{
	double n = p->budget_ns / (s->cost_ns + ESTIMATE_NS);

	return (uint64_t)fmin(fmax(n, (double)p->least), (double)p->most);
}

static void check_program(struct work *w, size_t i)
{
	const struct options *p = w->options;
	struct cell c = w->program[i];

	for (unsigned k = 0; k < p->n.count; k++) {
		unsigned compared = 0;

		c.n = (uint64_t)p->n.value[k];
		w->suspect += check_cell(stdout, &c, p->least, &compared);
		w->compared += compared;
	}
}

static void do_program(struct work *w, size_t i)
{
	const struct options *p = w->options;
	struct cell c = w->program[i];
	uint64_t seed = seed_of(&c);
	struct source *source = NULL;
	struct dice d;

	for (unsigned k = 0; k < p->n.count; k++) {
		c.n = (uint64_t)p->n.value[k];
		source = source_create(&c, p->pool, seed, source);
		if (!source) {
			fputs("coverage: out of memory\n", stderr);
			exit(2);
		}
		dice_seed(&d, mix(seed, c.n));
		if (p->intervals)
			intervals_simulate(&w->intervals[i * p->n.count + k], source,
					   replications_of(p, source), &d);
		else
			score_run(&w->score[i * p->n.count + k], source, replications_of(p, source),
				  &d);
	}
	free(source);
}

static void *worker(void *arg)
{
	struct work *w = arg;
	size_t i;

	while ((i = atomic_fetch_add(&w->next, 1)) < w->programs)
		(w->options->check ? check_program : do_program)(w, i);
	return NULL;
}

/* Autocorrelation needs durations that vary. */
static bool exists(const struct cell *c)
{
	return c->dependence != DEPENDENCE_AR1 || c->law.kind != LAW_CONSTANT;
}

static void list_programs(struct work *w)
{
	const struct options *p = w->options;

	for (int clock = 0; clock < 2; clock++)
		for (int dep = 0; dep < DEPENDENCES; dep++)
			for (int law = 0; law < LAW_KINDS; law++)
				for (unsigned m = 0; m < p->means.count; m++) {
					struct cell c = {.law = {law, p->means.value[m]},
							 .dependence = dep,
							 .randomised = clock};

					if (p->clocks >> clock & p->dependences >> dep &
						    p->laws >> law & 1 &&
					    exists(&c))
						w->program[w->programs++] = c;
				}
}

static void work_all(struct work *w)
{
	pthread_t thread[OPTIONS_JOBS];
	int started = 0;

	/* The first worker is this thread, so that there is always one. */
	while (started < w->options->jobs - 1 &&
	       pthread_create(&thread[started], NULL, worker, w) == 0)
		started++;
	worker(w);
	for (int i = 0; i < started; i++)
		pthread_join(thread[i], NULL);
}

/* 0; -1: no table, with the reason on standard error. */
static int print_results(FILE *csv, const struct work *w)
{
	const struct options *p = w->options;
	size_t cells = w->programs * p->n.count;

	if (p->threads && threads_report(csv, p->most)) {
		fputs("coverage: out of memory\n", stderr);
		return -1;
	}
	if (p->threads)
		return 0;
	if (p->states) {
		states_report(csv, p->most);
		return 0;
	}
	if (p->percentiles) {
		percentiles_report(csv, p);
		return 0;
	}
	if (p->heldout)
		return heldout_report(csv, p);
	if (p->intervals) {
		intervals_exact(csv);
		intervals_print(csv, w->intervals, cells);
		return 0;
	}
	print_csv(csv, w->score, cells);
	print_summary(p->csv ? stdout : stderr, w->score, cells, p->failures);
	return 0;
}

/* Status to exit with. */
static int report(const struct work *w)
{
	const struct options *p = w->options;
	FILE *csv = stdout;
	bool failed;
	int status;

	if (p->check) {
		printf("%u comparisons, %u suspect\n", w->compared, w->suspect);
		return w->suspect > 0;
	}
	if (p->csv && !(csv = fopen(p->csv, "w"))) {
		perror(p->csv);
		return 2;
	}
	status = print_results(csv, w);
	failed = fflush(csv) || ferror(csv);
	if (csv != stdout && fclose(csv))
		failed = true;
	if (failed)
		perror("coverage: writing the table");
	return failed || status ? 2 : 0;
}

static int run(const struct options *p)
{
	size_t most = (size_t)2 * DEPENDENCES * LAW_KINDS * OPTIONS_LIST;
	struct work w = {.options = p};
	int status = 2;

	w.program = calloc(most, sizeof w.program[0]);
	w.score = calloc(most * p->n.count, sizeof w.score[0]);
	w.intervals = calloc(most * p->n.count, sizeof w.intervals[0]);
	if (w.program && w.score && w.intervals) {
		if (!p->threads && !p->states && !p->percentiles && !p->heldout) {
			list_programs(&w);
			work_all(&w);
		}
		status = report(&w);
	} else {
		fputs("coverage: out of memory\n", stderr);
	}
	free(w.program);
	free(w.score);
	free(w.intervals);
	return status;
}

int main(int argc, char **argv)
{
	struct options options;

	if (!options_parse(&options, argc, argv))
		return 2;
	return run(&options);
}
