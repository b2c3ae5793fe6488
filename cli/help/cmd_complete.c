// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof complete INDEX WORD...`: what can stand at a place of a command line. The shells' own
 * parts (scripts/packaging/completion/) ask it. It follows the words as getopt would, by the
 * command's table, and prints a line a candidate: the whole word, a tab, what it is. What shells
 * know better is left to them, by a line that begins with a colon:
 *   :files SUFFIX   names of files that end so ("" for any), after a "--option=" in the word
 *   :dirs           directories, likewise
 *   :command N      from word N on stands another command's line
 *   :open           no space after a candidate: a list may go on
 * Whatever is wrong, it prints nothing: a person is typing. */

#include <stdio.h>
#include <stdlib.h>

#include "cli/cmd.h"
#include "cli/help/commands.h"
#include "profile/base/symbol_pattern.h"
#include "profile/base/words.h"
#include "collector/clocks/clocks.h"
#include "report/report.h"
#include "report/wording/warning_list.h"
#include "include/scprof_version.h"

/* `scprof describe [COMMAND]`: what a command's table says, in fields set apart by tabs, for the
 * man pages that the build makes. Without a command: the commands. */

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
		snprintf(way, sizeof(way), "%s %s", u->command, u->synopsis[i]);
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

struct complete_line {
	char **word;	   /* what stands after "scprof" */
	int index;	   /* of the word in question, which may be one beyond the last */
	const char *typed; /* the word, as far as it is there; of --option=VALUE the value */
	size_t ahead;	   /* bytes of "--option=" in front of it */
};

static const char built_in_groups[] = "socket, io, wait, resolve, region, functions, all";

static void offer(const struct complete_line *line, const char *candidate, const char *what)
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

	while (words_next(&text, separators, word, sizeof(word)))
		offer(line, word, NULL);
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
	if (words_have("PATH FILE OUT", " ", kind))
		return puts(":files ") != EOF;
	if (words_have("PROFILE BASE NEW", " ", kind))
		return puts(":files .scp") != EOF;
	return !strcmp(kind, "DIR") && puts(":dirs") != EOF;
}

static void offer_values(const struct complete_line *line, const char *kind)
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
		offer(line, warning_codes[i].code, warning_codes[i].title);
}

static void offer_named(const struct complete_line *line, const char *operand)
{
	char kind[64];

	if (!strcmp(operand, "PROGRAM"))
		puts(":files ");
	else if (!strcmp(operand, "CODE"))
		offer_codes(line);
	else /* of PID|PROFILE|DIR the first that is known */
		while (words_next(&operand, "|", kind, sizeof(kind)) && !leave_to_shell(kind))
			continue;
}

struct place {
	const struct usage_entry *option; /* whose value is asked for */
	bool value;
	bool operands_only; /* after "--" */
	int operands;	    /* before the word in question */
};

/* With the first clause of its text. */
static void offer_option(const struct complete_line *line, const struct usage_entry *option)
{
	char word[80], text[1024];

	snprintf(text, sizeof(text), "%.*s", (int)strcspn(option->text, ":;("), option->text);
	snprintf(word, sizeof(word), "--%s", option->name);
	offer(line, word, text);
	snprintf(word, sizeof(word), "-%c", usage_letter(option));
	if (usage_letter(option) && (!line->typed[0] || !line->typed[1]))
		offer(line, word, text);
}

static void offer_options(const struct complete_line *line, const struct usage *u)
{
	for (const struct usage_entry *e = u->options; e->name; e++)
		offer_option(line, e);
}

static void offer_commands(const struct commands *all, const struct complete_line *line)
{
	for (size_t i = 0; i < all->count; i++)
		if (all->command[i].usage)
			offer(line, all->command[i].name, all->command[i].usage->summary);
	offer(line, "help", "what a command does and takes");
}

