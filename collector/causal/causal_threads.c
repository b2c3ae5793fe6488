// SPDX-License-Identifier: GPL-3.0-or-later
#include "collector/causal/causal_private.h"

#include <stdlib.h>
#include <string.h>

#include "collector/machine/tasks.h"
#include "profile/base/kernel_file.h"

#define MOST 512 /* threads */

struct seen {
	uint32_t pid, tid;
	uint64_t ns[2];					/* on a CPU, and waiting for one */
	struct scp_causal_count slot[SCP_CAUSAL_SLOTS]; /* 0: it made no recorded call so far */
};

struct causal_threads_seen {
	double completed;
	size_t count;
	struct seen thread[MOST];
};

/* Also those that never called a recorded function. */
static void add_process(struct causal_threads_seen *s, pid_t pid, uint32_t inner_pid)
{
	DIR *tasks = kernel_file_folder("/proc/%d/task", (int)pid);
	pid_t tid;

	while (s->count < MOST && (tid = kernel_file_next(&tasks)) >= 0) {
		struct seen *to = &s->thread[s->count];

		*to = (struct seen){.pid = inner_pid,
				    .tid = (uint32_t)(proc_inner_pid(tid) ?: tid)};
		s->count += tasks_thread_times(pid, tid, to->ns);
	}
	kernel_file_leave(&tasks);
}

static bool is_owner(const struct causal_page *p, uint32_t inner_pid)
{
	uint32_t pid, tid;

	for (size_t i = 0; i + 1 < SCP_CAUSAL_THREADS; i++)
		if (causal_page_thread(p, i, &pid, &tid) && pid == inner_pid)
			return true;
	return false;
}

/* They say their numbers in their own namespace. */
static void add_processes(struct causal_threads_seen *s, const struct causal_page *p)
{
	DIR *all = kernel_file_folder("/proc");
	pid_t pid;

	while ((pid = kernel_file_next(&all)) >= 0) {
		uint32_t inner_pid = (uint32_t)(proc_inner_pid(pid) ?: pid);

		if (is_owner(p, inner_pid) && causal_page_is_mapped(p, (uint32_t)pid))
			add_process(s, pid, inner_pid);
	}
}

static struct seen *find(struct causal_threads_seen *s, uint32_t pid, uint32_t tid)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->thread[i].pid == pid && s->thread[i].tid == tid)
			return &s->thread[i];
	return NULL;
}

static struct causal_threads_seen *see(const struct causal_page *p, double completed)
{
	struct causal_threads_seen *s = calloc(1, sizeof(*s));
	uint32_t pid, tid;

	if (s)
		add_processes(s, p);
	for (size_t i = 0; s && i + 1 < SCP_CAUSAL_THREADS; i++) {
		const struct scp_causal_count *slot = causal_page_thread(p, i, &pid, &tid);
		struct seen *to = slot ? find(s, pid, tid) : NULL;
		if (to)
			memcpy(to->slot, slot, sizeof(to->slot));
	}
	if (s)
		s->completed = completed;
	return s;
}

void causal_threads_begin(struct causal_threads *t, const struct causal_page *p, double completed)
{
	double stretch = t->stretch; /* so far */

	causal_threads_free(t);
	*t = (struct causal_threads){.first = see(p, completed), .stretch = stretch};
}

/* Counts of a block that another thread had before are its own: they only grow. */
static double grown(uint64_t from, uint64_t to)
{
	return to > from ? (double)(to - from) : 0;
}

static double fill_one(const struct causal_page *p, const struct seen *from, const struct seen *to,
		       size_t sites, double units, double *calls)
{
	double busy = 1e-9 * grown(from->ns[0], to->ns[0]);

	for (size_t s = 0; s < sites; s++) {
		const struct scp_causal_count *a = &from->slot[s + 1], *b = &to->slot[s + 1];

		calls[s] = grown(a->calls, b->calls) / units;
		busy -= causal_page_seconds(p, grown(a->busy, b->busy));
	}
	return busy / units;
}

void causal_threads_read(struct causal_threads *t, const struct causal_page *p, size_t sites,
			 double completed)
{
	struct causal_threads_seen *now = t->first ? see(p, completed) : NULL;
	double units = now ? completed - t->first->completed : 0, ran = 0, waited = 0;
	double *busy, *calls;
	size_t count = 0;

	if (!now || !(units > 0)) {
		free(now);
		return;
	}
	busy = calloc(now->count, sizeof(*busy));
	calls = calloc(now->count * (sites + 1), sizeof(*calls));
	for (size_t i = 0; busy && calls && i < now->count; i++) {
		const struct seen *to = &now->thread[i];
		const struct seen *from = find(t->first, to->pid, to->tid);

		if (!from)
			continue;
		ran += grown(from->ns[0], to->ns[0]);
		waited += grown(from->ns[1], to->ns[1]);
		busy[count] = fill_one(p, from, to, sites, units, calls + count * sites);
		count++;
	}
	free(now);
	if (!count) {
		free(busy);
		free(calls);
		return;
	}
	PROF_FREE(t, busy, calls);
	t->busy = busy;
	t->calls = calls;
	t->count = count;
	t->stretch = ran > 0 ? 1 + waited / ran : t->stretch;
}

double causal_threads_stretch(const struct causal_threads *t)
{
	return t->stretch;
}

void causal_threads_free(struct causal_threads *t)
{
	PROF_FREE(t, first, busy, calls);
	*t = (struct causal_threads){0};
}
