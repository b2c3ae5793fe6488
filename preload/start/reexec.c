// SPDX-License-Identifier: Apache-2.0
/* The tool knows how to read libraries and patterns, may allocate, and may fail: in a process
 * of its own. It answers in a line on a pipe. */
#include "preload/start/reexec.h"

#include <elf.h>
#include <link.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include "preload/function/selected.h"
#include "preload/process/settings.h"
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

/* `answer`: the object's path, or why there is none. `library`: path of libscprof.so, beside
 * which, or in ../bin, the tool lies. */
static enum reexec_answer reexec_ask(const struct start *s, const char *program,
				     const char *library, char *answer, size_t room)
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

/* Decides whether the program is executed once more, and does it. Runs while the loader
 * relocates: no function of libc can be called, and none is. */
#define ONCE "scprof-once-" /* a stub object of ours is called so: never executed a third time */

char reexec_problem[REEXEC_PROBLEM_BYTES];
bool reexec_needless;

static struct start start;
static char program[START_PATH_MAX], library[START_PATH_MAX];

static bool fail(const char *why)
{
	text_append(reexec_problem, sizeof reexec_problem, 0, why);
	return false;
}

/* Where in an LD_PRELOAD the word begins whose file name begins with `name`. */
static char *find_word(char *list, const char *name)
{
	if (!list)
		return NULL;
	for (char *at = list; *at;) {
		char *word = at, *file = at;
		for (; *at && *at != ':' && *at != ' '; at++)
			if (*at == '/')
				file = at + 1;
		if (text_begins_with(file, name))
			return word;
		while (*at == ':' || *at == ' ')
			at++;
	}
	return NULL;
}

/* The second time: the object is mapped, and its file has done its work. */
static bool clean_up(char *preload)
{
	char *word = find_word(preload, ONCE), *end = word;
	if (!word)
		return false;
	while (*end && *end != ':')
		end++;
	char *rest = *end ? end + 1 : end;
	*end = 0;
	if (*word == '/')
		sys_unlink(word);
	while ((*word = *rest) != 0)
		word++, rest++;
	for (; word < rest; word++) /* /proc/PID/environ shows it */
		*word = 0;
	return true;
}

/* dlopen and dlmopen are no start: then libc, the program's or a copy, has an environment, or
 * we are not in the list that the program began with. */
static bool is_start_up(void)
{
	if (environ)
		return false;
	if (!start_read(&start))
		return fail("valgrind or another emulator runs the program, and would lose it; or "
			    "/proc is not there");
	if (start.secure) /* nothing is taken from who started it */
		return false;
	for (const struct link_map *m = start.objects; m; m = m->l_next)
		if (m->l_ld == _DYNAMIC)
			return true;
	return false;
}

static bool may_execute(void)
{
	if (start_status("Threads:") != 1)
		return fail("the program has threads already, or /proc is not there");
	if (start_status("Seccomp:") > 0)
		return fail("a seccomp filter is installed, which may kill for one more process");
	if (start_status("TracerPid:") > 0)
		return fail("a debugger or another tracer follows the program, and counts how "
			    "often it is executed");
	if (!start_program(program, sizeof program) ||
	    !start_mapped_file((const void *)may_execute, library, sizeof library))
		return fail("/proc does not tell which files the program and libscprof.so are");
	return true;
}

/* LD_PRELOAD with `stubs` just before this library, as a new variable at `to`. */
static void put_preload(char *to, size_t room, const char *preload, const char *stubs)
{
	const char *own = find_word((char *)(uintptr_t)preload, text_basename(library));
	size_t at = text_append(to, room, 0, "LD_PRELOAD=");
	own = own ? own : preload; /* of /etc/ld.so.preload: those come after */
	for (; preload && preload < own; preload++)
		at = text_append(to, room, at, (char[]){*preload, 0});
	at = text_append(to, room, at, stubs);
	if (own && *own) {
		at = text_append(to, room, at, ":");
		text_append(to, room, at, own);
	}
}

static void execute(char **arguments, const char *stubs)
{
	char *preload = start_variable(&start, "LD_PRELOAD");
	size_t text = (preload ? text_length(preload) : 0) + text_length(stubs) + 16;
	size_t bytes = text + (size_t)(start.variables + 2) * sizeof(char *);
	char **env = sys_mmap(bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (sys_failed(env)) {
		fail("there is no memory to execute the program once more");
		return;
	}
	char *variable = (char *)(env + start.variables + 2);
	put_preload(variable, text, preload, stubs);
	long n = 0;
	for (long i = 0; i < start.variables; i++)
		env[n++] =
			text_begins_with(start.envp[i], "LD_PRELOAD=") ? variable : start.envp[i];
	if (!preload)
		env[n++] = variable;
	env[n] = NULL;
	sys3(SYS_execve, start.file, arguments, env);
	sys_munmap(env, bytes);
	fail("the program could not be executed once more");
}

static void execute_once_more(void)
{
	static char stubs[START_PATH_MAX];
	char **arguments;
	if (!may_execute())
		return;
	if (!(arguments = start_arguments(&start))) {
		fail("the program was started in a way that cannot be repeated (by the dynamic "
		     "linker as a command, or its file was replaced)");
		return;
	}
	switch (reexec_ask(&start, program, library, stubs, sizeof stubs)) {
	case REEXEC_STUBS:
		execute(arguments, stubs);
		sys_unlink(stubs); /* still here */
		break;
	case REEXEC_NOTHING:
		reexec_needless = true;
		break;
	case REEXEC_FAILED:
		fail(stubs);
		break;
	}
}

static void at_start_up(void)
{
	const char *disable;
	function_opened_later = environ != NULL;
	if (!is_start_up())
		return;
	if (clean_up(start_variable(&start, "LD_PRELOAD"))) {
		if (!selected_table())
			fail("the loader did not take the object with their stubs");
		return;
	}
	disable = start_variable(&start, "SCPROF_DISABLE");
	if (selected_table() || (disable && *disable && !text_equal(disable, "0")) ||
	    start_variable(&start, "LD_TRACE_LOADED_OBJECTS") ||
	    start_variable(&start, REEXEC_TOOL_VARIABLE) || /* the tool itself, or its loader */
	    !settings_symbols_wanted(start_variable(&start, "SCPROF_SYMBOLS"),
				     start_variable(&start, "SCPROF_GROUPS")))
		return;
	execute_once_more();
}

static void nothing(void)
{
}

/* The loader calls it when all else of this library is relocated. */
static void (*resolve(void))(void)
{
	at_start_up();
	return nothing;
}

HIDDEN void reexec_hook(void) __attribute__((ifunc("resolve")));
/* What asks for the resolver's result. */
__attribute__((used)) static void (*const volatile hooked)(void) = reexec_hook;
