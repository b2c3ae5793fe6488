// SPDX-License-Identifier: GPL-3.0-or-later
/* The order of things: all that can be found out is, before a thread is stopped. Then one is
 * borrowed; it makes the calls, and is let go. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "collector/attach/attach_work.h"
#include "collector/attach/safe_point/threads.h"
#include "profile/base/kernel_file.h"
#include "profile/base/error.h"

/* Executables of the process are parsed to find out where its threads stand, before any of them is
 * traced: a seized thread stops at each signal, and reading takes many milliseconds. So the user is
 * changed first, and only the right to trace is kept, where it is needed: the process may have
 * changed its user, or Yama is on. */
#define CPU_SECONDS   60
#define ADDRESS_BYTES (8ull << 30)

static bool may_trace(pid_t pid)
{
	int fd = kernel_file_fd(O_RDWR, "/proc/%d/mem", (int)pid);
	bool may = fd >= 0;

	kernel_file_close(&fd);
	return may;
}

/* Its files in /proc are root's where it may not be dumped: to be read, with what may trace it. */
#define FOR_OTHERS (1u << CAP_SYS_PTRACE | 1u << CAP_DAC_READ_SEARCH)

static bool keep_only(uint32_t capabilities)
{
	struct __user_cap_header_struct h = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct d[2] = {{capabilities, capabilities, 0}, {0, 0, 0}};

	return syscall(SYS_capset, &h, d) == 0;
}

static bool become(uid_t uid, gid_t gid, pid_t pid)
{
	return prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) == 0 && setgroups(0, NULL) == 0 &&
	       setresgid(gid, gid, gid) == 0 && setresuid(uid, uid, uid) == 0 &&
	       prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       (may_trace(pid) ? keep_only(0) : keep_only(FOR_OTHERS));
}

/* Limit what the files of a process can make this one do: CPU time, address space; and as root,
 * give up all rights but those of the process's user, and tracing where that user may not. For
 * good. 0; or -1 with *err. */
static int attach_rights_drop(pid_t pid, struct profile_error *err)
{
	const struct rlimit cpu = {CPU_SECONDS, CPU_SECONDS}, core = {0, 0}, nice = {40, 40};
	uint64_t user[2], group[2];

	setrlimit(RLIMIT_CPU, &cpu);
	setrlimit(RLIMIT_CORE, &core);
	setrlimit(RLIMIT_NICE, &nice); /* a thread that is stopped waits for us: later, be quick */
#ifndef __SANITIZE_ADDRESS__
	const struct rlimit space = {ADDRESS_BYTES, ADDRESS_BYTES};
	setrlimit(RLIMIT_AS, &space);
#endif
	if (geteuid() != 0)
		return 0;
	if (proc_status_numbers(pid, "Uid", 10, user, 2) != 2 ||
	    proc_status_numbers(pid, "Gid", 10, group, 2) != 2)
		return error_set(err, "process %d has ended", (int)pid);
	/* the effective ones; of a setuid program of root's those of who started it, who may run
	 * something else in the process at any moment */
	uid_t uid = (uid_t)(user[1] ? user[1] : user[0]);
	gid_t gid = (gid_t)(user[1] ? group[1] : group[0]);
	if (uid == 0 || become(uid, gid, pid))
		return 0;
	return error_set(err, "cannot become user %u of process %d: %s", (unsigned)uid, (int)pid,
			 strerror(errno));
}

#define PAUSE_MS   10	 /* between tries */
#define TURN_MS	   20000 /* for which others that attach or detach are awaited */
#define LOCK_TRIES 5	 /* where the loader's lock was taken when the call was on its way */

/* Threads, and those that wait in a system call. */
static void count_threads(struct attach_working *w)
{
	struct attach_result *result = &w->answer->result;
	int pid = w->remote.target.pid, tid;
	DIR *d = kernel_file_folder("/proc/%d/task", pid);
	struct threads_call c;

	for (; (tid = kernel_file_next(&d)) >= 0; result->threads++)
		result->in_calls += threads_call(pid, tid, &c) && c.number >= 0;
}

static bool has_shadow_stack(pid_t pid)
{
	char text[16384];

	kernel_file_text(text, sizeof(text), "/proc/%d/status", (int)pid);
	const char *line = strstr(text, "\nx86_Thread_features:");
	const char *found = line ? strstr(line, "shstk") : NULL;
	return found && found < strchrnul(line + 1, '\n');
}

