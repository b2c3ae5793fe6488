// SPDX-License-Identifier: GPL-3.0-or-later
/* Scoring: nothing here knows how replications are made. */
#include <string.h>

#include "tests/bench/coverage/score.h"

#define Z95 1.959963984540054

const char *const criterion_names[CRITERIA] = {"cover-or-warn", "false-alarm", "over-coverage",
					       "width"};
const char *const doubt_names[SCORE_DOUBTS] = {"clock-synchronous", "too-few-independent-batches",
					       "heavy-tail"};

static void count_method(struct score *s, const char *name)
{
	for (int i = 0; i < SCORE_METHODS; i++) {
		if (!s->method[i].name)
			s->method[i].name = name;
		if (strcmp(s->method[i].name, name) == 0) {
			s->method[i].count++;
			return;
		}
	}
}

void score_add(struct score *s, const struct mean_interval *e, uint64_t ticks)
{
	double error = e->mean - s->truth, slack = 1e-12 * s->truth;
	bool low = e->low > s->truth + slack, covers = !low && e->high >= s->truth - slack;

	/* Arithmetic may miss an exact answer by its last digit. */
	s->low_misses += low;
	s->covered += covers;
	s->warned += e->unreliable != 0;
	s->silent += !covers && !e->unreliable;
	for (int i = 0; i < SCORE_DOUBTS; i++)
		s->doubt[i] += e->unreliable >> i & 1;
	s->ticks += (double)ticks;
	s->mean_sum += error;
	s->mean_square += error * error;
	s->width_sum += e->high - e->low;
	s->replications++;
	count_method(s, e->method);
}

void score_end(struct score *s)
{
	s->ticks /= (double)s->replications;
}

void score_run(struct score *s, struct source *source, uint64_t replications, struct dice *d)
{
	struct recorder r;

	*s = (struct score){.cell = source->cell,
			    .constant = source->cell.law.kind == LAW_CONSTANT,
			    .truth = source->truth,
			    .deviation = source->deviation};
	for (uint64_t i = 0; i < replications; i++) {
		struct mean_interval e;

		source->draw(source, d, &r);
		e = mean_interval_estimate(&r.sample, SCORE_CONFIDENCE);
		score_add(s, &e, r.sample.sums.sum);
	}
	score_end(s);
}

double score_share(const struct score *s, uint64_t count)
{
	return (double)count / (double)s->replications;
}

double score_coverage(const struct score *s)
{
	return score_share(s, s->covered);
}

/* Of Agresti and Coull (1998): all of 100 covered leaves an error, too. */
static double error_of(const struct score *s, uint64_t count)
{
	double n = (double)s->replications + 4, p = ((double)count + 2) / n;

	return sqrt(p * (1 - p) / n);
}

double score_coverage_error(const struct score *s)
{
	return error_of(s, s->covered);
}

bool score_is_silent(const struct score *s)
{
	return score_share(s, s->silent) - RULE_ERRORS * error_of(s, s->silent) > RULE_SILENT;
}

double score_deviation(const struct score *s)
{
	double n = (double)s->replications, mean = s->mean_sum / n;

	if (!isnan(s->deviation))
		return s->deviation;
	return sqrt(fmax(0, s->mean_square / n - mean * mean) * n / (n - 1));
}

double score_width(const struct score *s)
{
	return s->width_sum / (double)s->replications / (2 * Z95 * score_deviation(s));
}

double score_badness(const struct score *s, enum criterion c)
{
	double slack = RULE_ERRORS * score_coverage_error(s), warned = score_share(s, s->warned);
	bool covers = score_coverage(s) + slack >= RULE_COVER;
	bool strict = !s->constant && s->ticks >= RULE_TICKS && covers;

	switch (c) {
	case CRITERION_COVER_OR_WARN:
		if (covers || warned >= RULE_WARN)
			return 0;
		return RULE_COVER - score_coverage(s);
	case CRITERION_FALSE_ALARM:
		if (!covers)
			return NAN;
		return fmax(0, warned - RULE_ALARMS);
	case CRITERION_OVERCOVER:
		return strict ? fmax(0, score_coverage(s) - slack - RULE_OVERCOVER) : NAN;
	default:
		return strict ? fmax(0, score_width(s) - RULE_WIDTH) : NAN;
	}
}
