// SPDX-License-Identifier: GPL-3.0-or-later
/* Finds the subcommand, applies the defaults of the configuration files and calls it. */
#include <malloc.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/command_table.h"
#include "cli/messages/complaint.h"
#include "cli/help/config.h"
#include "cli/messages/nearest.h"
#include "cli/usage/output.h"
#include "include/scprof_version.h"
#include "profile/model/clocks.h"

/* If a standard descriptor is closed, a file that we open would get its number, and our messages
 * would go into that file. Close-on-exec: the command still finds it closed. What is written to
 * standard output fails, as it did. */
static void fill_standard_descriptors(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) == -1 && errno == EBADF &&
		    open("/dev/null", (fd == STDOUT_FILENO ? O_RDONLY : O_RDWR) | O_CLOEXEC) < 0)
			return;
}

static int unknown(const char *name)
{
	const char *names[64], *near;
	size_t count = 0;

	for (size_t i = 0; i < command_table.count && count < 64; i++)
		if (command_table.command[i].usage)
			names[count++] = command_table.command[i].name;
	near = nearest_name(name, names, count);
	complaint_say("scprof", "unknown command '%.200s'%s%s%s; scprof --help lists them", name,
		      near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
	return 2;
}

static int list_commands(FILE *out)
{
	usage_print_head(command_table.usage, out);
	for (size_t i = 0; i < command_table.count; i++)
		if (command_table.command[i].usage)
			fprintf(out, "  %-13s  %s\n", command_table.command[i].name,
				command_table.command[i].usage->summary);
	return ferror(out) ? -1 : 0;
}

/* They stand before the options of the tool itself. */
static void print_commands(void)
{
	list_commands(stdout);
	putchar('\n');
	usage_print_entries(command_table.usage, stdout);
	usage_print_tail(command_table.usage, stdout);
}

/* `scprof help COMMAND` is `scprof COMMAND --help`. */
static int help(const char *name)
{
	const struct command *c = name ? commands_find_shown(&command_table, name) : NULL;

	if (name && !c)
		return unknown(name);
	if (c)
		usage_print(c->usage, stdout);
	else
		print_commands();
	return output_finish("scprof") ? command_table.usage->failure : 0;
}

static int version(void)
{
	puts("scprof " SCPROF_VERSION);
	return output_finish("scprof") ? command_table.usage->failure : 0;
}

static void complain(const char *text)
{
	complaint_print("scprof", text);
}

static int run(const struct command *c, int argc, char **argv)
{
	int status = c->run ? c->run(argc, argv) : c->run_on(&command_table, argc, argv);
	char name[32];

	if (!c->usage)
		return status;
	snprintf(name, sizeof(name), "scprof %s", c->name);
	/* another failure, or the command's own, says more */
	return output_finish(name) && (!status || (status == 1 && c->usage->failure == 2))
		       ? c->usage->failure
		       : status;
}

/* --help works even if a file has an error. */
static int run_with_defaults(const struct command *c, int argc, char **argv)
{
	static struct config config; /* paths: too large for the stack */
	static char **words;	     /* of the file and of the command line, until the end */
	bool wants_help = argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"));

	if (wants_help || !c->takes_defaults)
		return run(c, argc, argv);
	if (config_read(&config, &command_table, complain) ||
	    (!config.errors && !(words = config_apply(&config, c, &argc, argv)))) {
		complain("out of memory");
		return c->usage->bad_usage;
	}
	return config.errors ? c->usage->bad_usage : run(c, argc, words);
}

int main(int argc, char **argv)
{
	const struct command *command;

	fill_standard_descriptors();
	rate_begin();
	/* Large tables of a large profile are made and dropped one after the other: freed memory
	 * goes back, where glibc would keep up to 32 MB of each. */
	mallopt(M_MMAP_THRESHOLD, 1 << 20);
	if (argc < 2)
		return list_commands(stderr) ? 1 : 2;
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))
		return help(argv[2]);
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V") || !strcmp(argv[1], "-v"))
		return version();
	command = commands_find(&command_table, argv[1]);
	return command ? run_with_defaults(command, argc - 1, argv + 1) : unknown(argv[1]);
}
