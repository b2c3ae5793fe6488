// SPDX-License-Identifier: GPL-3.0-or-later
/* Ratio estimates with linearised errors (Cochran 1977, "Sampling Techniques", ch. 6) over
 * stretches of time instead of single windows. */
#include "stats/displacement/displacement.h"

#include <math.h>
#include <string.h>

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

#include "stats/numerics/distributions.h"

#define LEAST_STRETCHES 4
#define IN_A_STRETCH	3
#define RUNS_ENOUGH	5
#define WANDER_FREEDOM	8 /* estimated from a dozen seconds of measurements */
#define LEAST_PAIRS	5
#define MOSTLY		0.5
#define STRUCK_TWICE	2
/* For normal values: standard error of the median over that of the mean; standard deviation over
 * median absolute deviation. */
#define MEDIAN_ERROR  1.2533
#define NORMAL_MEDIAN 1.4826

static const struct displacement_value unknown = {NAN, INFINITY, 1};

struct displacement_value displacement_switching(const double *with, const double *without,
						 size_t n, double *scratch)
{
	if (n < LEAST_PAIRS)
		return unknown;
	for (size_t i = 0; i < n; i++)
		scratch[i] = with[i] - without[i];
	double median = gsl_stats_median(scratch, 1, n);
	for (size_t i = 0; i < n; i++)
		scratch[i] = fabs(with[i] - without[i] - median);
	double deviation = NORMAL_MEDIAN * gsl_stats_median(scratch, 1, n);
	return (struct displacement_value){median, MEDIAN_ERROR * deviation / sqrt((double)n),
					   (double)(n - 1)};
}

struct displacement_value displacement_switching_of(struct displacement_value first,
						    struct displacement_value second, double low,
						    double high)
{
	double apart = second.value - first.value, share = (low + high) / 2;

	if (!isfinite(first.error) || !isfinite(second.error))
		return isfinite(first.error) ? first : second;
	return (struct displacement_value){
		.value = first.value + share * apart,
		.error = hypot((1 - share) * first.error + share * second.error,
			       (high - low) * apart / sqrt(12)),
		.freedom = fmin(first.freedom, second.freedom),
	};
}

struct displacement_value displacement_switching_on(struct displacement_value here,
						    struct displacement_value away, double switches,
						    double interrupts, double struck)
{
	double low = 0, high = 1;

	if (switches > 0 && isfinite(interrupts)) {
		high = fmin(1, interrupts / switches);
		low = fmin(high, fmax(0, (interrupts - struck) / switches));
	}
	return displacement_switching_of(here, away, low, high);
}

bool displacement_is_bound(double others, double wall)
{
	return others > DISPLACEMENT_BOUND_SHARE * wall;
}

double displacement_hidden(double uncharged, double charged, double others, bool bound)
{
	double most = fmax(0, others);

	if (bound || !(charged > 0))
		return most;
	return fmin(most, STRUCK_TWICE * fmax(0, uncharged) * most / charged);
}

/* Residuals of all series, by stretch. */
struct stretches {
	double from, length;
	size_t count;
	double sum[DISPLACEMENT_STRETCHES];
};

static void stretch_begin(struct stretches *s, const struct displacement_series *series,
			  size_t cpus, size_t kept)
{
	double first = INFINITY, last = -INFINITY;

	for (size_t i = 0; i < cpus; i++) {
		if (!series[i].count)
			continue;
		first = fmin(first, series[i].window[0].at);
		last = fmax(last, series[i].window[series[i].count - 1].at);
	}
	*s = (struct stretches){.from = first, .count = kept / (cpus * IN_A_STRETCH)};
	if (s->count > DISPLACEMENT_STRETCHES)
		s->count = DISPLACEMENT_STRETCHES;
	s->length = s->count ? (last - first) / (double)s->count : 0;
}

static void stretch_add(struct stretches *s, double at, double residual)
{
	double place = s->length > 0 ? (at - s->from) / s->length : 0;
	size_t i = place > 0 ? (size_t)place : 0;

	s->sum[i < s->count ? i : s->count - 1] += residual;
}

/* The factor by which positive correlation of neighbours raises the variance of a sum, as in a
 * first-order autoregression. */
