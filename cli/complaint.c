// SPDX-License-Identifier: GPL-3.0-or-later
/* The arguments that a complaint repeats are data: cleaned as a report's names are. */
#include "cli/complaint.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/help/config_origin.h"
#include "cli/nearest.h"
#include "report/wording/terminal.h"
#include "cli/help/usage.h"
#include "report/wording/utf8.h"

void complaint_print(const char *command, const char *text)
{
	bool utf8 = terminal_of(stderr, 0).utf8;
	char *from = utf8_clean(config_origin_of(text), utf8), *clean = utf8_clean(text, utf8);

	fprintf(stderr, "%s: %s%s\n", command, from ? from : "", clean ? clean : "out of memory");
	free(from);
	free(clean);
}

void complaint_format(const char *command, const char *format, va_list arguments)
{
	char text[1536];

	vsnprintf(text, sizeof(text), format, arguments);
	complaint_print(command, text);
}

void complaint_say(const char *command, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	complaint_format(command, format, arguments);
	va_end(arguments);
}

void complaint_lines(const char *command, const char *text)
{
	char line[1536];
	size_t length = strcspn(text, "\n");

	snprintf(line, sizeof(line), "%.*s", (int)length, text);
	complaint_print(command, line);
	while (text[length]) {
		text += length + 1;
		length = strcspn(text, "\n");
		snprintf(line, sizeof(line), "%.*s", (int)length, text);
		char *clean = utf8_clean(line, terminal_of(stderr, 0).utf8);
		fprintf(stderr, "%s\n", clean ? clean : "");
		free(clean);
	}
}

/* " (did you mean --NAME?)" for a mistyped long option of "scprof COMMAND"; "" if none is near. */
static const char *near_option(const char *command, const char *word)
{
	static char text[96];
	char name[64], names[64][64];
	const char *known[64], *near, *usage;
	const struct command *c =
		strncmp(command, "scprof ", 7) != 0 ? NULL : commands_find(command + 7);
	struct usage_item item;
	size_t count = 0;

	*text = '\0';
	if (!c || !c->usage || strncmp(word, "--", 2) != 0)
		return text;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word + 2, "="), word + 2);
	usage = c->usage;
	while (count < 64 && usage_next(&usage, &item))
		if (item.part == USAGE_OPTION && *item.name) {
			memcpy(names[count], item.name, sizeof(names[count]));
			known[count] = names[count];
			count++;
		}
	near = nearest_name(name, known, count);
	if (near)
		snprintf(text, sizeof(text), " (did you mean --%s?)", near);
	return text;
}

/* A long option is the word before optind; of a cluster of short ones getopt names the
 * letter. */
void complaint_option(const char *command, char **argv, int option)
{
	char letter[3] = {'-', (char)optopt, '\0'}, text[1024];
	const char *word = optopt > ' ' && optopt < 127 ? letter : argv[optind - 1];

	if (option == ':')
		snprintf(text, sizeof(text), "option %s needs a value", argv[optind - 1]);
	else if (optopt >= 256)
		snprintf(text, sizeof(text), "option %s takes no value", argv[optind - 1]);
	else
		snprintf(text, sizeof(text), "unknown option %s; %s --help lists the options%s",
			 word, command, near_option(command, word));
	complaint_print(command, text);
}
