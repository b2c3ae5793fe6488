// SPDX-License-Identifier: GPL-3.0-or-later
#include "collector/attach/refusal/refusal.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "collector/attach/refusal/refusal_private.h"
#include "collector/attach/target/seccomp_filter.h"
#include "collector/attach/target/wake.h"
#include "collector/launch/environment.h"
#include "profile/base/error.h"
#include "profile/live/run_files.h"

#define WAIT_MS	     10
#define WAITS	     100	/* for a program that is being executed, a second in all */
#define ANSWER_MS    10000	/* for another user's files */
#define MOST_MEMORY  (1u << 30) /* to read them in; bytes */
#define DELETED_MARK " (deleted)"

enum verdict { GO, NOT_YET, REFUSED };

struct question {
	pid_t pid, tool;
	const char *library;
	bool by_ptrace;
};

/* What another process found out for us. */
struct answer {
	int result;
	struct refusal_facts facts;
	struct profile_error err;
};

static bool same(pid_t pid, const char *name, bool *known)
{
	char theirs[64], ours[64];
	struct stat a, b;

	snprintf(theirs, sizeof(theirs), "/proc/%d/%s", (int)pid, name);
	snprintf(ours, sizeof(ours), "/proc/self/%s", name);
	*known = !stat(theirs, &a) && !stat(ours, &b);
	return *known && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static void read_exe(pid_t pid, char exe[PATH_MAX])
{
	char link[64], *mark;

	snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
	ssize_t length = readlink(link, exe, PATH_MAX - 1);
	exe[length > 0 ? length : 0] = '\0';
	mark = strstr(exe, DELETED_MARK);
	if (mark && !mark[strlen(DELETED_MARK)])
		*mark = '\0';
}

/* False: the kernel does not show where the process is. */
static bool read_places(const struct refusal_process *p, struct refusal_facts *f)
{
	bool known_root, known_mounts;
	bool root = same(p->pid, "root", &known_root);
	bool mounts = same(p->pid, "ns/mnt", &known_mounts);

	f->other_root = !root || !mounts;
	read_exe(p->pid, f->exe);
	return known_root && known_mounts;
}

/* As root never by a path that the process's owner chose: what that leads to may change, and then
 * root would write into a page of somebody else's. */
static void read_wake(const struct refusal_maps *m, struct refusal_facts *f)
{
	if (!m->wake || !wake_find(f->target.pid, f->wake, sizeof(f->wake)))
		*f->wake = '\0';
}

/* By /proc alone: reading there needs less than tracing does. */
static int explain_closed(const struct refusal_process *p, struct profile_error *err)
{
	struct refusal_access a;
	int error = errno;

	if (kill(p->pid, 0) && errno == ESRCH)
		return refusal_say(p, err, "it has ended just now");
	refusal_access_read(p, &a);
	a.error = error;
	return refusal_access_explain(p, &a, err);
}

static int check_dormant(const struct refusal_process *p, const struct refusal_facts *f,
			 struct profile_error *err)
{
	if (*f->wake)
		return 0;
	return refusal_say(p, err,
			   "%s: " REFUSAL_DORMANT
			   " and SCPROF_OUT=DIR, a directory that scprof sees, too",
			   f->preloaded ? "it records since its start, or has no wake page"
					: "libscprof.so is not in it, so it cannot be woken");
}

/* The library: the file that is ours, and that the process can open and its libc can take. */
static int check_library(const struct refusal_process *p, const struct refusal_maps *m,
			 const struct refusal_facts *f, const char *library,
			 struct profile_error *err)
{
	char path[PATH_MAX];
	int ours, failed;

	if (f->preloaded)
		return 0;
	if (environment_find_library(path, sizeof(path), err))
		return -1;
	ours = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (ours < 0)
		return error_fail(err, path, "%s", strerror(errno));
	failed = refusal_library_versions(p, m->libc, ours, err);
	if (!failed && library)
		failed = refusal_library_judge(p, f->other_root, library, ours, err);
	close(ours);
	return failed;
}

static int check_filter(const struct refusal_process *p, struct profile_error *err)
{
	struct profile_error why;

	if (p->seccomp != SECCOMP_MODE_FILTER || seccomp_filter_readable())
		return 0;
	if (!seccomp_filter_is_ours(p->pid))
		return refusal_say(
			p, err,
			"it has a seccomp filter of its own, which might kill it for what "
			"recording needs, and only root of the whole machine can read "
			"it: run scprof as root outside of containers, "
			"or " REFUSAL_DORMANT);
	if (!seccomp_filter_try(&(struct seccomp_chain){0}, &why))
		return 0;
	return refusal_say(p, err, "%.200s: allow that call in the container's profile", why.text);
}

static enum verdict check_ptrace(const struct refusal_process *p, const struct refusal_maps *m,
				 const struct refusal_facts *f, const char *library,
				 struct profile_error *err)
{
	enum refusal_program program;

	if (refusal_process_memory(p, err))
		return NOT_YET;
	if (m->readable && refusal_access_try(p, m->readable, err))
		return REFUSED;
	program = refusal_program_judge(p, m, f->exe, err);
	if (program == REFUSAL_PROGRAM_LOADING)
		return NOT_YET;
	if (program == REFUSAL_PROGRAM_REFUSED || check_library(p, m, f, library, err) ||
	    check_filter(p, err))
		return REFUSED;
	return GO;
}

static void note_process(const struct refusal_process *p, struct refusal_facts *f)
{
	f->inner_pid = p->inner_pid;
	f->uid = p->uid[1];
	f->gid = p->gid[1];
	f->threads = p->threads;
}

static enum verdict look(const struct question *q, struct refusal_facts *f,
			 struct profile_error *err)
{
	struct refusal_process p;
	struct refusal_maps *m = malloc(sizeof(*m));
	enum verdict verdict = REFUSED;

	if (!m)
		error_set(err, "not enough memory");
	else if (!refusal_process_read(q->pid, &p, err)) {
		note_process(&p, f);
		if (refusal_process_judge(&p, q->tool, q->by_ptrace, err))
			;
		else if (!read_places(&p, f) || refusal_program_read_maps(q->pid, m))
			explain_closed(&p, err);
		else {
			f->preloaded = m->preloaded;
			read_wake(m, f);
			verdict = q->by_ptrace ? check_ptrace(&p, m, f, q->library, err)
				  : check_dormant(&p, f, err) ? REFUSED
							      : GO;
		}
	}
	free(m);
	return verdict;
}

/* A process is its number and the moment when it began. */
static int look_until(const struct question *q, struct refusal_facts *f, struct profile_error *err)
{
	uint64_t begun = run_files_process_start(q->pid, NULL);
	enum verdict verdict = NOT_YET;

	f->target = (struct attach_target){.pid = q->pid, .process_start = begun};
	for (int i = 0; i < WAITS && verdict == NOT_YET; i++) {
		if (i)
			nanosleep(&(struct timespec){.tv_nsec = WAIT_MS * 1000000L}, NULL);
		verdict = look(q, f, err);
	}
	if (verdict == GO && run_files_process_start(q->pid, NULL) != begun) {
		error_set(err,
			  "cannot attach to process %d: it ended, and another one has its number "
			  "now: look for the right one with pgrep",
			  (int)q->pid);
		return -1;
	}
	return verdict == GO ? 0 : -1;
}

static bool is_others(pid_t pid)
{
	char path[64];
	struct stat st;
	bool known, root = same(pid, "root", &known) && same(pid, "ns/mnt", &known);

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	return !root || stat(path, &st) || st.st_uid != geteuid();
}

/* True: the child has ended. */
static bool await(pid_t child)
{
	struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, child, 0), .events = POLLIN};
	bool ended = end.fd >= 0 && poll(&end, 1, ANSWER_MS) > 0;

	if (!ended)
		kill(child, SIGKILL);
	if (end.fd >= 0)
		close(end.fd);
	waitpid(child, NULL, ended ? 0 : WNOHANG);
	return ended;
}

