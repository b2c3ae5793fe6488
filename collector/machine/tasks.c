// SPDX-License-Identifier: GPL-3.0-or-later
/* A process is the same one as long as its clock does not go back. A new one counts from
 * zero: it began between this look and the last. */
#include "collector/machine/tasks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "profile/base/kernel_file.h"
#include "profile/base/array.h"
#include "profile/base/given_file.h"

#define KERNEL_FLAG 0x00200000u /* PF_KTHREAD */
/* The inode of the namespace of PIDs that a machine begins with: PID_NS_INIT_INO. */
#define FIRST_NAMESPACE 0xEFFFFFFCu

/* The clock is what clock_getcpuclockid gives, without the system call by which it asks whether the
 * process exists: reading the clock asks that again. */
uint64_t tasks_clock_ns(pid_t pid)
{
	struct timespec t = {0};

	clock_gettime((clockid_t)((~(unsigned int)pid) << 3 | 2), &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

bool tasks_thread_times(pid_t pid, pid_t tid, uint64_t ns[2])
{
	char text[96];

	ns[0] = ns[1] = 0;
	kernel_file_text(text, sizeof(text), "/proc/%d/task/%d/schedstat", (int)pid, (int)tid);
	return sscanf(text, "%" SCNu64 " %" SCNu64, &ns[0], &ns[1]) == 2;
}

static void describe(struct task *t, bool name_too)
{
	char text[PROC_STAT_BYTES];
	const char *state = proc_stat_read(t->pid, 0, text), *name;

	if (!state || !(name = strchr(text, '(')))
		return;
	if (name_too)
		snprintf(t->name, sizeof(t->name), "%.*s", (int)(state - 2 - (name + 1)), name + 1);
	t->parent = (pid_t)proc_stat_number(state, 4);
	t->kernel = proc_stat_number(state, 9) & KERNEL_FLAG;
	t->cpu = (int)proc_stat_number(state, 39);
}

static size_t place(const struct tasks *t, pid_t pid)
{
	size_t i;

	BISECT(i, t->count, t->task[i].pid < pid);
	return i;
}

const struct task *tasks_find(const struct tasks *t, pid_t pid)
{
	size_t at = place(t, pid);

	return at < t->count && t->task[at].pid == pid ? &t->task[at] : NULL;
}

static bool is_program(const struct tasks *t, const struct task *task)
{
	const struct task *parent = tasks_find(t, task->parent);

	return t->command && (task->pid == t->command || (parent && parent->program));
}

static int look_at(struct tasks *t, pid_t pid)
{
	size_t at = place(t, pid);
	struct task *task = at < t->count && t->task[at].pid == pid ? &t->task[at] : NULL;
	bool seen = task != NULL;
	uint64_t ns = tasks_clock_ns(pid);

	if (!ns)
		return 0;
	if (!task) {
		struct task *more = array_room(t->task, &t->room, t->count, sizeof(*more));

		if (!more)
			return -1;
		t->task = more;
		task = &more[at];
		memmove(task + 1, task, (t->count++ - at) * sizeof(*more));
		*task = (struct task){.pid = pid, .cpu = -1};
	}
	if (!seen || ns < task->last_ns) {
		describe(task, true);
		task->last_ns = t->looks ? 0 : ns;
		task->program = is_program(t, task);
	} else if (ns != task->last_ns) {
		/* exec changes a name, the scheduler the CPU, a parent's end the parent */
		describe(task, !task->kernel);
	}
	task->program = task->program || is_program(t, task);
	task->used_ns += ns - task->last_ns;
	if (!task->program && pid != t->self && task->cpu >= 0 && task->cpu < CPU_SETSIZE)
		t->on_ns[task->cpu] += ns - task->last_ns;
	task->last_ns = ns;
	task->gone = false;
	return 0;
}

int tasks_look(struct tasks *t)
{
	DIR *proc = kernel_file_folder("/proc");
	int result = 0, pid;

	if (!proc)
		return -1;
	for (size_t i = 0; i < t->count; i++)
		t->task[i].gone = true; /* until it is looked at */
	while (!result && (pid = kernel_file_next(&proc)) >= 0)
		result = look_at(t, pid);
	kernel_file_leave(&proc);
	t->looks++;
	return result;
}

int tasks_begin(struct tasks *t)
{
	struct stat st;

	*t = (struct tasks){.self = getpid()};
	/* init's entry is there for everybody unless hidepid hides it */
	t->hidden = access("/proc/1/stat", F_OK) ||
		    (!stat("/proc/self/ns/pid", &st) && st.st_ino != FIRST_NAMESPACE);
	return tasks_look(t);
}

uint64_t tasks_program_ns(const struct tasks *t)
{
	uint64_t sum = 0, ns;

	for (const struct task *task = t->task; task < t->task + t->count; task++) {
		if (!task->program)
			continue;
		sum += task->used_ns;
		ns = task->gone ? 0 : tasks_clock_ns(task->pid);
		if (ns > task->last_ns)
			sum += ns - task->last_ns;
	}
	return sum;
}

void tasks_mark(struct tasks *t)
{
	uint32_t kept = 0;

	for (size_t i = 0; i < t->count; i++)
		if (!t->task[i].gone) {
			t->task[kept] = t->task[i];
			t->task[kept++].used_ns = 0;
		}
	t->count = kept;
	memset(t->on_ns, 0, sizeof(t->on_ns));
}

void tasks_free(struct tasks *t)
{
	free(t->task);
	*t = (struct tasks){0};
}
