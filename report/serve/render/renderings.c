// SPDX-License-Identifier: GPL-3.0-or-later
/* A list of a few dozen at most: connections are few. */
#include "report/serve/render/rendering.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "report/serve/monotonic.h"

void renderings_begin(struct renderings *all, bool several_users)
{
	*all = (struct renderings){.several = several_users,
				   .limits = {.seconds = RENDERING_SECONDS,
					      .memory = RENDERING_MEMORY,
					      .output = RENDERING_OUTPUT}};
	pthread_mutex_init(&all->lock, NULL);
	pthread_cond_init(&all->turn, NULL);
}

void renderings_stop(struct renderings *all)
{
	pthread_mutex_lock(&all->lock);
	all->stopping = true;
	for (const struct rendering *o = all->first; o; o = o->next)
		if (o->pid)
			kill(o->pid, SIGKILL);
	pthread_cond_broadcast(&all->turn);
	pthread_mutex_unlock(&all->lock);
}

void renderings_end(struct renderings *all)
{
	for (struct rendering *o = all->first, *next; o; o = next) {
		next = o->next;
		free(o);
	}
	pthread_cond_destroy(&all->turn);
	pthread_mutex_destroy(&all->lock);
}

struct rendering *renderings_add(struct renderings *all, const char *service, uint32_t owner)
{
	struct rendering *one = calloc(1, sizeof(*one));

	if (!one)
		return NULL;
	strncpy(one->service, service, sizeof(one->service) - 1);
	one->owner = owner;
	one->socket = one->output = -1;
	pthread_mutex_lock(&all->lock);
	one->number = all->count++;
	one->next = all->first;
	all->first = one;
	pthread_mutex_unlock(&all->lock);
	return one;
}

static bool has_turn(const struct rendering *one)
{
	return one->state == RENDERING_WORKS || one->state == RENDERING_STUCK;
}

static unsigned turns_of(const struct renderings *all, uint32_t owner)
{
	unsigned turns = 0;

	for (const struct rendering *o = all->first; o; o = o->next)
		turns += has_turn(o) && o->owner == owner;
	return turns;
}

/* Root is not limited, nor are profiles of several users together. */
static bool is_limited(const struct renderings *all, uint32_t owner)
{
	return all->several && owner && owner != SNAPSHOT_NO_OWNER;
}

static bool has_room(const struct renderings *all, const struct rendering *one)
{
	unsigned turns = 0;

	for (const struct rendering *o = all->first; o; o = o->next) {
		if (!has_turn(o))
			continue;
		if (!strcmp(o->service, one->service))
			return false;
		turns++;
	}
	return turns < RENDERINGS_MOST &&
	       (!is_limited(all, one->owner) || turns_of(all, one->owner) < RENDERINGS_OF_OWNER);
}

static bool goes_before(const struct renderings *all, const struct rendering *a,
			const struct rendering *b)
{
	unsigned of_a = turns_of(all, a->owner), of_b = turns_of(all, b->owner);

	return of_a < of_b || (of_a == of_b && a->number < b->number);
}

static bool is_next(const struct renderings *all, const struct rendering *one)
{
	if (!has_room(all, one))
		return false;
	for (const struct rendering *o = all->first; o; o = o->next)
		if (o != one && o->state == RENDERING_WAITS && goes_before(all, o, one) &&
		    has_room(all, o))
			return false;
	return true;
}

/* With the lock, which is released meanwhile. */
static void wait_a_second(struct renderings *all)
{
	const struct timespec until = monotonic_timespec(monotonic_now_ns() + MONOTONIC_SECOND_NS);

	pthread_cond_clockwait(&all->turn, &all->lock, CLOCK_MONOTONIC, &until);
}

enum renderings_answer renderings_enter(struct renderings *all, struct rendering *one,
					bool (*has_left)(int client), int client)
{
	uint64_t end_ns = monotonic_now_ns() + (uint64_t)(2 * all->limits.seconds * 1e9);
	enum renderings_answer answer = RENDERINGS_YOURS;

	pthread_mutex_lock(&all->lock);
	one->state = RENDERING_WAITS;
	while (answer == RENDERINGS_YOURS && (all->stopping || !is_next(all, one))) {
		if (all->stopping || has_left(client))
			answer = RENDERINGS_STOPPED;
		else if (monotonic_now_ns() > end_ns)
			answer = RENDERINGS_BUSY;
		else
			wait_a_second(all);
	}
	one->state = answer == RENDERINGS_YOURS ? RENDERING_WORKS : RENDERING_IDLE;
	pthread_cond_broadcast(&all->turn);
	pthread_mutex_unlock(&all->lock);
	return answer;
}

void renderings_leave(struct renderings *all, struct rendering *one)
{
	pthread_mutex_lock(&all->lock);
	one->state = RENDERING_IDLE;
	pthread_cond_broadcast(&all->turn);
	pthread_mutex_unlock(&all->lock);
}

/* With the lock. */
static void forget(struct renderings *all, struct rendering *one)
{
	struct rendering **at = &all->first;

	while (*at != one)
		at = &(*at)->next;
	*at = one->next;
	free(one);
	pthread_cond_broadcast(&all->turn);
}

void renderings_remove(struct renderings *all, struct rendering *one)
{
	if (one->socket >= 0)
		close(one->socket);
	if (one->output >= 0)
		close(one->output);
	one->socket = one->output = -1;
	pthread_mutex_lock(&all->lock);
	if (one->pid)
		one->state = RENDERING_STUCK;
	else
		forget(all, one);
	pthread_mutex_unlock(&all->lock);
}

void renderings_tend(struct renderings *all)
{
	pthread_mutex_lock(&all->lock);
	for (struct rendering *o = all->first, *next; o; o = next) {
		next = o->next;
		if (o->state == RENDERING_STUCK && waitpid(o->pid, NULL, WNOHANG))
			forget(all, o);
	}
	pthread_mutex_unlock(&all->lock);
}
