// SPDX-License-Identifier: GPL-3.0-or-later
/* A trial: threads that work at sites a, b, c, d, and units of progress that complete. What it
 * does is one of the shapes of shapes.h. */
#ifndef TRIAL_H
#define TRIAL_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "include/scprof.h"

#define TRIAL_SITES   4
#define TRIAL_THREADS 16

enum trial_law { TRIAL_CONSTANT, TRIAL_UNIFORM, TRIAL_EXPONENTIAL };

struct trial_thread;

struct trial {
	double mean_us[TRIAL_SITES];	     /* of a call at the site, before it was made faster */
	volatile double faster[TRIAL_SITES]; /* by this share: 0.1 */
	double steps_us;		     /* work_steps_us */
	enum trial_law law; /* uniform: between half of the mean and one and a half */
	int clients;
	int room; /* of the queue */
	double think_us, rate;
	uint64_t seed;
	volatile uint64_t draws; /* another one: all threads draw anew from there */
	int threads;
	struct trial_thread *thread; /* [TRIAL_THREADS] */
};

struct trial_thread {
	struct trial *trial;
	void (*body)(struct trial_thread *t); /* returns never */
	uint64_t random, draws;
	uint64_t from_ns; /* of the unit that is begun */
	int number;	  /* among those of its body */
	int stream;	  /* of random numbers */
	_Alignas(64) uint64_t units;
	uint64_t units_ns; /* how long the units lasted */
};

/* Starts a thread; the process ends where that fails. */
void trial_start(struct trial *t, int number, void (*body)(struct trial_thread *t));

double trial_uniform(struct trial_thread *t);		       /* 0 < it <= 1 */
double trial_exponential(struct trial_thread *t, double mean); /* of that mean */
uint64_t trial_steps(struct trial_thread *t, char site);       /* of one call */
uint64_t trial_now_ns(void);
void trial_begun(struct trial_thread *t); /* of a unit: notes the time */
void trial_done(struct trial_thread *t);  /* counts it */

/* A unit of progress, from here to there: a region, and Coz's point. */
#define UNIT_BEGIN(t)                                                                              \
	do {                                                                                       \
		trial_begun(t);                                                                    \
		SCPROF_BEGIN("unit");                                                              \
	} while (0)
#define UNIT_END(t)                                                                                \
	do {                                                                                       \
		SCPROF_END;                                                                        \
		trial_done(t);                                                                     \
	} while (0)

/* Items wait in it for whoever takes them; put waits for room. */
struct queue {
	pthread_mutex_t lock;
	pthread_cond_t fuller, emptier;
	int room, count, first;
	void **item;
};
void queue_init(struct queue *q, int room);
void queue_put(struct queue *q, void *item);
void *queue_take(struct queue *q);

#endif
