// SPDX-License-Identifier: GPL-3.0-or-later
#include "collector/attach/refusal/refusal.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/attach/refusal/refusal_private.h"
#include "collector/attach/target/relatives.h"
#include "collector/attach/target/seccomp_filter.h"
#include "collector/attach/target/wake.h"
#include "profile/base/error.h"
#include "profile/live/run_files.h"
#include "profile/base/kernel_file.h"
#include "profile/base/proc_maps.h"
#include "collector/machine/kernel_numbers.h"

#define WAIT_MS	    10
#define WAITS	    100	       /* for a program that is being executed, a second in all */
#define ANSWER_MS   10000      /* for another user's files */
#define MOST_MEMORY (1u << 30) /* to read them in; bytes */

enum verdict { GO, NOT_YET, REFUSED };

struct question {
	pid_t pid, tool;
	const char *library;
	bool page; /* suffices */
};

/* What another process found out for us. */
struct answer {
	int result; /* 1: none came */
	struct refusal_facts facts;
	struct profile_error err;
};

/* Can the process open the library, with its owner's rights, and map it? What else may be wrong
 * with it, its loader says. */
static int check_library(const struct refusal_process *p, const char *library,
			 struct profile_error *err)
{
	struct as_user_before before;
	struct statvfs fs;
	struct stat st;
	const char *why = NULL;
	int fd = -1;

	if (!as_user_begin(&p->owner, &before)) {
		fd = as_user_open_inside(p->pid, library, O_RDONLY | O_NONBLOCK | O_NOCTTY);
		as_user_end(&before);
	}
	if (fd < 0)
		why = strerror(errno);
	else if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		why = "it is no file";
	else if (!fstatvfs(fd, &fs) && fs.f_flag & ST_NOEXEC)
		why = "it is mounted noexec";
	kernel_file_close(&fd);
	return why ? refusal_say(p, err,
				 "it cannot load %.150s in its file system (%s): add --copy-to DIR "
				 "(such as /tmp there), or install scprof there",
				 library, why)
		   : 0;
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
			"recording needs, and only root of the whole machine can read it: run "
			"scprof as root outside of containers, or " REFUSAL_DORMANT);
	if (!seccomp_filter_try(&(struct seccomp_chain){0}, &why))
		return 0;
	return refusal_say(p, err, "%.200s: allow that call in the container's profile", why.text);
}

static enum verdict check_ptrace(const struct refusal_process *p, const struct refusal_maps *m,
				 const struct refusal_facts *f, const char *library,
				 struct profile_error *err)
{
	if (refusal_process_memory(p, err))
		return NOT_YET;
	if (m->readable && refusal_access_try(p, m->readable, err))
		return REFUSED;
	enum refusal_program program = refusal_program_judge(p, m, f->exe, err);
	if (program == REFUSAL_PROGRAM_LOADING)
		return NOT_YET;
	if (program == REFUSAL_PROGRAM_REFUSED ||
	    (library && !f->preloaded && check_library(p, library, err)) || check_filter(p, err))
		return REFUSED;
	return GO;
}

/* What /proc shows of any process. 0; or -1 with *err. */
static int look_at(pid_t pid, pid_t tool, bool by_ptrace, struct refusal_process *p,
		   struct refusal_maps *m, struct refusal_facts *f, struct profile_error *err)
{
	if (refusal_process_read(pid, p, err))
		return -1;
	f->inner_pid = p->inner_pid;
	f->uid = p->owner.uid;
	f->gid = p->owner.gid;
	f->threads = p->threads;
	if (refusal_process_judge(p, tool, by_ptrace, err))
		return -1;
	if (refusal_program_read_maps(pid, m)) {
		struct refusal_access a = refusal_access_read(errno);

		return refusal_access_explain(p, &a, err);
	}
	f->preloaded = m->preloaded;
	kernel_file_link(f->exe, sizeof(f->exe), "/proc/%d/exe", (int)pid);
	f->exe[proc_maps_path_bytes(f->exe)] = '\0';
	return 0;
}

static enum verdict look(const struct question *q, struct refusal_facts *f,
			 struct profile_error *err)
{
	struct refusal_process p;
	struct refusal_maps m;