static double inflation(const struct stretches *s, double squares)
{
	double products = 0, r;

	for (size_t i = 1; i < s->count; i++)
		products += s->sum[i] * s->sum[i - 1];
	if (!(squares > 0))
		return 1;
	/* its bias in a short series is about -1/m */
	r = products / squares + 1 / (double)s->count;
	if (r < 0)
		return 1;
	return r < 0.9 ? (1 + r) / (1 - r) : 19;
}

/* Error of the sum of all residuals (the sum itself is 0); *freedom: its degrees of freedom. */
static double stretch_error(const struct stretches *s, double *freedom, double *inflated)
{
	double squares = 0;

	*freedom = 1;
	*inflated = 1;
	if (s->count < LEAST_STRETCHES)
		return INFINITY;
	for (size_t i = 0; i < s->count; i++)
		squares += s->sum[i] * s->sum[i];
	*inflated = inflation(s, squares);
	*freedom = fmax(1, (double)(s->count - 1) / *inflated);
	return sqrt(squares * (double)s->count / (double)(s->count - 1) * *inflated);
}

void displacement_add_error(struct displacement_value *v, double error, double freedom)
{
	double before = v->error * v->error, more = error * error, sum = before + more;

	if (!(more > 0))
		return;
	if (isfinite(sum) && sum > 0)
		v->freedom =
			sum * sum /
			(before * before / fmax(v->freedom, 1) + more * more / fmax(freedom, 1));
	v->error = sqrt(sum);
}

/* Sums over the windows that are kept, and of all. */
struct totals {
	size_t kept;
	double charged, work, weight, switches;
	double all_charged, all_weight, all_switches;
};

static struct totals totals_of(const struct displacement_series *s)
{
	struct totals t = {0};

	for (const struct displacement_window *w = s->window; w < s->window + s->count; w++) {
		t.all_charged += w->charged;
		t.all_weight += w->weight;
		t.all_switches += w->switches;
		if (w->aside)
			continue;
		t.kept++;
		t.charged += w->charged;
		t.work += w->work;
		t.weight += w->weight;
		t.switches += w->switches;
	}
	return t;
}

static double uncharged_of(const struct displacement_window *w, double rest, double cost)
{
	return w->work - cost * w->switches - rest * w->charged;
}

struct displacement_value displacement_rest(const struct displacement_series *s, double switch_cost)
{
	struct totals t = totals_of(s);
	struct displacement_value rest = unknown;
	struct stretches stretches;
	double inflated;

	if (!(t.charged > 0))
		return rest;
	rest.value = (t.work - switch_cost * t.switches) / t.charged;
	stretch_begin(&stretches, s, 1, t.kept);
	for (const struct displacement_window *w = s->window;
	     w < s->window + s->count && stretches.count; w++) {
		if (!w->aside)
			stretch_add(&stretches, w->at, uncharged_of(w, rest.value, switch_cost));
	}
	rest.error = stretch_error(&stretches, &rest.freedom, &inflated) / t.charged;
	return rest;
}

/* The two may differ by more than their own errors: that variance is found by moments, as for
 * random effects. */
struct displacement_value displacement_rests(const struct displacement_series s[2],
					     double switch_cost)
{
	struct displacement_value a = displacement_rest(&s[0], switch_cost),
				  b = displacement_rest(&s[1], switch_cost);
	double charged[2] = {totals_of(&s[0]).charged, totals_of(&s[1]).charged};
	double share = charged[0] / (charged[0] + charged[1]), between;

	if (!isfinite(a.error) || !isfinite(b.error))
		return isfinite(a.error) ? a : b;
	between = (pow(a.value - b.value, 2) - pow(a.error, 2) - pow(b.error, 2)) / 2;
	a.value = share * a.value + (1 - share) * b.value;
	a.error = sqrt(pow(share * a.error, 2) + pow((1 - share) * b.error, 2) +
		       fmax(0, between) / 2);
	a.freedom += b.freedom;
	return a;
}

/* The value of a CPU, with residuals scaled by the time they represent: the time without the
 * program. Excluded windows cannot contain more than the fluid was charged in them. *doubt: the
 * error due to that if most windows are excluded. */