static int look_apart(const struct question *q, struct refusal_facts *f, struct profile_error *err)
{
	struct answer *a =
		mmap(NULL, sizeof(*a), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t child = -1;
	int result = -1;

	if (a != MAP_FAILED) {
		a->result = 1; /* no answer */
		child = fork();
	}
	if (!child) { /* a crafted program's tables must not fill the memory either */
#ifndef __SANITIZE_ADDRESS__
		setrlimit(RLIMIT_DATA, &(struct rlimit){MOST_MEMORY, MOST_MEMORY});
#endif
		a->result = look_until(q, &a->facts, &a->err);
		_exit(0);
	}
	error_set(err, "cannot attach to process %d: %s", (int)q->pid, strerror(errno));
	if (child > 0) {
		bool ended = await(child);

		*f = a->facts;
		*err = a->err;
		result = ended && !a->result ? 0 : -1;
		if (!ended || a->result > 0)
			error_set(
				err,
				"cannot attach to process %d: its files cannot be examined (their "
				"file system does not answer, or they are damaged)",
				(int)q->pid);
	}
	if (a != MAP_FAILED)
		munmap(a, sizeof(*a));
	return result;
}

int refusal_check(pid_t pid, const char *library, bool by_ptrace, struct refusal_facts *f,
		  struct profile_error *err)
{
	struct question q = {
		.pid = pid, .tool = getpid(), .library = library, .by_ptrace = by_ptrace};

	*f = (struct refusal_facts){0};
	return is_others(pid) ? look_apart(&q, f, err) : look_until(&q, f, err);
}

bool refusal_sees(const struct refusal_facts *f, const char *path)
{
	struct stat theirs, ours;
	int fd = as_user_open_inside(f->target.pid, path, O_PATH);
	bool sees = fd >= 0 && !fstat(fd, &theirs) && !stat(path, &ours) &&
		    theirs.st_dev == ours.st_dev && theirs.st_ino == ours.st_ino;

	if (fd >= 0)
		close(fd);
	return sees;
}
