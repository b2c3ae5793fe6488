// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/watched/programs.h"

#include <math.h>
#include <string.h>

#include "stats/numerics/random.h"

#define LEVELS PROGRAMS_LEVELS
#define S      PROGRAMS_S
#define MS     1e6

static struct random dice;

static double uniform(void)
{
	return ((double)(random_next(&dice) >> 12) + 0.5) * 0x1p-52;
}

static double exponential(void)
{
	return -log(uniform());
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

/* Of mean 1. */
static double pareto(double shape)
{
	return (shape - 1) / shape * pow(uniform(), -1 / shape);
}

static double lognormal(double sigma)
{
	return exp(sigma * normal() - sigma * sigma / 2);
}

static double weibull(double shape)
{
	return pow(exponential(), 1 / shape) / tgamma(1 + 1 / shape);
}

/* Calls at random times, 2 ms apart on average. */
static double arrival(void)
{
	return 2 * MS * exponential();
}

static struct call independent_exponential(struct program *p, double a, double b)
{
	(void)p, (void)a, (void)b;
	return (struct call){2 * MS, MS * exponential()};
}

static struct call independent_lognormal(struct program *p, double sigma, double b)
{
	(void)p, (void)b;
	return (struct call){2 * MS, MS * lognormal(sigma)};
}

static struct call independent_pareto(struct program *p, double shape, double b)
{
	(void)p, (void)b;
	return (struct call){2 * MS, MS * pareto(shape)};
}

static struct call independent_weibull(struct program *p, double shape, double b)
{
	(void)p, (void)b;
	return (struct call){2 * MS, MS * weibull(shape)};
}

/* One call of `many` takes `times` as long; mean 1. */
static struct call rare(struct program *p, double many, double times)
{
	double one = MS / (1 + (times - 1) / many);

	(void)p;
	return (struct call){2 * MS, uniform() * many < 1 ? times * one : one};
}

/* Call to call, correlation a. */
static struct call chained(struct program *p, double a, double sigma)
{
	if (!p->calls)
		p->level[0] = normal();
	p->level[0] = a * p->level[0] + sqrt(1 - a * a) * normal();
	return (struct call){2 * MS, MS * exp(sigma * p->level[0] - sigma * sigma / 2)};
}

/* Two states of equal sojourns, calls of 0.5 and 1.5 ms one behind the other. The mean of a call is
 * 2 / (1 / 0.5 + 1 / 1.5) = 0.75 ms. */
static struct call two_states(struct program *p, double (*sojourn)(double), double a)
{
	if (!p->calls)
		p->state = uniform() < 0.5;
	while (p->now >= p->state_end) {
		p->state ^= 1;
		p->state_end += sojourn(a);
	}
	double time = p->state ? 1.5 * MS : 0.5 * MS;

	return (struct call){time, time};
}

static double of_exponential(double mean)
{
	return mean * exponential();
}

static double of_pareto(double shape)
{
	return 0.3 * S * pareto(shape);
}

static double of_fixed(double mean)
{
	return mean;
}

static struct call markov(struct program *p, double mean_s, double b)
{
	(void)b;
	return two_states(p, of_exponential, mean_s * S);
}

static struct call long_tailed(struct program *p, double shape, double b)
{
	(void)b;
	return two_states(p, of_pareto, shape);
}

static struct call square_wave(struct program *p, double half_s, double b)
{
	(void)b;
	if (!p->calls)
		p->state_end = uniform() * half_s * S;
	return two_states(p, of_fixed, half_s * S);
}

/* Three levels, 0.3, 1 and 3 ms, equally likely; sojourns of Weibull's law, shape 0.7, mean a s. */
static struct call three_levels(struct program *p, double mean_s, double b)
{
	static const double level[] = {0.3, 1, 3};

	(void)b;
	while (p->now >= p->state_end) {
		p->state = (unsigned)(3 * uniform());
		p->state_end += mean_s * S * weibull(0.7);
	}
	return (struct call){arrival(), level[p->state] * MS};
}

/* Episodes in which calls take `times` as long: a tenth of the time, every a s. */
static struct call convoy(struct program *p, double every_s, double times)
{
	while (p->now >= p->state_end) {
		p->state ^= 1;
		p->state_end += every_s * S * exponential() * (p->state ? 0.1 : 0.9);
	}
	return (struct call){arrival(), MS * exponential() * (p->state ? times : 1)};
}

/* As a sum of processes whose correlation falls exponentially, over times from a s, each b times as
 * long as the one before: one of them where b is 0. Log-normal levels. */
static struct call levels(struct program *p, double first_s, double factor)
{
	double each = factor > 0 ? 0.6 / sqrt(LEVELS) : 0.6, sum = 0, time = first_s * S;
	unsigned many = factor > 0 ? LEVELS : 1;

	for (unsigned i = 0; i < many; i++, time *= factor) {
		double keep = p->calls ? exp(-(p->now - p->level_at) / time) : 0;

		p->level[i] = keep * p->level[i] + sqrt(1 - keep * keep) * normal();
		sum += each * p->level[i];
	}
	p->level_at = p->now;
	return (struct call){arrival(), MS * exp(sum - 0.18)};
}

/* Every a s, for a fiftieth of that, calls take b times as long. */
static struct call pauses(struct program *p, double every_s, double times)
{
	if (!p->calls)
		p->level[0] = uniform() * every_s * S;
	double phase = fmod(p->now + p->level[0], every_s * S);

	return (struct call){arrival(), MS * (phase < every_s * S / 50 ? times : 1)};
}

static struct call sinusoid(struct program *p, double period_s, double swing)
{
	if (!p->calls)
		p->level[0] = 2 * M_PI * uniform();
	return (struct call){arrival(), MS * (1 + swing * sin(2 * M_PI * p->now / (period_s * S) +
							      p->level[0]))};
}

/* Calls come only in bursts of 0.2 s, 1 s apart, each with a level of its own. */
static struct call bursts(struct program *p, double sigma, double b)
{
	struct call c = {arrival() / 4, 0};

	(void)b;
	if (p->now + c.gap >= p->state_end) {
		c.gap = p->state_end - p->now + S * exponential();
		p->state_end = p->now + c.gap + 0.2 * S;
		p->level[0] = lognormal(sigma);
	}
	c.time = 0.05 * MS * p->level[0] * exponential();
	return c;
}

/* Twice as long after a s as at the start, and so on. */
static struct call drift(struct program *p, double double_s, double b)
{
	double mean = MS * (1 + p->now / (double_s * S));

	(void)b;
	p->all += mean;
	return (struct call){arrival(), mean * exponential()};
}

/* Begins three times as slow, for a s. */
static struct call warming(struct program *p, double fall_s, double b)
{
	double mean = MS * (1 + 2 * exp(-p->now / (fall_s * S)));

	(void)b;
	p->all += mean;
	return (struct call){arrival(), mean * exponential()};
}

const struct program_law programs_laws[] = {
	{"exponential", "independent", independent_exponential, 0, 0, 1, false},
	{"lognormal", "independent, coefficient of variation 1.3", independent_lognormal, 1, 0, 1,
	 false},
	{"chained", "neighbours correlated 0.95", chained, 0.95, 0.7, 1, false},
	{"markov-0.1", "two states of 0.1 s", markov, 0.1, 0, 0.75, false},
	{"markov-1", "two states of 1 s", markov, 1, 0, 0.75, false},
	{"pareto-sojourns-1.5", "two states, 0.3 s, tail 1.5", long_tailed, 1.5, 0, 0.75, false},
	{"one-over-f", "levels, 0.05 to 3000 s", levels, 0.05, 4, 1, false},
	{"pareto-1.5", "durations of tail 1.5", independent_pareto, 1.5, 0, 1, false},
	{"pareto-2.5", "durations of tail 2.5", independent_pareto, 2.5, 0, 1, false},
	{"pauses-5", "every 5 s, calls 20 times as long", pauses, 5, 20, 1.38, false},
	{"convoy-3", "episodes every 3 s, 5 times as long", convoy, 3, 5, 1.4, false},
	{"drift-100", "1 % of the start more a second", drift, 100, 0, 0, false},
	{"markov-3", "two states of 3 s", markov, 3, 0, 0.75, true},
	{"markov-0.3", "two states of 0.3 s", markov, 0.3, 0, 0.75, true},
	{"three-levels-2", "three levels, sojourns Weibull 0.7, 2 s", three_levels, 2, 0, 4.3 / 3,
	 true},
	{"convoy-1", "episodes every 1 s, 20 times as long", convoy, 1, 20, 2.9, true},
	{"pareto-sojourns-1.2", "two states, 0.3 s, tail 1.2", long_tailed, 1.2, 0, 0.75, true},
	{"pareto-sojourns-1.8", "two states, 0.3 s, tail 1.8", long_tailed, 1.8, 0, 0.75, true},
	{"levels-2", "log-normal levels, 2 s", levels, 2, 0, 1, true},
	{"one-over-f-3", "levels, 0.2 to 1300 s", levels, 0.2, 3, 1, true},
	{"lognormal-2", "independent, sigma 2", independent_lognormal, 2, 0, 1, true},
	{"weibull-0.4", "independent, shape 0.4", independent_weibull, 0.4, 0, 1, true},
	{"rare", "one of 2000 takes 1000 times as long", rare, 2000, 1000, 1, true},
	{"pauses-2", "every 2 s, calls 50 times as long", pauses, 2, 50, 1.98, true},
	{"sinusoid-7", "a sine of 7 s, +-80 %", sinusoid, 7, 0.8, 1, true},
	{"square-10", "two states in turn, 10 s each", square_wave, 10, 0, 0.75, true},
	{"bursts", "0.2 s of calls every 1.2 s, levels", bursts, 0.7, 0, 0.05, true},
	{"warming-3", "begins 3 times as slow, for 3 s", warming, 3, 0, 0, true},
	{"drift-30", "3 % of the start more a second", drift, 30, 0, 0, true},
};
const unsigned programs_count = sizeof(programs_laws) / sizeof(*programs_laws);

bool programs_is_named(unsigned i, char *const *name, int names)
{
	bool named = names <= 0;

	for (int k = 0; k < names; k++)
		named = named || !strcmp(name[k], programs_laws[i].name);
	return named;
}

void programs_seed(uint64_t seed)
{
	random_seed(&dice, seed);
}

double programs_step(const struct program_law *law, struct program *p)
{
	struct call c = law->next(p, law->a, law->b);

	p->now += c.gap;
	p->calls++;
	return c.time;
}

double programs_truth(const struct program_law *law, const struct program *p)
{
	return law->truth_ms > 0 ? law->truth_ms * MS : p->all / p->calls;
}

void programs_begin(struct recording *r)
{
	*r = (struct recording){.sums = {.min = UINT64_MAX, .tick = 1, .unit = 1},
				.end = 2,
				.batches = {.calls = 2}};
}

void programs_record(struct recording *r, double ns)
{
	struct stats_sums *s = &r->sums;
	uint64_t units = (uint64_t)llround(ns);

	s->n++;
	s->sum += units;
	s->sum_sq += (stats_u128)units * units;
	s->min = units < s->min ? units : s->min;
	s->max = units > s->max ? units : s->max;
	if (s->n < r->end)
		return;
	r->batch[r->batches.count++] = s->sum - r->base;
	r->base = s->sum;
	if (r->batches.count == 64) {
		for (unsigned i = 0; i < 32; i++)
			r->batch[i] = r->batch[2 * i] + r->batch[2 * i + 1];
		r->batches.count = 32;
		r->batches.calls *= 2;
	}
	r->end = s->n + r->batches.calls;
}

struct mean_interval programs_estimate(const struct recording *r)
{
	struct stats_sample sample = {.sums = r->sums, .batches = r->batches};

	sample.batches.sum = r->batch;
	return mean_interval_estimate(&sample, 0.95);
}