static double one_cpu(const struct displacement_series *s, const struct totals *t, double rest,
		      double cost, struct stretches *stretches, double *doubt)
{
	double uncharged = t->work - cost * t->switches - rest * t->charged;
	double aside = t->all_charged - t->charged, factor, filled;
	bool timed = !(t->weight > 0);
	double kept = timed ? t->charged : t->weight, all = timed ? t->all_charged : t->all_weight;

	*doubt = kept < MOSTLY * all ? aside / 2 : 0;
	if (!(kept > 0))
		return 0;
	filled = fmax(-aside, fmin(aside, uncharged * (all - kept) / kept));
	factor = uncharged != 0 ? 1 + filled / uncharged : all / kept;
	for (size_t i = 0; i < s->count && stretches->count; i++) {
		const struct displacement_window *w = &s->window[i];
		double share = timed ? w->charged : w->weight;

		if (!w->aside)
			stretch_add(stretches, w->at,
				    (uncharged_of(w, rest, cost) - uncharged / kept * share) *
					    factor);
	}
	return uncharged + filled;
}

struct displacement_value displacement_rest_beside(struct displacement_value rests)
{
	if (isfinite(rests.error))
		displacement_add_error(&rests, DISPLACEMENT_WANDER * fabs(rests.value),
				       WANDER_FREEDOM);
	return rests;
}

struct displacement_uncharged displacement_uncharged(const struct displacement_series *series,
						     const struct displacement_value *rest,
						     size_t cpus,
						     const struct displacement_value *switching,
						     const double *rest_switches)
{
	double kept = 0, doubts = 0, switched = 0, freedom = INFINITY, doubt;
	struct displacement_uncharged e = {.inflation = 1};
	struct stretches stretches;

	for (size_t i = 0; i < cpus; i++) {
		e.windows += series[i].count;
		e.kept += totals_of(&series[i]).kept;
	}
	stretch_begin(&stretches, series, cpus ? cpus : 1, e.kept);
	for (size_t i = 0; i < cpus; i++) {
		struct totals t = totals_of(&series[i]);
		bool known = isfinite(switching[i].error);
		double cost = known ? switching[i].value : 0;

		double more =
			t.all_switches - (rest_switches ? rest_switches[i] * t.all_charged : 0);

		switched += known ? switching[i].error * fabs(more) : 0;
		freedom = fmin(freedom, known ? switching[i].freedom : INFINITY);
		e.total.value += one_cpu(&series[i], &t, rest[i].value, cost, &stretches, &doubt);
		doubts = hypot(doubts, doubt);
		e.charged += t.all_charged;
		e.resting += rest[i].value * t.all_charged;
		e.switched += cost * t.all_switches;
		kept += t.charged;
	}
	e.share_kept = e.charged > 0 ? kept / e.charged : 0;
	e.total.error = stretch_error(&stretches, &e.total.freedom, &e.inflation);
	e.within = e.total.error;
	displacement_add_error(&e.total, doubts, 30);
	for (size_t i = 0; i < cpus; i++)
		displacement_add_error(&e.total, rest[i].error * totals_of(&series[i]).all_charged,
				       rest[i].freedom);
	displacement_add_error(&e.total, switched, freedom);
	return e;
}

void displacement_limits(struct displacement_value v, double confidence, double *low, double *high)
{
	double half = distributions_t_two_sided(confidence, v.freedom) * v.error;

	if (!isfinite(half))
		half = INFINITY;
	*low = v.value - half;
	*high = v.value + half;
}

struct displacement_value displacement_mean(const struct displacement_value *run, size_t runs)
{
	struct displacement_value m = {0};
	double between = 0, within = 0, freedom = 0, n = (double)runs;

	if (runs < 2)
		return runs ? run[0] : unknown;
	for (size_t i = 0; i < runs; i++) {
		m.value += run[i].value / n;
		within += run[i].error * run[i].error / (n * n);
		freedom += run[i].freedom;
	}
	for (size_t i = 0; i < runs; i++)
		between += (run[i].value - m.value) * (run[i].value - m.value) / (n * (n - 1));
	bool by_runs = runs >= RUNS_ENOUGH || between > within || !isfinite(within);
	m.error = sqrt(by_runs ? between : within);
	m.freedom = by_runs ? n - 1 : freedom;
	return m;
}