/* The option in `word` whose value stands in the next word; NULL: there is none. */
static const struct usage_entry *wants_value(const struct usage *u, const char *word)
{
	const struct usage_entry *e;

	if (word[1] == '-') {
		e = usage_find(u, word + 2);
		return e && usage_takes_word(e) ? e : NULL;
	}
	/* of letters together, one that takes a value takes the rest of the word */
	for (size_t i = 1; word[i]; i++) {
		e = usage_find_code(u, word[i]);
		if (e && e->argument)
			return word[i + 1] ? NULL : e;
	}
	return NULL;
}

/* Is the next operand the beginning of a command line of its own? */
static bool takes_command(const struct usage *u, bool after_dashes)
{
	return u->words && (!strncmp(u->words, "COMMAND ", 8) ||
			    (after_dashes && strstr(u->words, "COMMAND ")));
}

/* Walks to the word in question. Returns the index at which another command begins, or -1. */
static int walk(const struct complete_line *line, const struct usage *u, int end, struct place *p)
{
	*p = (struct place){0};
	for (int i = 1; i < end; i++) {
		const char *word = line->word[i];

		if (p->value) {
			p->value = false;
		} else if (!p->operands_only && !strcmp(word, "--")) {
			p->operands_only = true;
			if (takes_command(u, true))
				return i + 1;
		} else if (!p->operands_only && word[0] == '-' && word[1]) {
			p->option = wants_value(u, word);
			p->value = p->option;
		} else {
			p->operands++;
			if (takes_command(u, false))
				return i;
		}
	}
	return -1;
}

/* The name of the operand after so many; the last one may be there again and again. */
static void offer_operand(const struct complete_line *line, const char *words, int before)
{
	char name[64];
	size_t length = strcspn(words, " ");

	for (int i = 0; i < before && words[length]; i++) {
		words += length + 1;
		length = strcspn(words, " ");
	}
	snprintf(name, sizeof(name), "%.*s", (int)length, words);
	offer_named(line, name);
}

/* Is the word "--option=VALUE"? The value is what is in question then. */
static const struct usage_entry *split_value(struct complete_line *line, const struct usage *u)
{
	const char *equals = strchr(line->typed, '=');
	char name[64];

	if (strncmp(line->typed, "--", 2) != 0 || !equals)
		return NULL;
	snprintf(name, sizeof(name), "%.*s", (int)(equals - line->typed - 2), line->typed + 2);
	const struct usage_entry *e = usage_find(u, name);
	if (!e || !e->argument)
		return NULL;
	line->ahead = (size_t)(equals + 1 - line->typed);
	line->typed = equals + 1;
	return e;
}

static void complete_in(struct complete_line *line, const struct usage *u)
{
	struct place p;
	int command = walk(line, u, line->index, &p);

	if (!p.value && !p.operands_only)
		p.option = split_value(line, u);
	if (command >= 0)
		printf(":command %d\n", command);
	else if (p.value || (!p.operands_only && p.option))
		offer_values(line, p.option->argument);
	else if (!p.operands_only && line->typed[0] == '-')
		offer_options(line, u);
	else if (takes_command(u, p.operands_only))
		printf(":command %d\n", line->index);
	else if (u->words)
		offer_operand(line, u->words, p.operands);
}

static void complete(const struct commands *all, char **word, int words, int index)
{
	struct complete_line line = {
		.word = word, .index = index, .typed = index < words ? word[index] : ""};

	if (index == 0) {
		offer_commands(all, &line);
		offer_options(&line, all->usage);
		return;
	}
	const struct command *c = commands_find_shown(all, word[0]);
	if (c)
		complete_in(&line, c->usage);
	else if (!strcmp(word[0], "help") && index == 1)
		offer_commands(all, &line);
}

int cmd_complete(const struct commands *all, int argc, char **argv)
{
	int index = argc > 1 && *argv[1] >= '0' && *argv[1] <= '9' ? atoi(argv[1]) : -1;

	if (index < 0 || index > argc - 2)
		return 2;
	complete(all, argv + 2, argc - 2, index);
	return fflush(stdout) || ferror(stdout) ? 1 : 0;
}
