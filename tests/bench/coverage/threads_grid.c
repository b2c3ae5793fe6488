// SPDX-License-Identifier: GPL-3.0-or-later
/* The programs of the threads scenario, and what became of each. */
#include <stdlib.h>

#include "tests/bench/coverage/threads.h"

#define LONG_CALLS 20000
#define SEED	   1990

static const double means[] = {0.3, 30};
static const uint64_t threads[] = {10, 100, 1000}, calls[] = {1, 10, 100};

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

static void print_head(FILE *f)
{
	fputs("kind,number,mean_over_d,long_calls,threads,calls,replications,outside,coverage,"
	      "coverage_error,missed_below,width_over_oracle,width_over_mean",
	      f);
	for (int i = 0; i < SCORE_DOUBTS; i++)
		fprintf(f, ",%s", doubt_names[i]);
	fputs(",warned\n", f);
}

static void print(FILE *f, const struct threads_program *p, const struct score *s, double outside)
{
	fprintf(f, "%s,%s,%g,%.0f,%.0f,%.0f,%.0f,%.3f", threads_names[p->kind],
		p->random ? "random" : "fixed", p->mean, (double)p->long_calls, (double)p->threads,
		(double)p->calls, (double)s->replications, outside);
	fprintf(f, ",%.4f,%.4f,%.4f,%.4g,%.4g", score_coverage(s), score_coverage_error(s),
		score_share(s, s->low_misses), score_width(s),
		s->width_sum / (double)s->replications / s->truth);
	for (int i = 0; i < SCORE_DOUBTS; i++)
		fprintf(f, ",%.4f", score_share(s, s->doubt[i]));
	fprintf(f, ",%.4f\n", score_share(s, s->warned));
	fflush(f);
}

/* The same seed for all: how the rule is changed is seen on the same runs. */
static int run(FILE *f, const struct threads_program *p, uint64_t replications)
{
	struct source *source = threads_create(p);
	struct score score;
	struct dice d;

	if (!source)
		return -1;
	dice_seed(&d, SEED);
	score_run(&score, source, replications, &d);
	print(f, p, &score, threads_outside(source));
	free(source);
	return 0;
}

/* Without a long thread only many short ones are worth a look. */
static int run_sizes(FILE *f, struct threads_program p, uint64_t replications)
{
	int status = 0;

	for (size_t k = p.long_calls ? 0 : COUNT(threads) - 1; k < COUNT(threads); k++)
		for (size_t c = 0; c < COUNT(calls) && status == 0; c++) {
			p.threads = threads[k];
			p.calls = calls[c];
			status = run(f, &p, replications);
		}
	return status;
}

int threads_report(FILE *f, uint64_t replications)
{
	int status = 0;

	print_head(f);
	for (int kind = 0; kind < THREADS_KINDS && status == 0; kind++)
		for (size_t m = 0; m < COUNT(means) && status == 0; m++) {
			struct threads_program p = {.kind = kind, .mean = means[m]};

			status = run_sizes(f, p, replications);
			p.long_calls = LONG_CALLS;
			for (int random = 0; random < 2 && status == 0; random++) {
				p.random = random;
				status = run_sizes(f, p, replications);
			}
		}
	return status;
}
