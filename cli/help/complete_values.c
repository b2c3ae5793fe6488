// SPDX-License-Identifier: GPL-3.0-or-later
/* Candidates by the word in capitals that names the kind of value. Numbers and times have none. */
#include <stdio.h>
#include <string.h>

#include "profile/base/symbol_pattern.h"
#include "collector/clocks/clocks.h"
#include "cli/help/complete_values.h"
#include "report/report.h"
#include "report/wording/warning_list.h"

static const char built_in_groups[] = "socket, io, wait, resolve, region, functions, all";

void complete_values_offer(const struct complete_line *line, const char *candidate,
			   const char *what)
{
	if (strncmp(candidate, line->typed, strlen(line->typed)) != 0)
		return;
	printf("%.*s%s\t%s\n", (int)line->ahead, line->typed - line->ahead, candidate,
	       what ? what : "");
}

/* Words of a text, set apart by any of `separators`. */
static void offer_words(const struct complete_line *line, const char *text, const char *separators)
{
	char word[64];
	size_t length;

	for (; *text; text += length) {
		text += strspn(text, separators);
		length = strcspn(text, separators);
		snprintf(word, sizeof(word), "%.*s", (int)length, text);
		if (length)
			complete_values_offer(line, word, NULL);
	}
}

/* A list goes on after its last comma. */
static struct complete_line last_of_list(const struct complete_line *line)
{
	struct complete_line last = *line;
	const char *comma = strrchr(line->typed, ',');

	if (comma) {
		last.ahead += (size_t)(comma + 1 - line->typed);
		last.typed = comma + 1;
	}
	if (*last.typed == '!') { /* excludes */
		last.ahead++;
		last.typed++;
	}
	puts(":open");
	return last;
}

static void offer_groups(const struct complete_line *line)
{
	struct complete_line last = last_of_list(line);

	offer_words(&last, built_in_groups, ", ");
	offer_words(&last, symbol_pattern_groups, ", ");
}

/* Names of files, directories and commands are the shell's. */
static bool leave_to_shell(const char *kind)
{
	static const char *const files[] = {"PATH", "FILE", "OUT"}, *const profiles[] = {"PROFILE",
											 "BASE",
											 "NEW"};

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		if (!strcmp(kind, files[i]))
			return puts(":files ") != EOF;
	for (size_t i = 0; i < sizeof(profiles) / sizeof(*profiles); i++)
		if (!strcmp(kind, profiles[i]))
			return puts(":files .scp") != EOF;
	return !strcmp(kind, "DIR") && puts(":dirs") != EOF;
}

void complete_values_option(const struct complete_line *line, const char *kind)
{
	if (strchr(kind, '|'))
		offer_words(line, kind, "|");
	else if (!strcmp(kind, "CLOCK"))
		offer_words(line, clocks_read_names, ", ");
	else if (!strcmp(kind, "FORMAT"))
		offer_words(line, report_names_formats, ", ");
	else if (!strcmp(kind, "GROUPS"))
		offer_groups(line);
	else
		leave_to_shell(kind);
}

static void offer_codes(const struct complete_line *line)
{
	for (size_t i = 0; i < warning_codes_count; i++)
		complete_values_offer(line, warning_codes[i].code, warning_codes[i].title);
}

void complete_values_operand(const struct complete_line *line, const char *operand)
{
	char kind[64];

	if (!strcmp(operand, "PROGRAM"))
		puts(":files ");
	else if (!strcmp(operand, "CODE"))
		offer_codes(line);
	else /* of PID|PROFILE|DIR the first that is known */
		for (; *operand; operand += strcspn(operand, "|"), operand += *operand == '|') {
			snprintf(kind, sizeof(kind), "%.*s", (int)strcspn(operand, "|"), operand);
			if (leave_to_shell(kind))
				return;
		}
}
