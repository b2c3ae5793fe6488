// SPDX-License-Identifier: GPL-3.0-or-later
/* One line a program, number of calls and percentile. */
#include <stdlib.h>

#include "tests/bench/coverage/percentile_program.h"
#include "tests/bench/coverage/percentiles.h"
#include "tests/bench/coverage/score.h"
#include "stats/mean/mean_interval.h"

#define CONFIDENCE  0.95
#define SEED	    1952
#define NS_PER_CALL 60.0
/* Arithmetic and whole ticks: a duration may be recorded so much shorter or longer. */
#define SLACK 1.0
/* A percentile is any value between these two, where no call takes that long. */
#define BESIDE 1e-9

static const double percentiles[] = {0.5, 0.9, 0.99, 0.999};
#define PERCENTILES 4

struct result {
	double low, high; /* the percentile */
	uint64_t covered, below, above, bounded, warned, unknown, by_mean;
	double log_ratio; /* sum over bounded limits */
};

static bool contains(double low, double high, const struct result *truth)
{
	return low <= truth->high + SLACK && high >= truth->low - SLACK;
}

static void add(struct result *r, const struct program_run *run, double q)
{
	double design = mean_interval_estimate(&run->recorder.sample, CONFIDENCE).design_effect;
	struct tail_limits t = tail_limits_find(&run->tail.tail, run->tail.hist, STATS_HIST_BUCKETS,
						q, design, CONFIDENCE);
	struct stats_hist_limits old =
		tail_order_limits(run->tail.hist, STATS_HIST_BUCKETS, q, design, CONFIDENCE);

	r->covered += contains(t.low, t.high, r);
	r->below += t.low > r->high + SLACK;
	r->above += t.high < r->low - SLACK;
	r->warned += t.unreliable != 0;
	r->unknown += (t.unreliable & TAIL_UNKNOWN) != 0;
	r->by_mean += contains(old.low, old.high, r);
	if (t.low > 0 && isfinite(t.high)) {
		r->bounded++;
		r->log_ratio += log(t.high / t.low);
	}
}

static bool passes(const struct result *r, double n)
{
	double share = (double)r->covered / n, error = sqrt(share * (1 - share) / n);

	return share + RULE_ERRORS * error >= RULE_COVER || (double)r->warned / n >= RULE_WARN;
}

static void print(FILE *f, const struct program *p, const struct result *r, double n)
{
	for (int k = 0; k < PERCENTILES; k++, r++) {
		double share = (double)r->covered / n;

		fprintf(f, "%s,%s,%.0f,%g,%.0f,%.4f,%.4f,%.4f,%.4f", program_name(p),
			law_names[p->cell.law.kind], (double)p->cell.n, 100 * percentiles[k], n,
			share, sqrt(share * (1 - share) / n), (double)r->below / n,
			(double)r->above / n);
		fprintf(f, ",%.4f,%.4g,%.4f,%.4f,%.4f,%s\n", (double)r->bounded / n,
			r->bounded ? exp(r->log_ratio / (double)r->bounded) : NAN,
			(double)r->warned / n, (double)r->unknown / n, (double)r->by_mean / n,
			passes(r, n) ? "pass" : "cover-or-warn");
	}
	fflush(f);
}

static uint64_t replications_of(const struct options *o, uint64_t n)
{
	double most = o->budget_ns / (NS_PER_CALL * (double)n);

	return (uint64_t)fmin(fmax(most, (double)o->least), (double)o->most);
}

static unsigned run(FILE *f, const struct options *o, const struct program *p)
{
	static struct program_run r;
	uint64_t replications = replications_of(o, p->cell.n);
	struct result result[PERCENTILES] = {{0}};
	unsigned passed = 0;
	struct dice d;

	dice_seed(&d, SEED);
	for (int k = 0; k < PERCENTILES; k++) {
		result[k].low = program_quantile(p, percentiles[k] - BESIDE);
		result[k].high = program_quantile(p, percentiles[k] + BESIDE);
	}
	for (uint64_t i = 0; i < replications; i++) {
		program_run(p, &d, &r);
		for (int k = 0; k < PERCENTILES; k++)
			add(&result[k], &r, percentiles[k]);
	}
	print(f, p, result, (double)replications);
	for (int k = 0; k < PERCENTILES; k++)
		passed += passes(&result[k], (double)replications);
	return passed;
}

void percentiles_report(FILE *csv, const struct options *o)
{
	unsigned judged = 0, passed = 0;

	fputs("dependence,law,n,percentile,replications,coverage,coverage_error,missed_below,"
	      "missed_"
	      "above,bounded,high_over_low,warned,unknown,coverage_by_mean,verdict\n",
	      csv);
	for (unsigned dep = 0; dep < DEPENDENCE_NAMES; dep++)
		for (unsigned law = 0; law < LAW_KINDS; law++)
			for (unsigned k = 0; k < o->n.count; k++) {
				struct program p = program_make(dep, law, (uint64_t)o->n.value[k]);

				if (!(o->dependences >> dep & o->laws >> law & 1) ||
				    (dep == DEPENDENCE_AR1 && law == LAW_CONSTANT))
					continue;
				passed += run(csv, o, &p);
				judged += PERCENTILES;
			}
	fprintf(stderr, "cover-or-warn: %u judged, %u passed\n", judged, passed);
}
