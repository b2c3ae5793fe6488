// SPDX-License-Identifier: GPL-3.0-or-later
/* Every file is read on its own first: whether it is sound, and whether it has
 * anything to say, must be known before it joins the others. Root's programs that have become
 * somebody else can replace their files meanwhile, so no link is followed. */
#include "collector/launch/gather.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profile/base/error.h"

#define COMPUTED_NS UINT64_C(10000000) /* more CPU time than a process needs to start */

/* What a file tells of. */
enum file_weight { REFUSED = -1, IDLE, COMPUTED, CALLS };

static bool is_command(const struct launch *l, const struct run_file *files, size_t count, size_t i)
{
	if (!l || !l->ended_mono_ns || !l->process_start || files[i].pid != l->pid ||
	    files[i].process_start != l->process_start)
		return false;
	for (size_t later = i + 1; later < count; later++)
		if (files[later].pid == l->pid && files[later].process_start == l->process_start)
			return false;
	return true;
}

/* Completes *p, which was read from files[i], where the library inside could not write how its
 * process ended: it was killed, or left by a bare system call. Of the command its status and the
 * instant of its end; of others whether they are still there. One file a program that a process
 * was: only the last one that the command became ended as it did. */
static void complete_end(const struct launch *l, const struct run_file *files, size_t count,
			 size_t i, struct prof_process *p)
{
	if (p->end_state == SCP_END_EXEC) /* what follows is another program */
		return;
	if (is_command(l, files, count, i)) {
		int status = l->status;

		p->end = WIFSIGNALED(status)
				 ? (struct prof_end){SCP_END_SIGNAL, (uint32_t)WTERMSIG(status)}
				 : (struct prof_end){SCP_END_STATUS, (uint32_t)WEXITSTATUS(status)};
		if (p->end_state == SCP_END_RUNNING)
			p->end_mono_ns = l->ended_mono_ns;
	} else if (p->end_state == SCP_END_RUNNING) {
		p->end.seen = run_files_is_live(&files[i]) ? SCP_END_LIVED : SCP_END_GONE;
	}
}

static uint64_t calls_of(const struct profile *p)
{
	uint64_t calls = p->losses.skipped_calls + p->losses.abandoned_calls +
			 p->losses.overflow_calls + p->losses.unclassified_calls +
			 p->uncopied_calls;

	for (uint32_t i = 0; i < p->entries; i++)
		calls += p->entry[i].sums.calls;
	for (uint32_t i = 0; i < p->functions; i++)
		calls += p->function[i].overflow_calls;
	return calls;
}

/* A process of the run may have become another user, and can put any file there: one of an earlier
 * run would show a program that did not run. A process makes its own file, when it begins to
 * record. One clock suffices: the time of day can be set, and a time namespace has other monotonic
 * ones. */
static bool is_of_run(const struct run_directory *d, const struct profile *p)
{
	const struct prof_process *one = p->process;
	uint64_t real_ns, mono_ns;

	run_directory_now(&real_ns, &mono_ns);
	return !d->begun_real_ns ||
	       (p->processes == 1 && one->count == 1 &&
		((one->start_real_ns >= d->begun_real_ns && one->start_real_ns <= real_ns) ||
		 (one->start_mono_ns >= d->begun_mono_ns && one->start_mono_ns <= mono_ns)));
}

/* Of one file, read into `alone`. REFUSED: it cannot be read, or is not of the run. */
static enum file_weight weigh(const struct run_directory *d, const char *path,
			      struct profile *alone, struct profile_error *err)
{
	if (!alone)
		error_set(err, "%.400s: out of memory", path);
	if (!alone || profile_add(alone, path, err))
		return REFUSED;
	if (!is_of_run(d, alone)) {
		error_fail(err, path,
			   "was not recorded in this run, and is left out.\nSomebody "
			   "else put it there; it is kept.");
		return REFUSED;
	}
	if (calls_of(alone))
		return CALLS;
	return alone->usage.known & SCP_USAGE_CPU && alone->usage.cpu_ns >= COMPUTED_NS ? COMPUTED
											: IDLE;
}

static void refuse_damaged(const struct run_directory *d, struct gathered *g,
			   enum file_weight *weight, int (*tell)(const char *text))
{
	struct profile_error err;
	char path[PATH_MAX + NAME_MAX];
	size_t started = 0;

	for (size_t i = 0; i < g->count; i++)
		started += g->files[i].started;
	for (size_t i = 0; i < g->count; i++) {
		if (!g->files[i].started)
			continue;
		struct profile *alone = profile_new();

		snprintf(path, sizeof(path), "%s/%s", d->profiles, g->files[i].name);
		weight[i] = weigh(d, path, alone, &err);
		g->refused[i] = weight[i] == REFUSED;
		if (started == 1 && !g->refused[i]) { /* it is read once */
			struct profile *empty = g->profile;

			g->profile = alone;
			alone = empty;
		}
		profile_free(alone);
		g->refusals += g->refused[i];
		if (g->refused[i])
			tell(err.text);
	}
}

static void add_all(const struct run_directory *d, struct gathered *g,
		    const enum file_weight *weight, const struct launch *command,
		    int (*tell)(const char *text))
{
	struct profile_error err;
	char path[PATH_MAX + NAME_MAX];
	bool some = false, is_there = g->profile->processes > 0; /* refuse_damaged */

	for (size_t i = 0; i < g->count; i++)
		some = some || weight[i] == CALLS;
	for (size_t i = 0; i < g->count; i++) {
		if (!g->files[i].started || g->refused[i])
			continue;
		if (some && weight[i] == IDLE) {
			g->idle++;
			continue;
		}
		snprintf(path, sizeof(path), "%s/%s", d->profiles, g->files[i].name);
		uint32_t processes = is_there ? 0 : g->profile->processes;

		if (!is_there && profile_add(g->profile, path, &err)) {
			g->refused[i] = true;
			g->refusals++;
			tell(err.text);
		} else if (g->profile->processes == processes + 1) {
			complete_end(command, g->files, g->count, i,
				     &g->profile->process[processes]);
		}
	}
}

int gather_profiles(const struct run_directory *d, const struct launch *command, struct gathered *g,
		    int (*tell)(const char *text), struct profile_error *err)
{
	enum file_weight *weight;

	*g = (struct gathered){0};
	if (run_files_list(d->profiles, &g->files, &g->count))
		return error_set(err, "cannot list %.300s: %s", d->profiles, strerror(errno));
	weight = calloc(g->count + 1, sizeof(*weight));
	g->refused = calloc(g->count + 1, sizeof(*g->refused));
	g->profile = profile_new();
	if (!weight || !g->refused || !g->profile) {
		error_set(err, "out of memory while reading %.300s", d->profiles);
		free(weight);
		return -1;
	}
	refuse_damaged(d, g, weight, tell);
	add_all(d, g, weight, command, tell);
	for (uint32_t i = 0; i < g->profile->processes; i++)
		g->profile->process[i].run = 1;
	free(weight);
	if (!g->profile->processes) {
		profile_free(g->profile);
		g->profile = NULL;
	}
	return 0;
}

int gather_discard(struct run_directory *d, const struct gathered *g)
{
	char path[PATH_MAX + NAME_MAX];

	for (size_t i = 0; i < g->count; i++) {
		snprintf(path, sizeof(path), "%s/%s", d->profiles, g->files[i].name);
		if (!g->refused[i])
			unlink(path);
	}
	return run_directory_remove(d);
}

void gather_free(struct gathered *g)
{
	profile_free(g->profile);
	run_files_free(g->files, g->count);
	free(g->refused);
	*g = (struct gathered){0};
}
