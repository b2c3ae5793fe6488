// SPDX-License-Identifier: GPL-3.0-or-later
/* Calls are walked one by one. A call computes for an exponential time; some are switched, of which
 * most sleep and then wait for their CPU, and others lose it. A segment goes from one switched call
 * to the end of the next, as the library has it, and is read with probability 1 / w: the first
 * FIRST_READINGS always are. */
#include <math.h>
#include <string.h>

#include "tests/bench/coverage/law.h"
#include "tests/bench/coverage/recorder.h"
#include "tests/bench/coverage/states.h"
#include "stats/mean/states.h"

#define SEED	       1991
#define COMPUTES       2000.0 /* ns */
#define GAP	       1000.0
#define SLEPT_SHARE    0.8
#define SLEEPS	       50000.0
#define WAKES	       3000.0 /* until it has a CPU again */
#define LOSES	       20000.0
#define FIRST_READINGS 32
#define SIGMA	       0.7
#define BURST	       1000
#define BUDGET_CALLS   1e8 /* of a program */
#define LEAST_REPEATS  100
#define RULE_COVER     0.94
#define RULE_WARN      0.9

enum state { UNSWITCHED, ON_CPU, RUNNABLE, ASLEEP, STATES };

static const char *const state_names[STATES] = {"unswitched", "on_cpu", "runnable", "asleep"};
static const double shares[] = {0.0001, 0.01, 0.3, 1};
static const enum law_kind laws[] = {LAW_CONSTANT, LAW_EXPONENTIAL, LAW_LOGNORMAL};
static const uint64_t weights[] = {1, 4, 64}, numbers[] = {100, 1000, 10000, 100000, 1000000};

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

struct program {
	double share;
	enum law_kind law;
	uint64_t weight, n;
	bool bursts; /* of calls that sleep longer or shorter together */
};

/* What the library keeps of the calls. */
struct record {
	struct recorder elapsed;
	struct states_sample sample;
	uint64_t batch[6][RECORDER_BATCHES]; /* in the order of struct states_batches */
	double since;			     /* length of the present segment so far */
};

static void add_squares(struct states_sample *s, double elapsed, double runnable, double asleep)
{
	s->runnable_sq += runnable * runnable;
	s->asleep_sq += asleep * asleep;
	s->runnable_asleep += runnable * asleep;
	s->units_runnable += elapsed * runnable;
	s->units_asleep += elapsed * asleep;
}

static void add_switched(struct record *r, const struct program *p, uint64_t elapsed,
			 const double off[2], struct dice *d)
{
	uint64_t slot = r->elapsed.sample.sums.n / r->elapsed.sample.batches.calls;
	uint64_t weight = r->sample.readings < FIRST_READINGS ? 1 : p->weight;
	uint64_t length = (uint64_t)r->since, read = dice_below(d, weight) == 0 ? weight : 0;
	double runnable = (double)read * round(off[0]), asleep = (double)read * round(off[1]);
	const uint64_t add[6] = {
		1, elapsed, length, length * read, (uint64_t)runnable, (uint64_t)asleep};

	r->sample.calls++;
	r->sample.units += elapsed;
	r->sample.units_sq += (stats_u128)elapsed * elapsed;
	r->sample.readings += read > 0;
	r->sample.known += (double)length;
	r->sample.weighted += (double)(length * read);
	r->sample.runnable += runnable;
	r->sample.asleep += asleep;
	add_squares(&r->sample, (double)elapsed, runnable, asleep);
	for (int i = 0; i < 6 && slot < RECORDER_BATCHES; i++)
		r->batch[i][slot] += add[i];
	r->since = 0;
}

static void add_call(struct record *r, const struct program *p, double level, struct dice *d)
{
	const struct law computes = {LAW_EXPONENTIAL, COMPUTES}, wakes = {LAW_EXPONENTIAL, WAKES};
	const struct law sleeps = {p->law, SLEEPS * level}, loses = {p->law, LOSES * level};
	bool switched = dice_unit(d) < p->share, slept = switched && dice_unit(d) < SLEPT_SHARE;
	double off[2] = {0, slept ? law_draw(&sleeps, d) : 0};
	uint64_t elapsed;

	if (switched)
		off[0] = law_draw(slept ? &wakes : &loses, d);
	elapsed = (uint64_t)(law_draw(&computes, d) + off[0] + off[1]);
	r->since += (double)elapsed + GAP;
	if (switched)
		add_switched(r, p, elapsed, off, d);
	recorder_add(&r->elapsed, elapsed);
}