	if (look_at(q->pid, q->tool, !q->page, &p, &m, f, err))
		return REFUSED;
	/* root never goes by a path that the process's owner chose: what that leads to may change,
	 * and then root would write into a page of somebody else's */
	if (!wake_find(q->pid, f->wake, sizeof(f->wake)))
		*f->wake = '\0';
	if (q->page && *f->wake)
		return GO;
	if (q->page && refusal_process_judge(&p, q->tool, true, err))
		return REFUSED;
	return check_ptrace(&p, &m, f, q->library, err);
}

/* A process is its number and the moment when it began. */
static int look_until(const struct question *q, struct refusal_facts *f, struct profile_error *err)
{
	uint64_t begun = run_files_process_start(q->pid, NULL);
	enum verdict verdict = NOT_YET;

	f->target = (struct attach_target){.pid = q->pid, .process_start = begun};
	for (int i = 0; i < WAITS && verdict == NOT_YET; i++) {
		if (i)
			usleep(WAIT_MS * 1000);
		verdict = look(q, f, err);
	}
	if (verdict == GO && run_files_process_start(q->pid, NULL) != begun)
		return error_set(err,
				 "cannot attach to process %d: it ended, and another one has its "
				 "number now: look for the right one with pgrep",
				 (int)q->pid);
	return verdict == GO ? 0 : -1;
}

/* True: the child has ended. */
static bool await(pid_t child)
{
	struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, child, 0), .events = POLLIN};
	bool ended = end.fd >= 0 && poll(&end, 1, ANSWER_MS) > 0;

	if (!ended)
		kill(child, SIGKILL);
	kernel_file_close(&end.fd);
	waitpid(child, NULL, ended ? 0 : WNOHANG);
	return ended;
}

/* Its file system may not answer, and a crafted program's tables must not fill the memory. */
static int look_apart(const struct question *q, struct refusal_facts *f, struct profile_error *err)
{
	struct answer *a =
		mmap(NULL, sizeof(*a), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t child = -1;

	if (a != MAP_FAILED) {
		a->result = 1;
		child = fork();
	}
	if (child < 0)
		return error_set(err, "cannot attach to process %d: %s", (int)q->pid,
				 strerror(errno));
	if (!child) {
#ifndef __SANITIZE_ADDRESS__
		setrlimit(RLIMIT_DATA, &(struct rlimit){MOST_MEMORY, MOST_MEMORY});
#endif
		a->result = look_until(q, &a->facts, &a->err);
		_exit(0);
	}
	int result = await(child) ? a->result : 1;

	*f = a->facts;
	*err = a->err;
	munmap(a, sizeof(*a));
	if (result > 0)
		error_set(err,
			  "cannot attach to process %d: its files cannot be examined (their file "
			  "system does not answer, or they are damaged)",
			  (int)q->pid);
	return result ? -1 : 0;
}

int refusal_check(pid_t pid, const char *library, bool page, struct refusal_facts *f,
		  struct profile_error *err)
{
	struct question q = {.pid = pid, .tool = getpid(), .library = library, .page = page};
	char path[64];
	struct stat st;

	*f = (struct refusal_facts){0};
	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	bool is_ours =
		relatives_same_root(pid, getpid()) && !stat(path, &st) && st.st_uid == geteuid();
	return is_ours ? look_until(&q, f, err) : look_apart(&q, f, err);
}

int refusal_look(pid_t pid, struct refusal_facts *f, struct profile_error *err)
{
	struct refusal_process p;
	struct refusal_maps m;

	*f = (struct refusal_facts){.target.pid = pid};
	if (look_at(pid, getpid(), false, &p, &m, f, err))
		return -1;
	return m.readable ? refusal_access_try(&p, m.readable, err) : 0;
}

bool refusal_sees(const struct refusal_facts *f, const char *path)
{
	struct stat theirs, ours;
	int fd = as_user_open_inside(f->target.pid, path, O_PATH);
	bool sees = fd >= 0 && !fstat(fd, &theirs) && !stat(path, &ours) &&
		    theirs.st_dev == ours.st_dev && theirs.st_ino == ours.st_ino;

	kernel_file_close(&fd);
	return sees;
}
