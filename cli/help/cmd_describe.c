// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof describe [COMMAND]`: what a command's table says, in fields set apart by tabs, for the
 * man pages that the build makes. Without a command: the commands. */
#include "cli/cmd.h"

#include <stdio.h>

#include "cli/help/commands.h"
#include "include/scprof_version.h"

/* Prints one line; several spaces become one. */
static void print_text(const char *text)
{
	bool space = false;

	for (; *text; text++) {
		if (*text == ' ' || *text == '\n') {
			space = true;
			continue;
		}
		printf("%s%c", space ? " " : "", *text);
		space = false;
	}
	putchar('\n');
}

/* PART, letter, name, argument, text; "-" where there is none, so that no field is empty. */
static void print_line(const char *part, const struct usage_entry *e)
{
	printf("%s\t%c\t%s\t%s\t", part, usage_letter(e) ? usage_letter(e) : '-',
	       e->name ? e->name : "-", e->argument ? e->argument : "-");
	print_text(e->text);
}

static void print_part(const char *part, const char *name, const char *text)
{
	print_line(part, &(struct usage_entry){.name = name, .text = text});
}

static void print_entries(const char *part, const struct usage_entry *e)
{
	for (; e && e->name; e++)
		print_line(part, e);
}

static void describe(const struct usage *u)
{
	char way[1024], text[USAGE_EXIT_BYTES];

	print_part("summary", NULL, u->summary);
	for (size_t i = 0; u->synopsis[i]; i++) {
		snprintf(way, sizeof(way), "scprof%s%s %s", u->command ? " " : "",
			 u->command ? u->command : "", u->synopsis[i]);
		print_part("synopsis", NULL, way);
	}
	print_part("text", NULL, u->text);
	print_entries("operand", u->operands);
	print_entries("option", u->options);
	if (u->note)
		print_part("text", NULL, u->note);
	if (u->variables_text)
		print_part("environment", NULL, u->variables_text);
	print_entries("environment", u->variables);
	usage_exit_status(u, text);
	print_part("exit", NULL, text);
}

int cmd_describe(const struct commands *all, int argc, char **argv)
{
	const struct command *c = argc > 1 ? commands_find_shown(all, argv[1]) : NULL;

	if (argc > 1 && !c)
		return 2;
	if (!c) {
		print_part("version", SCPROF_VERSION, "-");
		for (size_t i = 0; i < all->count; i++)
			if (all->command[i].usage)
				print_part("command", all->command[i].name,
					   all->command[i].usage->summary);
	}
	describe(c ? c->usage : all->usage);
	return fflush(stdout) || ferror(stdout) ? 1 : 0;
}