static void record_run(struct record *r, const struct program *p, struct dice *d)
{
	uint64_t burst = p->n / 10 < BURST ? p->n / 10 : BURST;
	double level = 1;

	memset(r, 0, sizeof *r);
	recorder_begin(&r->elapsed, p->n, false);
	for (uint64_t i = 0; i < p->n; i++) {
		if (p->bursts && i % burst == 0)
			level = exp(SIGMA * dice_normal(d) - SIGMA * SIGMA / 2);
		add_call(r, p, level, d);
	}
	r->sample.elapsed = r->elapsed.sample;
	r->sample.batches = (struct states_batches){r->batch[0], r->batch[1], r->batch[2],
						    r->batch[3], r->batch[4], r->batch[5]};
}

struct result {
	uint64_t covered, warned, limited;
	double width;
};

static void judge(struct result *to, const struct mean_interval *m, double truth)
{
	to->covered += m->low <= truth && truth <= m->high;
	to->warned += m->unreliable != 0;
	if (!isfinite(m->high) || !isfinite(m->low))
		return;
	to->limited++;
	to->width += (m->high - m->low) / truth;
}

static void print(FILE *f, const struct program *p, const struct result *r, uint64_t repeats)
{
	double n = (double)repeats;

	for (int i = 0; i < STATES; i++) {
		double covered = (double)r[i].covered / n, warned = (double)r[i].warned / n;
		double error = sqrt(covered * (1 - covered) / n);
		bool passed = covered + 2 * error >= RULE_COVER || warned >= RULE_WARN;

		fprintf(f, "%g,%s,%g,%s,%g,%s,%g,%.4f,%.4f,%.4f,%.4g,%s\n", p->share,
			law_names[p->law], (double)p->weight, p->bursts ? "bursts" : "none",
			(double)p->n, state_names[i], n, covered, warned, (double)r[i].limited / n,
			r[i].width / (double)r[i].limited, passed ? "pass" : "fail");
	}
	fflush(f);
}

static void run(FILE *f, const struct program *p, uint64_t replications)
{
	const double truth[STATES] = {COMPUTES, COMPUTES,
				      p->share * (SLEPT_SHARE * WAKES + (1 - SLEPT_SHARE) * LOSES),
				      p->share * SLEPT_SHARE * SLEEPS};
	double most = fmax(BUDGET_CALLS / (double)p->n, LEAST_REPEATS);
	struct result result[STATES] = {0};
	uint64_t repeats = (uint64_t)fmin((double)replications, most);
	static struct record r;
	struct dice d;

	dice_seed(&d, SEED);
	for (uint64_t i = 0; i < repeats; i++) {
		struct states_estimate e;

		record_run(&r, p, &d);
		e = states_estimate_means(&r.sample, 0.95);
		/* Of no calls there is nothing to cover. */
		if (r.sample.calls == p->n)
			e.unswitched.low = 0, e.unswitched.high = INFINITY;
		judge(&result[UNSWITCHED], &e.unswitched, truth[UNSWITCHED]);
		judge(&result[ON_CPU], &e.on_cpu, truth[ON_CPU]);
		judge(&result[RUNNABLE], &e.runnable, truth[RUNNABLE]);
		judge(&result[ASLEEP], &e.asleep, truth[ASLEEP]);
	}
	print(f, p, result, repeats);
}

void states_report(FILE *f, uint64_t replications)
{
	size_t programs = COUNT(shares) * COUNT(laws) * COUNT(weights) * COUNT(numbers) * 2;

	fputs("switched,law,weight,dependence,n,state,replications,coverage,warned,limited,"
	      "width_over_mean,result\n",
	      f);
	for (size_t i = 0; i < programs; i++) {
		size_t k = i / 2;
		struct program p = {.bursts = i % 2, .n = numbers[k % COUNT(numbers)]};

		k /= COUNT(numbers);
		p.weight = weights[k % COUNT(weights)];
		k /= COUNT(weights);
		p.law = laws[k % COUNT(laws)];
		p.share = shares[k / COUNT(laws)];
		run(f, &p, replications);
	}
}
