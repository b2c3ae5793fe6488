// SPDX-License-Identifier: Apache-2.0
/* The tool knows how to read libraries and patterns, may allocate, and may fail: in a process
 * of its own. It answers in a line on a pipe. */
#include <signal.h>
#include <sys/time.h>

#include "preload/start/reexec_ask.h"
#include "preload/system/sys.h"

#define PATIENCE_S	 60 /* then the child is killed */
#define PR_SET_PDEATHSIG 1
#define WAIT_FOR_CLONES	 0x80000000u /* __WCLONE: children that send no SIGCHLD, and no others */

struct kernel_sigaction {
	void *handler;
	unsigned long flags;
	void *restorer;
	uint64_t mask;
};

/* From .../libscprof.so: beside it, in ../bin, and from a lib/TRIPLET or lib/scprof in ../../bin.
 */
static bool find_tool(const char *library, char *tool, size_t room)
{
	static const char *const places[] = {"scprof", "../bin/scprof", "../../bin/scprof"};
	size_t directory = (size_t)(text_basename(library) - library);
	for (unsigned i = 0; i < sizeof places / sizeof *places; i++) {
		if (directory + 24 >= room)
			return false;
		bytes_copy(tool, library, directory);
		text_append(tool, room, directory, places[i]);
		if (sys3(SYS_faccessat, AT_FDCWD, tool, 1 /* X_OK */) == 0)
			return true;
	}
	return false;
}

/* What would change how the tool itself is loaded, or make the loader speak. */
static bool is_for_the_loader(const char *variable)
{
	static const char *const names[] = {"LD_PRELOAD=", "LD_AUDIT=",	      "LD_DEBUG",
					    "LD_BIND_",	   "LD_PROFILE",      "LD_SHOW_AUXV",
					    "LD_WARN=",	   "GLIBC_TUNABLES=", "MALLOC_"};
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (text_begins_with(variable, names[i]))
			return true;
	return false;
}

/* In the child's child: nothing of the program's reaches the tool, and nothing of the tool's
 * the program. */
static void become_tool(const struct start *s, const char *tool, const char *program, int pipe,
			char **env, char *preload)
{
	struct itimerval patience = {.it_value = {PATIENCE_S, 0}};
	long n = 0;
	sys2(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
	sys3(SYS_setitimer, ITIMER_REAL, &patience, 0);
	for (long i = 0; i < s->variables; i++)
		if (!is_for_the_loader(s->envp[i]))
			env[n++] = s->envp[i];
	env[n++] = preload;
	env[n] = NULL;
	long out = sys3(SYS_fcntl, pipe, F_DUPFD, 3), null = sys_open("/dev/null", O_RDWR, 0);
	null = null >= 0 && null < 3 ? sys3(SYS_fcntl, null, F_DUPFD, 3) : null;
	if (out < 0 || null < 0 || sys3(SYS_dup3, null, 0, 0) < 0 ||
	    sys3(SYS_dup3, out, 1, 0) < 0 || sys3(SYS_dup3, null, 2, 0) < 0)
		return;
	sys3(SYS_close_range, 3, ~0u, 0);
	const char *argv[] = {"scprof", "preload-stubs", program, NULL};
	sys3(SYS_execve, tool, argv, env);
}

/* In the child. It executes nothing itself: exec makes a process send SIGCHLD at its end,
 * whatever it was created with. */
static _Noreturn void stand_between(const struct start *s, const char *tool, const char *program,
				    int pipe, char **env, char *preload)
{
	struct kernel_sigaction standard = {0};
	uint64_t none = 0;
	sys2(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
	sys4(SYS_rt_sigaction, SIGCHLD, &standard, 0, 8); /* ignored, it would reap unasked */
	sys4(SYS_rt_sigaction, SIGALRM, &standard, 0, 8);
	sys4(SYS_rt_sigprocmask, SIG_SETMASK, &none, 0, 8);
	long pid = arch_syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0, 0);
	if (pid == 0)
		become_tool(s, tool, program, pipe, env, preload);
	while (pid > 0 && sys4(SYS_wait4, pid, 0, 0, 0) == -4 /* EINTR */)
		;
	for (;;)
		sys1(SYS_exit_group, 0);
}

static void read_answer(int fd, char *answer, size_t room)
{
	size_t at = 0;
	long n;
	while (at + 1 < room && ((n = sys_read(fd, answer + at, room - 1 - at)) > 0 || n == -4))
		at += n > 0 ? (size_t)n : 0;
	while (at && answer[at - 1] == '\n')
		at--;
	answer[at] = 0;
}

/* The child's memory is a copy: what it needs is made beforehand. */
static bool ask(const struct start *s, const char *tool, const char *program, char **env,
		char *preload, char *answer, size_t room)
{
	int fd[2];
	long status = 0, r;
	if (sys2(SYS_pipe2, fd, O_CLOEXEC) < 0)
		return false;
	long pid = arch_syscall(SYS_clone, 0, 0, 0, 0, 0, 0); /* as fork, without SIGCHLD */
	if (pid == 0)
		stand_between(s, tool, program, fd[1], env, preload);
	sys_close(fd[1]);
	if (pid > 0)
		read_answer(fd[0], answer, room);
	sys_close(fd[0]);
	while (pid > 0 && (r = sys4(SYS_wait4, pid, &status, WAIT_FOR_CLONES, 0)) == -4 /* EINTR */)
		;
	return pid > 0;
}

static enum reexec_answer judge(char *answer, size_t room, const char *tool)
{
	if (text_begins_with(answer, "ok /")) {
		text_append(answer, room, 0, answer + 3);
		return REEXEC_STUBS;
	}
	if (text_equal(answer, "none"))
		return REEXEC_NOTHING;
	if (*answer)
		return REEXEC_FAILED;
	size_t at = text_append(answer, room, 0, tool);
	text_append(answer, room, at, " could not be run, or failed");
	return REEXEC_FAILED;
}

enum reexec_answer reexec_ask(const struct start *s, const char *program, const char *library,
			      char *answer, size_t room)
{
	static char tool[START_PATH_MAX];
	const char *list = start_variable(s, "LD_PRELOAD");
	size_t pointers = (size_t)(s->variables + 2) * sizeof(char *);
	size_t bytes = pointers + (list ? text_length(list) : 0) + 32;
	*answer = 0;
	if (!find_tool(library, tool, sizeof tool)) {
		size_t at = text_append(answer, room, 0, "the tool scprof is not beside ");
		at = text_append(answer, room, at, library);
		text_append(answer, room, at, ", nor in ../bin there");
		return REEXEC_FAILED;
	}
	char **env = sys_mmap(bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!sys_failed(env)) {
		char *preload = (char *)env + pointers;
		size_t at = text_append(preload, bytes - pointers, 0, REEXEC_TOOL_VARIABLE "=");
		text_append(preload, bytes - pointers, at, list ? list : "");
		ask(s, tool, program, env, preload, answer, room);
		sys_munmap(env, bytes);
	}
	return judge(answer, room, tool);
}
