// SPDX-License-Identifier: GPL-3.0-or-later
/* Programs whose throughput is algebra, for the causal profile to be judged by.
 *
 * Usage: algebra SHAPE [NAME=VALUE...]
 *   a=US, b=US, c=US, d=US   mean time of a call at work_a, ... (each shape has its own)
 *   faster_a=PERCENT, ...    that much less of it
 *   law=constant|uniform|exponential   of the calls' lengths
 *   clients=N room=N think=US rate=N   what the shape has of these
 *   seconds=S   how long; the first tenth is not counted
 *   steps=N     steps of work a microsecond; without it they are measured first
 *   seed=N
 *   turns=MS    each site 10 and 30 % faster, and none, in turn, in random order, for so long each;
 *               the first half of a turn is not counted
 * Prints one line of JSON: units a second, their mean duration, CPU time; with turns, the first two
 * by variant. `algebra steps` prints the steps of a microsecond. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "tests/bench/causal/shapes.h"
#include "tests/bench/causal/work.h"

static int usage(void)
{
	fprintf(stderr, "usage: algebra steps | SHAPE [NAME=VALUE...]\nshapes:");
	for (const struct shape *s = shapes; s->name; s++)
		fprintf(stderr, " %s", s->name);
	fprintf(stderr, "\n");
	return 2;
}

static const struct shape *find_shape(const char *name)
{
	for (const struct shape *s = shapes; s->name; s++)
		if (!strcmp(s->name, name))
			return s;
	return NULL;
}

static bool read_law(struct trial *t, const char *name)
{
	static const char *const names[] = {"constant", "uniform", "exponential"};

	for (int i = 0; i < 3; i++)
		if (!strcmp(names[i], name)) {
			t->law = (enum trial_law)i;
			return true;
		}
	return false;
}

struct lengths {
	double seconds, turn_s;
};

static bool read_setting(struct trial *t, struct lengths *s, const char *text)
{
	const char *value = strchr(text, '=');
	size_t n = value ? (size_t)(value++ - text) : 0;
	bool site = n && text[n - 1] >= 'a' && text[n - 1] < 'a' + TRIAL_SITES;
	double number;

	if (!n)
		return false;
	if (n == 3 && !strncmp(text, "law", n))
		return read_law(t, value);
	number = atof(value);
	if (n == 1 && site)
		t->mean_us[text[0] - 'a'] = number;
	else if (n == 8 && site && !strncmp(text, "faster_", 7))
		t->faster[text[7] - 'a'] = number / 100;
	else if (n == 7 && !strncmp(text, "clients", n))
		t->clients = (int)number;
	else if (n == 4 && !strncmp(text, "room", n))
		t->room = (int)number;
	else if (n == 5 && !strncmp(text, "think", n))
		t->think_us = number;
	else if (n == 4 && !strncmp(text, "rate", n))
		t->rate = number;
	else if (n == 7 && !strncmp(text, "seconds", n))
		s->seconds = number;
	else if (n == 5 && !strncmp(text, "turns", n))
		s->turn_s = number / 1e3;
	else if (n == 5 && !strncmp(text, "steps", n))
		t->steps_us = number;
	else if (n == 4 && !strncmp(text, "seed", n))
		t->seed = strtoull(value, NULL, 0);
	else
		return false;
	return true;
}

struct sums {
	double at, units, units_s, cpu_s;
};

static struct sums sum_up(const struct trial *t)
{
	struct sums s = {(double)trial_now_ns() * 1e-9, 0, 0, 0};
	struct timespec cpu;

	for (int i = 0; i < t->threads; i++) {
		const struct trial_thread *k = &t->thread[i];

		s.units += (double)__atomic_load_n(&k->units, __ATOMIC_RELAXED);
		s.units_s += (double)__atomic_load_n(&k->units_ns, __ATOMIC_RELAXED) * 1e-9;
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
	s.cpu_s = (double)cpu.tv_sec + (double)cpu.tv_nsec * 1e-9;
	return s;
}

static struct sums sum_after(const struct trial *t, double seconds)
{
	struct timespec left = {(time_t)seconds, (long)((seconds - (double)(long)seconds) * 1e9)};

	while (nanosleep(&left, &left) < 0)
		;
	return sum_up(t);
}

#define VARIANTS (1 + 2 * TRIAL_SITES)
static const int faster_percent[] = {10, 30};

struct variant {
	char name[8];
	int site, percent; /* 0: none is faster */
	double units, units_s, took;
};

