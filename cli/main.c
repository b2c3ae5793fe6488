// SPDX-License-Identifier: GPL-3.0-or-later
/* The command line's front door: finds the subcommand and steps aside. */
#include <malloc.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "nearest.h"
#include "version.h"

static const char help[] =
	"scprof: what each call site of a running program really costs, with error bars\n"
	"\n"
	"  scprof run [-o PATH] [-c CLOCK] [-d TICK] [-g GROUPS] [-s SYMBOLS] [--no-report]\n"
	"             [--displace] [--] COMMAND [ARG...]\n"
	"      run a command, write its profile, and print the report on standard error\n"
	"  scprof report [--format text|json] [--by path|site|function|gap|thread|process]\n"
	"                [--confidence 0.95] [-o OUT] PROFILE...\n"
	"      print what profiles say\n"
	"  scprof top [OPTION...] PID|PROFILE|DIRECTORY\n"
	"      watch a program while it is profiled: rates, means, intervals that narrow\n"
	"  scprof diff [--confidence 0.95] BASE NEW\n"
	"  scprof diff [--confidence 0.95] BASE... -- NEW...\n"
	"      what became slower or faster; exit status 0: nothing, 1: something\n"
	"  scprof merge -o OUT PROFILE...\n"
	"      make one profile of several\n"
	"  scprof plan --tick T --mean T [--longest T] [--width P | --digits K]\n"
	"  scprof plan [--relative P] PROFILE...\n"
	"      how many calls a measurement needs, or how many more\n"
	"  scprof bench [OPTION...] LIBRARY:FUNCTION [ARGUMENT...]\n"
	"  scprof bench [OPTION...] -- COMMAND [ARG...]\n"
	"      how long a function of a shared library takes, or a command\n"
	"  scprof symbols [--stubs FILE] PROGRAM [PATTERN...]\n"
	"      list the functions that `run -s` can time\n"
	"  scprof displace [--loops L] [--replications R] [--cpus LIST] [--json] [--confirm]\n"
	"                  [--method wall] [--] COMMAND [ARG...]\n"
	"      a command's CPU time, uncharged interrupt work included; where all time went\n"
	"  scprof load [SECONDS]\n"
	"      how busy each CPU is by what the lowest priority cannot get of it\n"
	"  scprof clocks [--json]\n"
	"      test the clocks of this machine\n"
	"  scprof --help, scprof --version, scprof COMMAND --help\n"
	"\n"
	"Without the tool:  LD_PRELOAD=libscprof.so ./app   writes scprof.EXE.PID.scp\n"
	"environment: SCPROF_OUT directory for profiles (default: the working directory)\n"
	"             SCPROF_CLOCK tsc|coarse|monotonic|page|thread-cpu|dual\n"
	"             SCPROF_TICK interval of the page clock, 20us to 100ms\n"
	"             SCPROF_GROUPS socket,io,wait,resolve,region,functions,all\n"
	"             SCPROF_SYMBOLS functions of libraries, as of `run -s`\n"
	"             SCPROF_DISABLE=1 do nothing\n"
	"exit status: 2 bad usage, 1 failure; `run`: the command's own (128+N after signal N),\n"
	"             125 scprof failed, 126 cannot be executed, 127 not found\n";

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
};

static const struct command commands[] = {
	{"run", cmd_run},	    {"report", cmd_report},   {"diff", cmd_diff},
	{"merge", cmd_merge},	    {"plan", cmd_plan},	      {"bench", cmd_bench},
	{"clocks", cmd_clocks},	    {"symbols", cmd_symbols}, {"preload-stubs", cmd_preload_stubs},
	{"displace", cmd_displace}, {"load", cmd_load},	      {"top", cmd_top},
};
#define COMMANDS (sizeof(commands) / sizeof(*commands))

/* Where standard descriptors are closed, our own files would land on them and
 * our messages in our files. Close-on-exec: a command still finds them closed. */
static void fill_standard_descriptors(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) == -1 && errno == EBADF &&
		    open("/dev/null", O_RDWR | O_CLOEXEC) < 0)
			return;
}

static int unknown(const char *name)
{
	const char *names[COMMANDS];

	for (size_t i = 0; i < COMMANDS; i++)
		names[i] = commands[i].name;
	const char *near = nearest_name(name, names, COMMANDS);
	fprintf(stderr, "scprof: unknown command '%s'", name);
	if (near)
		fprintf(stderr, "; did you mean '%s'?", near);
	fputs("\nscprof --help lists the commands\n", stderr);
	return 2;
}

static int print(const char *text)
{
	if (fputs(text, stdout) == EOF || fflush(stdout)) {
		perror("scprof: cannot write to standard output");
		return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	fill_standard_descriptors();
	/* Large tables of a large profile are made and dropped one after the other: what is
	 * freed shall go back, where glibc would keep up to 32 MB of each. */
	mallopt(M_MMAP_THRESHOLD, 1 << 20);
	if (argc < 2) {
		fputs(help, stderr);
		return 2;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))
		return print(help);
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V"))
		return print("scprof " SCPROF_VERSION "\n");
	for (size_t i = 0; i < COMMANDS; i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	return unknown(argv[1]);
}
