// SPDX-License-Identifier: GPL-3.0-or-later
/* Says all that a program can find out about how it was started. Linked with a library
 * whose constructor speaks, too: it must be heard once. */
#include <dirent.h>
#include <link.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "target.h"

void chosen_once(void);
extern void *__libc_stack_end;

static void say_arguments(int argc, char **argv, char **env)
{
	char exe[1024] = "", comm[17] = "";
	const char *file = (const char *)getauxval(AT_EXECFN);

	for (int i = 0; i < argc; i++)
		say("argv %s\n", argv[i]);
	/* What the library under test is told is not the same without it; its place is. */
	for (; *env; env++)
		if (strncmp(*env, "SCPROF_", 7) != 0 && strncmp(*env, "EXPECT=", 7) != 0 &&
		    strncmp(*env, "STARTED_PID=", 12) != 0 && strncmp(*env, "LD_PRELOAD=", 11) != 0)
			say("env %.300s\n", *env);
	if (readlink("/proc/self/exe", exe, sizeof exe - 1) < 0)
		die("readlink");
	prctl(PR_SET_TIMERSLACK, 0, 0, 0, 0);
	prctl(PR_GET_NAME, comm);
	say("file %s exe %s comm %s name %s\n", file, exe, comm, program_invocation_name);
}

static void say_preload(void)
{
	const char *preload = getenv("LD_PRELOAD"), *expected = getenv("SCPROF_TEST_PRELOAD");

	if (preload && expected && strcmp(preload, expected) != 0)
		say("LD_PRELOAD is %s\n", preload);
}

static void say_descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	struct dirent *e;

	if (!d)
		die("opendir");
	while ((e = readdir(d)))
		if (*e->d_name != '.')
			say("descriptor %s\n", e->d_name);
	closedir(d);
}

static void say_signals(void)
{
	char line[256];
	FILE *f = fopen("/proc/self/status", "r");

	if (!f) {
		die("fopen");
		return;
	}
	while (fgets(line, sizeof line, f))
		if ((!strncmp(line, "Sig", 3) && line[3] != 'Q') || !strncmp(line, "ShdPnd", 6) ||
		    !strncmp(line, "Threads", 7))
			say("%s", line);
	fclose(f);
}

int main(int argc, char **argv, char **env)
{
	const char *pid = getenv("STARTED_PID");

	say_arguments(argc, argv, env);
	say_preload();
	/* Without -fPIE these are copies in the program, empty while libraries are relocated. */
	say("%d %d\n", __libc_stack_end != NULL, _r_debug.r_map != NULL);
	say_descriptors();
	say_signals();
	int child = waitpid(-1, NULL, WNOHANG | __WALL);
	say("child %d %s\n", child, strerror(errno));
	if (pid && atoi(pid) != getpid())
		say("pid %d is not that of the start\n", getpid());
	for (int i = 0; i < 7; i++)
		chosen_once();
	expect_calls("chosen_once", 7);
	return 3;
}
