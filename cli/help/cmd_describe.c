// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof describe [COMMAND]`: what --help says, in fields set apart by tabs, for the man pages
 * that the build makes. Without a command: the commands. */
#include "cli/cmd.h"

#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/help/usage.h"
#include "cli/version.h"

static const char *const part_names[] = {
	[USAGE_SYNOPSIS] = "synopsis", [USAGE_TEXT] = "text", [USAGE_OPTION] = "option",
	[USAGE_OPERAND] = "operand",   [USAGE_EXIT] = "exit", [USAGE_ENVIRONMENT] = "environment",
};

/* PART, letter, name, argument, text; "-" where there is none, so that no field is empty. */
static void describe(const char *usage)
{
	struct usage_item i;

	while (usage_next(&usage, &i))
		printf("%s\t%c\t%s\t%s\t%s\n", part_names[i.part], i.letter ? i.letter : '-',
		       *i.name ? i.name : "-", *i.argument ? i.argument : "-",
		       *i.text ? i.text : "-");
}

static void describe_all(void)
{
	printf("version\t-\t%s\t-\t-\n", SCPROF_VERSION);
	for (size_t i = 0; i < commands_count; i++)
		if (commands[i].usage)
			printf("command\t-\t%s\t-\t%s\n", commands[i].name, commands[i].summary);
	describe(commands_usage);
}

int cmd_describe(int argc, char **argv)
{
	const struct command *c = argc > 1 ? commands_find(argv[1]) : NULL;

	if (argc > 1 && (!c || !c->usage))
		return 2;
	if (c) {
		printf("summary\t-\t%s\t-\t%s\n", c->name, c->summary);
		describe(c->usage);
	} else {
		describe_all();
	}
	return fflush(stdout) || ferror(stdout) ? 1 : 0;
}
