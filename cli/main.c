// SPDX-License-Identifier: GPL-3.0-or-later
/* The command line's front door: finds the subcommand and steps aside. */
#include <malloc.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/complaint.h"
#include "cli/help/config.h"
#include "cli/nearest.h"
#include "cli/version.h"

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
	const char *names[64], *near;
	char text[512];
	size_t count = 0;

	for (size_t i = 0; i < commands_count && count < 64; i++)
		if (commands[i].usage)
			names[count++] = commands[i].name;
	near = nearest_name(name, names, count);
	snprintf(text, sizeof(text), "unknown command '%.200s'%s%s%s; scprof --help lists them",
		 name, near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
	complaint_print("scprof", text);
	return 2;
}

static int print_failed(void)
{
	perror("scprof: cannot write to standard output");
	return 1;
}

/* `scprof help COMMAND` is `scprof COMMAND --help`. */
static int help(const char *name)
{
	const struct command *c = name ? commands_find(name) : NULL;

	if (name && (!c || !c->usage))
		return unknown(name);
	if (c ? fputs(c->usage, stdout) == EOF || fflush(stdout) : commands_print_help())
		return print_failed();
	return 0;
}

static int version(void)
{
	return puts("scprof " SCPROF_VERSION) == EOF || fflush(stdout) ? print_failed() : 0;
}

static void complain(const char *text)
{
	complaint_print("scprof", text);
}

/* --help is not kept from anybody by an error in a file. */
static int run_with_defaults(const struct command *c, int argc, char **argv)
{
	static struct config config; /* paths: too large for the stack */
	static char **words;	     /* of the file and of the command line, until the end */
	bool help = argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"));

	if (help || !c->takes_defaults)
		return c->run(argc, argv);
	if (config_read(&config, complain) ||
	    (!config.errors && !(words = config_apply(&config, c, &argc, argv)))) {
		complain("out of memory");
		return c->bad_usage;
	}
	return config.errors ? c->bad_usage : c->run(argc, words);
}

int main(int argc, char **argv)
{
	const struct command *command;

	fill_standard_descriptors();
	/* Large tables of a large profile are made and dropped one after the other: what is
	 * freed shall go back, where glibc would keep up to 32 MB of each. */
	mallopt(M_MMAP_THRESHOLD, 1 << 20);
	if (argc < 2) {
		complaint_print("scprof", "which command? scprof --help lists them");
		return 2;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))
		return help(argv[2]);
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V"))
		return version();
	command = commands_find(argv[1]);
	return command ? run_with_defaults(command, argc - 1, argv + 1) : unknown(argv[1]);
}
