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
 * Prints one line of JSON: units a second, their mean duration, CPU time. `algebra steps` prints
 * the steps of a microsecond. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "bench/causal/shapes.h"
#include "bench/causal/work.h"

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

static bool read_setting(struct trial *t, double *s, const char *text)
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
		*s = number;
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

int main(int argc, char **argv)
{
	static struct trial_thread threads[TRIAL_THREADS];
	struct trial t = {.thread = threads};
	const struct shape *shape = argc > 1 ? find_shape(argv[1]) : NULL;
	struct sums from, to;
	double seconds = 5, took;

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
		if (!read_setting(&t, &seconds, argv[i]))
			return usage();
	if (!t.seed && getrandom(&t.seed, sizeof(t.seed), 0) != sizeof(t.seed))
		return 1;
	if (!(t.steps_us > 0))
		t.steps_us = work_steps_us();
	shape->start(&t);
	from = sum_after(&t, seconds * 0.1);
	to = sum_after(&t, seconds * 0.9);
	took = to.at - from.at;
	printf("{\"shape\": \"%s\", \"units_s\": %.3f, \"unit_us\": %.3f, \"cpus\": %.4f, "
	       "\"seconds\": %.3f}\n",
	       shape->name, (to.units - from.units) / took,
	       to.units > from.units ? (to.units_s - from.units_s) / (to.units - from.units) * 1e6
				     : 0,
	       (to.cpu_s - from.cpu_s) / took, took);
	return fflush(stdout) == 0 ? 0 : 1;
}
