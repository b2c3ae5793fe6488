// SPDX-License-Identifier: GPL-3.0-or-later
/* Calls that wait for each other: the sojourn times of a queue with Poisson arrivals, by Lindley's
 * recursion, begun with the exact stationary wait. The service is a mixture of two exponentials;
 * the mean is Pollaczek and Khinchine's (Kleinrock 1975, "Queueing Systems", vol. 1, eq. 5.66). */
#include "tests/bench/coverage/heldout/stream.h"

struct service {
	double rare, brief, lengthy; /* share of the lengthy ones; means */
};

struct queue {
	double wait;
};

static double exponential(struct dice *d)
{
	return -log(dice_unit(d));
}

static double serve(const struct service *v, struct dice *d)
{
	return exponential(d) * (dice_unit(d) < v->rare ? v->lengthy : v->brief);
}

static double mean_of(const struct service *v)
{
	return (1 - v->rare) * v->brief + v->rare * v->lengthy;
}

/* The stationary wait is a geometric number of residual services (Kleinrock, eq. 5.111). */
static double queue_begin(struct stream *s, struct dice *d)
{
	struct queue *q = STREAM_STATE_OF(struct queue, s);
	const struct service *v = s->law->data;
	double load = s->law->a, mean = mean_of(v), lengthy = v->rare * v->lengthy / mean;
	double square =
		2 * ((1 - v->rare) * v->brief * v->brief + v->rare * v->lengthy * v->lengthy);

	while (dice_unit(d) < load)
		q->wait += exponential(d) * (dice_unit(d) < lengthy ? v->lengthy : v->brief);
	return mean + load / mean * square / (2 * (1 - load));
}

static double queue_next(struct stream *s, struct dice *d)
{
	struct queue *q = STREAM_STATE_OF(struct queue, s);
	const struct service *v = s->law->data;
	double sojourn = q->wait + serve(v, d);

	q->wait = fmax(0, sojourn - exponential(d) * mean_of(v) / s->law->a);
	return sojourn;
}

static const struct service plain = {0, 1, 1}, preempted = {0.01, 0.5, 30};

const struct stream_law stream_queues[] = {
	{"queue-0.8", queue_begin, queue_next, .a = 0.8, .data = &plain, .dependent = true},
	{"queue-0.95", queue_begin, queue_next, .a = 0.95, .data = &plain, .dependent = true},
	/* The holder of a lock loses its CPU now and then, and all wait behind it. */
	{"convoy", queue_begin, queue_next, .a = 0.7, .data = &preempted, .dependent = true},
	{0},
};
