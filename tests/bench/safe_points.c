// SPDX-License-Identifier: GPL-3.0-or-later
/* How long judging a stopped thread takes, and whether libdw follows the same stacks:
 * safe_points PID [ROUNDS [compare]]. Threads are stopped for each judgement. */
#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>

#include "collector/attach/safe_point/safe_points.h"
#include "collector/attach/safe_point/safe_point_private.h"
#include "profile/base/proc_maps.h"

#define MOST_THREADS 65536
#define A_ROUND	     16
#define REASONS	     32

struct verdicts {
	const char *why[REASONS];
	long count[REASONS];
};

/* Our own walk beside libdw's. */
struct second {
	struct proc_map_list maps;
	struct safe_point_objects objects;
	struct safe_point_rows *rows;
	struct safe_point_stack stack;
	Dwfl *dwfl;
	size_t at;
	bool differs;
	long same, other, shorter, shown;
};

static double now_us(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

static void count(struct verdicts *v, const char *why)
{
	for (int i = 0; i < REASONS; i++) {
		if (v->why[i] == NULL)
			v->why[i] = why;
		if (v->why[i] == why) {
			v->count[i]++;
			return;
		}
	}
}

static int compare_frame(Dwfl_Frame *frame, void *context)
{
	struct second *s = context;
	Dwarf_Addr pc;
	bool stopped_there;
	if (!dwfl_frame_pc(frame, &pc, &stopped_there))
		return DWARF_CB_ABORT;
	uint64_t at = pc - !stopped_there;
	if (s->at < s->stack.count && s->stack.frame[s->at].at == at)
		s->at++;
	else if (s->at < s->stack.count && objects_find(&s->objects, at) != NULL &&
		 objects_find(&s->objects, at)->kind != SAFE_POINT_LIBC)
		s->differs = true; /* the frame by which handlers return is none of ours */
	else if (s->at < s->stack.count)
		return DWARF_CB_OK;
	return s->differs ? DWARF_CB_ABORT : DWARF_CB_OK;
}

static void compare(struct second *s, pid_t tid)
{
	s->at = 0;
	s->differs = false;
	if (!frames_walk(&s->objects, s->rows, tid, &s->stack))
		return;
	dwfl_getthread_frames(s->dwfl, tid, compare_frame, s);
	if (s->differs)
		s->other++;
	else if (s->at < s->stack.count)
		s->shorter++; /* libdw gave up before */
	else
		s->same++;
	if ((s->differs || s->at < s->stack.count) && s->shown++ < 3)
		printf("  %s at frame %zu of %zu, %#llx\n", s->differs ? "differs" : "shorter",
		       s->at, s->stack.count, (unsigned long long)s->stack.frame[s->at].at);
}

static struct second *second_open(pid_t pid)
{
	static char *no_path = NULL;
	static const Dwfl_Callbacks calls = {.find_elf = dwfl_linux_proc_find_elf,
					     .find_debuginfo = dwfl_standard_find_debuginfo,
					     .debuginfo_path = &no_path};
	struct second *s = calloc(1, sizeof(*s));
	if (s == NULL || !proc_maps_list(&s->maps, pid, NULL) ||
	    !objects_read(&s->objects, pid, &s->maps))
		return NULL;
	s->rows = frames_rows();
	s->dwfl = dwfl_begin(&calls);
	if (s->rows == NULL || s->dwfl == NULL || dwfl_linux_proc_report(s->dwfl, pid) != 0 ||
	    dwfl_report_end(s->dwfl, NULL, NULL) != 0 ||
	    dwfl_linux_proc_attach(s->dwfl, pid, true) != 0)
		return NULL;
	return s;
}

static bool stop(pid_t tid, int *status)
{
	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL) != 0)
		return false;
	ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
	return waitpid(tid, status, __WALL) == tid && WIFSTOPPED(*status);
}

/* A signal that came first is handed on. */
static void let_go(pid_t tid, int status)
{
	long s = status >> 16 == PTRACE_EVENT_STOP ? 0 : WSTOPSIG(status);
	ptrace(PTRACE_DETACH, tid, NULL, (void *)s);
}

static void report(double *took, size_t n, const struct verdicts *v, const struct second *s)
{
	double first = took[0];
	qsort(took, n, sizeof(*took), by_value);
	printf("judged %zu: first %.0f us, median %.1f, 99 %% %.1f, most %.0f\n", n, first,
	       took[n / 2], took[n * 99 / 100], took[n - 1]);
	for (int i = 0; i < REASONS && v->why[i] != NULL; i++)
		printf("  %8ld %s\n", v->count[i], v->why[i]);
	if (s != NULL)
		printf("  libdw: same %ld, other %ld, shorter %ld\n", s->same, s->other,
		       s->shorter);
}

int main(int arguments, char **argument)
{
	static pid_t tids[MOST_THREADS];
	struct profile_error err;
	struct verdicts v = {.why = {NULL}};
	pid_t pid = arguments > 1 ? atoi(argument[1]) : 0;
	int rounds = arguments > 2 ? atoi(argument[2]) : 100;
	double begun = now_us();
	struct safe_points *s = safe_points_open(pid, &err);
	if (s == NULL || rounds <= 0)
		return puts(s == NULL ? err.text : "rounds?"), 1;
	printf("opened in %.1f ms\n", (now_us() - begun) / 1e3);
	double *took = calloc((size_t)rounds * A_ROUND, sizeof(*took));
	struct second *second = arguments > 3 ? second_open(pid) : NULL;
	size_t n = 0;
	for (int i = 0; took != NULL && i < rounds; i++) {
		begun = now_us();
		size_t threads = safe_points_candidates(s, tids, MOST_THREADS);
		if (i == rounds - 1)
			printf("%zu threads in %.2f ms\n", threads, (now_us() - begun) / 1e3);
		for (size_t k = 0; k < threads && k < A_ROUND; k++) {
			int status;
			if (!stop(tids[k], &status))
				continue;
			begun = now_us();
			const char *why = safe_points_judge(s, tids[k]);
			took[n++] = now_us() - begun;
			count(&v, why ?: "it can be borrowed");
			if (second != NULL)
				compare(second, tids[k]);
			let_go(tids[k], status);
		}
	}
	if (n > 0)
		report(took, n, &v, second);
	safe_points_close(s);
	free(took);
	return n == 0;
}
