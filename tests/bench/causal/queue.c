// SPDX-License-Identifier: GPL-3.0-or-later
/* A bounded queue, as textbooks have it. */
#include <stdlib.h>

#include "tests/bench/causal/trial.h"

void queue_init(struct queue *q, int room)
{
	pthread_mutex_init(&q->lock, NULL);
	pthread_cond_init(&q->fuller, NULL);
	pthread_cond_init(&q->emptier, NULL);
	q->room = room;
	q->count = q->first = 0;
	q->item = calloc((size_t)room, sizeof(*q->item));
	if (!q->item)
		abort();
}

void queue_put(struct queue *q, void *item)
{
	pthread_mutex_lock(&q->lock);
	while (q->count == q->room)
		pthread_cond_wait(&q->emptier, &q->lock);
	q->item[(q->first + q->count++) % q->room] = item;
	pthread_mutex_unlock(&q->lock);
	pthread_cond_signal(&q->fuller);
}

void *queue_take(struct queue *q)
{
	void *item;

	pthread_mutex_lock(&q->lock);
	while (!q->count)
		pthread_cond_wait(&q->fuller, &q->lock);
	item = q->item[q->first];
	q->first = (q->first + 1) % q->room;
	q->count--;
	pthread_mutex_unlock(&q->lock);
	pthread_cond_signal(&q->emptier);
	return item;
}