static int list_variants(const struct trial *t, struct variant *v)
{
	int n = 1;

	v[0] = (struct variant){.name = "base"};
	for (int site = 0; site < TRIAL_SITES; site++)
		for (int i = 0; i < 2 && t->mean_us[site] > 0; i++) {
			v[n] = (struct variant){.site = site, .percent = faster_percent[i]};
			snprintf(v[n].name, sizeof(v[n].name), "%c%d", 'a' + site, v[n].percent);
			n++;
		}
	return n;
}

/* Variants that have the same draws differ by what is faster, not by chance. */
static void take_turn(struct trial *t, struct variant *v, uint64_t draws, double turn_s)
{
	struct sums from, to;

	t->draws = draws;
	for (int i = 0; i < TRIAL_SITES; i++)
		t->faster[i] = v->percent && i == v->site ? v->percent / 100.0 : 0;
	from = sum_after(t, turn_s / 2);
	to = sum_after(t, turn_s / 2);
	v->units += to.units - from.units;
	v->units_s += to.units_s - from.units_s;
	v->took += to.at - from.at;
}

static int take_turns(struct trial *t, const struct shape *shape, const struct lengths *s)
{
	struct trial_thread dice = {.trial = t, .random = t->seed | 1};
	struct variant v[VARIANTS];
	int n = list_variants(t, v);
	double end = (double)trial_now_ns() * 1e-9 + s->seconds;

	for (uint64_t draws = 1; (double)trial_now_ns() * 1e-9 < end; draws += TRIAL_THREADS + 1)
		for (int i = 0; i < n; i++) {
			int other = i + (int)((1 - trial_uniform(&dice)) * (n - i));
			struct variant swapped = v[i];

			v[i] = v[other];
			v[other] = swapped;
			take_turn(t, &v[i], draws, s->turn_s);
		}
	printf("{\"shape\": \"%s\", \"variants\": {", shape->name);
	for (int i = 0; i < n; i++)
		printf("%s\"%s\": {\"units_s\": %.3f, \"unit_us\": %.3f}", i ? ", " : "", v[i].name,
		       v[i].units / v[i].took,
		       v[i].units > 0 ? v[i].units_s / v[i].units * 1e6 : 0);
	printf("}}\n");
	return fflush(stdout) == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
	static struct trial_thread threads[TRIAL_THREADS];
	struct trial t = {.thread = threads};
	const struct shape *shape = argc > 1 ? find_shape(argv[1]) : NULL;
	struct sums from, to;
	struct lengths length = {5, 0};
	double took;

	if (argc == 2 && !strcmp(argv[1], "steps"))
		return printf("%.1f\n", work_steps_us()) < 0;
	if (!shape)
		return usage();
	memcpy(t.mean_us, shape->mean_us, sizeof(t.mean_us));
	t.law = shape->law;
	t.clients = shape->clients;
	t.room = shape->room;
	t.think_us = shape->think_us;
	t.rate = shape->rate;
	for (int i = 2; i < argc; i++)
		if (!read_setting(&t, &length, argv[i]))
			return usage();
	if (!t.seed && getrandom(&t.seed, sizeof(t.seed), 0) != sizeof(t.seed))
		return 1;
	if (!(t.steps_us > 0))
		t.steps_us = work_steps_us();
	shape->start(&t);
	if (length.turn_s > 0)
		return take_turns(&t, shape, &length);
	from = sum_after(&t, length.seconds * 0.1);
	to = sum_after(&t, length.seconds * 0.9);
	took = to.at - from.at;
	printf("{\"shape\": \"%s\", \"units_s\": %.3f, \"unit_us\": %.3f, \"cpus\": %.4f, "
	       "\"seconds\": %.3f}\n",
	       shape->name, (to.units - from.units) / took,
	       to.units > from.units ? (to.units_s - from.units_s) / (to.units - from.units) * 1e6
				     : 0,
	       (to.cpu_s - from.cpu_s) / took, took);
	return fflush(stdout) == 0 ? 0 : 1;
}