/* Instructions of its libc. */
static int find_code(struct attach_working *w)
{
	static const uint8_t syscall_return[] = {0x0f, 0x05, 0xc3};
	static const uint8_t restorer[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
	static const uint8_t keep[] = {0x48, 0x89, 0x03, 0x5b, 0xc3}; /* pop %rbx between */
	struct remote_code *c = &w->remote.code;
	uint64_t executable = w->maps.executable;
	char exe[PATH_MAX];

	c->syscall = safe_points_code(w->points, syscall_return, sizeof(syscall_return));
	c->restorer = safe_points_code(w->points, restorer, sizeof(restorer));
	c->keep = safe_points_code(w->points, keep, sizeof(keep));
	c->lock = safe_points_lock(w->points);
	w->dlopen = safe_points_function(w->points, "dlopen");
	w->has_dlsym = safe_points_function(w->points, "dlsym") != 0;
	w->dlerror = safe_points_function(w->points, "dlerror");
	w->errno_location = safe_points_function(w->points, "__errno_location");
	if (c->syscall && c->restorer && (!w->order || w->dlopen))
		return 0;
	if (kernel_file_link(exe, sizeof(exe), "/proc/%d/exe", (int)w->remote.target.pid) &&
	    errno == ENOENT)
		return attach_state_say(w, "it has ended");
	if (!proc_maps_list(&w->maps, w->remote.target.pid, w->name) ||
	    w->maps.executable != executable)
		return attach_state_say(w, "it executes another program now; try again");
	return attach_state_say(
		w, "its libc is not one that calls can be made through (glibc is needed)");
}

static int prepare_text(struct attach_working *w)
{
	const char *const *variables = w->order->variables;
	struct scp_attach_order head = {.magic = SCP_ATTACH_MAGIC};
	size_t bytes = 0;

	for (size_t i = 0; variables[i]; i++)
		bytes += strlen(variables[i]) + 1;
	if (bytes > SCP_ATTACH_TEXT_BYTES || strlen(w->order->library) >= PATH_BYTES)
		return attach_state_say(w, "the options are too long for it");
	head.text_bytes = (uint32_t)bytes;
	w->text_bytes = sizeof(head) + bytes;
	w->text = malloc(w->text_bytes);
	if (!w->text)
		return attach_state_say(w, "no memory");
	uint8_t *to = mempcpy(w->text, &head, sizeof(head));
	for (size_t i = 0; variables[i]; i++)
		to = mempcpy(to, variables[i], strlen(variables[i]) + 1);
	return 0;
}

/* Before anything is stopped. 1: there is nothing to end. */
static int prepare(struct attach_working *w, const struct attach_target *t)
{
	struct scp_attach_state s = {.forked = 0};

	/* the memory before: that of a process that may not be dumped is root's to open */
	if (attach_filters_begin(&w->filters, t, w->err) != 0 ||
	    remote_open(&w->remote, t, w->err) != 0 || attach_rights_drop(t->pid, w->err) != 0)
		return -1;
	if (has_shadow_stack(t->pid))
		return attach_state_say(
			w, "its threads have shadow stacks (CET), which a call from outside would "
			   "break; start it with LD_PRELOAD and SCPROF_STOPPED=1");
	if (!proc_maps_list(&w->maps, t->pid, w->name))
		return attach_state_say(w, "its memory map cannot be read");
	if (w->order && prepare_text(w) != 0)
		return -1;
	if (!w->order && !w->maps.library)
		return 1;
	if (w->maps.library) {
		if (attach_state_read(w, &s) != 0)
			return -1;
		/* without a version it is just being loaded: dlopen will wait for that */
		if (s.version && attach_state_check(w, &s) != 0)
			return -1;
		w->complete = s.version != 0;
		if (!w->order && s.status != SCP_ATTACH_RECORDING)
			return 1;
		attach_state_area(w, &s);
	}
	count_threads(w);
	w->points = safe_points_open(t->pid, w->err);
	if (w->points && !w->order && s.forked)
		safe_points_ignore_lock(w->points);
	return w->points ? find_code(w) : -1;
}

/* One after the other: two at once would make calls on one area. The lock goes with the descriptor,
 * at the end of this process at the latest. */
static int await_turn(struct attach_working *w, const struct attach_target *t)
{
	const struct timespec pause = {0, PAUSE_MS * 1000000};
	int fd = kernel_file_fd(O_RDONLY | O_DIRECTORY, "/proc/%d", (int)t->pid);

	w->remote.target = *t;
	if (fd < 0)
		return attach_state_say(w, "it has ended");
	for (int ms = 0; flock(fd, LOCK_EX | LOCK_NB) != 0; ms += PAUSE_MS) {
		if (ms >= TURN_MS)
			return attach_state_say(w, "another scprof is attaching or detaching");
		nanosleep(&pause, NULL);
	}
	return 0;
}

static int work(struct attach_working *w, const struct attach_target *t)
{
	uint64_t room = 0;
	int status = await_turn(w, t);

	if (status == 0)
		status = prepare(w, t);
	if (status != 0)
		return status < 0 ? -1 : 0;
	w->answer->was = !w->order;
	setpriority(PRIO_PROCESS, 0, -20); /* somebody waits for us */
	for (int tries = 0; tries == 0 || (w->remote.lock_taken && tries < LOCK_TRIES); tries++) {
		if (attach_borrow(w, &room) != 0)
			return -1;
		w->remote.code.lock = safe_points_lock(w->points);
		status = attach_calls_make(w, room);
	}
	w->answer->result.stopped_ms = w->remote.longest_ms;
	w->answer->result.stopped_total_ms = w->remote.total_ms;
	return status == 0 ? attach_state_judge(w) : -1;
}

struct attach_working *attach_work(const struct attach_target *t, const struct attach_order *o,
				   struct attach_answer *a)
{
	struct attach_working *w = calloc(1, sizeof(*w));
	const char *last = o ? strrchr(o->library, '/') : NULL;

	a->status = -1;
	if (!w)
		return NULL;
	w->order = o;
	w->name = last ? last + 1 : "libscprof.so";
	w->answer = a;
	w->err = &a->error;
	w->filters.child = -1;
	w->remote.memory = -1;
	a->status = work(w, t);
	return w;
}

void attach_work_end(struct attach_working *w, int limit_ms)
{
	if (!w)
		return;
	kernel_file_close(&w->filters.child);
	remote_close(&w->remote, limit_ms);
	if (w->points)
		safe_points_close(w->points);
	proc_maps_free(&w->maps);
	free(w->text);
	free(w);
}
