// SPDX-License-Identifier: Apache-2.0
/* Decides whether the program is executed once more, and does it. Runs while the loader
 * relocates: no function of libc can be called, and none is. */
#include <elf.h>
#include <link.h>
#include <unistd.h>

#include "preload/function/selected.h"
#include "preload/start/reexec.h"
#include "preload/start/reexec_ask.h"
#include "preload/process/settings.h"
#include "preload/start/start.h"
#include "preload/system/sys.h"

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
