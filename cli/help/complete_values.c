// SPDX-License-Identifier: GPL-3.0-or-later
/* Candidates by the word in capitals that names the kind of value. Numbers and times have none. */
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/select/below.h"
#include "collector/select/selection.h"
#include "collector/select/symbol_pattern.h"
#include "collector/clocks/clocks.h"
#include "cli/help/complete_values.h"
#include "collector/machine/cpus.h"
#include "collector/launch/environment.h"
#include "collector/launch/program.h"
#include "report/report.h"
#include "report/wording/warning_list.h"

#define MOST_SYMBOLS 5000

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

/* Each CPU that may be used, and all of them. */
static void offer_cpus(const struct complete_line *line)
{
	struct complete_line last = last_of_list(line);
	char text[256];
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return;
	cpus_print(&set, text, sizeof(text));
	if (!last.ahead && CPU_COUNT(&set) > 1)
		complete_values_offer(&last, text, "all that may be used");
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set)) {
			snprintf(text, sizeof(text), "%d", cpu);
			complete_values_offer(&last, text, "a CPU");
		}
}

static const char *runner(const struct complete_line *line)
{
	static struct program p; /* paths: too large for the stack */

	if (line->program < 0)
		return NULL;
	program_examine(line->word[line->program], &p);
	return *p.runner ? p.runner : NULL;
}

/* Shells insert a candidate as it is: a name that would need quotes is not offered. Compilers
 * produce none. */
static bool is_word(const char *name)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
		"_.:@+-%/";

	return *name && !name[strspn(name, letters)];
}

/* NAME as it is, or LIBRARY:NAME where a library has been typed. */
static void offer_symbols(const struct complete_line *line)
{
	struct complete_line last = last_of_list(line);
	const char *program = runner(line), *colon = strchr(last.typed, ':');
	char library[PATH_MAX], word[1024];
	struct profile_error err;
	struct selection c = {0};
	size_t left = MOST_SYMBOLS;

	if (!program || environment_find_library(library, sizeof(library), &err) ||
	    selection_open(&c, program, library, NULL, &err)) {
		selection_close(&c);
		return;
	}
	for (size_t l = 0; l < c.libraries; l++) {
		const struct exports *e = &c.library[l];

		snprintf(word, sizeof(word), "%s:", e->soname);
		if (!is_word(e->soname))
			continue;
		if (!colon)
			complete_values_offer(&last, word, "all of a library");
		for (size_t i = 0; i < e->functions && left; i++) {
			snprintf(word, sizeof(word), "%s%s%s", colon ? e->soname : "",
				 colon ? ":" : "", e->function[i].name);
			if (strncmp(word, last.typed, strlen(last.typed)) != 0 ||
			    !is_word(e->function[i].name) || selection_reason(&c, &e->function[i]))
				continue;
			complete_values_offer(&last, word, colon ? NULL : e->soname);
			left--;
		}
	}
	selection_close(&c);
}

/* Local ones too. */
static void offer_functions(const struct complete_line *line)
{
	struct complete_line last = last_of_list(line);
	const struct symbol_pattern any = {.name = (char *)"*"};
	const char *program = runner(line);
	char **names = NULL;
	size_t count = 0;

	if (program)
		below_symbols_near(program, &any, &names, &count);
	for (size_t i = 0; i < count; i++) {
		if (i < MOST_SYMBOLS && is_word(names[i]))
			complete_values_offer(&last, names[i], NULL);
		free(names[i]);
	}
	free(names);
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
	else if (!strcmp(kind, "LIST"))
		offer_cpus(line);
	else if (!strcmp(kind, "SYMBOLS") || !strcmp(kind, "NAMES"))
		offer_symbols(line);
	else if (!strncmp(kind, "FUNCTION", 8))
		offer_functions(line);
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
	else if (!strcmp(operand, "PATTERN"))
		offer_symbols(line);
	else /* of PID|PROFILE|DIR the first that is known */
		for (; *operand; operand += strcspn(operand, "|"), operand += *operand == '|') {
			snprintf(kind, sizeof(kind), "%.*s", (int)strcspn(operand, "|"), operand);
			if (leave_to_shell(kind))
				return;
		}
}
