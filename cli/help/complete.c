// SPDX-License-Identifier: GPL-3.0-or-later
/* Follows the words as getopt would, by what the command's --help says of its options. */
#include "cli/help/complete.h"

#include <stdio.h>
#include <string.h>

struct place {
	struct usage_item option; /* whose value is asked for */
	bool value;
	bool operands_only; /* after "--" */
	int operands;	    /* before the word in question */
};

void complete_offer(const struct complete_line *line, const char *candidate, const char *what)
{
	if (strncmp(candidate, line->typed, strlen(line->typed)) != 0)
		return;
	printf("%.*s%s\t%s\n", (int)line->ahead, line->typed - line->ahead, candidate,
	       what ? what : "");
}

/* The first clause of an option's text. */
static void offer_option(const struct complete_line *line, const struct usage_item *option)
{
	char word[80], text[1024];

	snprintf(text, sizeof(text), "%.*s", (int)strcspn(option->text, ":;("), option->text);
	snprintf(word, sizeof(word), "--%s", option->name);
	if (*option->name)
		complete_offer(line, word, text);
	snprintf(word, sizeof(word), "-%c", option->letter);
	if (option->letter && (!*option->name || !line->typed[0] || !line->typed[1]))
		complete_offer(line, word, text);
}

static void offer_options(const struct complete_line *line, const char *usage)
{
	struct usage_item item;

	while (usage_next(&usage, &item))
		if (item.part == USAGE_OPTION)
			offer_option(line, &item);
}

static void offer_commands(const struct complete_line *line)
{
	for (size_t i = 0; i < commands_count; i++)
		if (commands[i].usage)
			complete_offer(line, commands[i].name, commands[i].summary);
	complete_offer(line, "help", "what a command does and takes");
}

/* Which option is `word`, and does its value stand in the next word? */
static bool wants_value(const char *usage, const char *word, struct usage_item *option)
{
	char name[64];
	size_t last = strlen(word) - 1;

	if (word[1] == '-') {
		snprintf(name, sizeof(name), "%s", word + 2);
		return !strchr(word, '=') && usage_find(usage, name, 0, option) &&
		       *option->argument;
	}
	/* of letters together, one that takes a value takes the rest of the word */
	for (size_t i = 1; i <= last; i++)
		if (usage_find(usage, NULL, word[i], option) && *option->argument)
			return i == last;
	return false;
}

/* Is the next operand the beginning of a command line of its own? */
static bool takes_command(const char *usage, bool after_dashes)
{
	char operands[256];

	usage_operands(usage, operands, sizeof(operands));
	return !strncmp(operands, "COMMAND", 7) || (after_dashes && strstr(operands, "COMMAND"));
}

/* Walks to the word in question. Returns the index at which another command begins, or -1. */
static int walk(const struct complete_line *line, const char *usage, int end, struct place *p)
{
	*p = (struct place){0};
	for (int i = 1; i < end; i++) {
		const char *word = line->word[i];

		if (p->value) {
			p->value = false;
		} else if (!p->operands_only && !strcmp(word, "--")) {
			p->operands_only = true;
			if (takes_command(usage, true))
				return i + 1;
		} else if (!p->operands_only && word[0] == '-' && word[1]) {
			p->value = wants_value(usage, word, &p->option);
		} else {
			p->operands++;
			if (takes_command(usage, false))
				return i;
		}
	}
	return -1;
}

/* The program that a command line is about, wherever on the line it stands. */
static int find_program(const struct complete_line *line, const char *usage)
{
	struct place p;
	int command = walk(line, usage, line->words, &p);
	char operands[256];

	if (command >= 0)
		return command < line->words && command != line->index ? command : -1;
	usage_operands(usage, operands, sizeof(operands));
	if (strncmp(operands, "PROGRAM", 7) != 0)
		return -1;
	for (int end = 2; end <= line->words; end++)
		if (walk(line, usage, end, &p) < 0 && p.operands == 1)
			return end - 1 == line->index ? -1 : end - 1;
	return -1;
}

/* The name of the operand after so many; the last one may be there again and again. */
static void offer_operand(const struct complete_line *line, const char *usage, int before)
{
	char operands[256], *word, *save = NULL, *last = NULL;

	usage_operands(usage, operands, sizeof(operands));
	word = strtok_r(operands, " ", &save);
	for (int i = 0; word && i <= before; i++) {
		last = word;
		word = strtok_r(NULL, " ", &save);
	}
	if (last)
		complete_operand(line, last);
}

/* Is the word "--option=VALUE"? The value is what is in question then. */
static bool split_value(struct complete_line *line, const char *usage, struct usage_item *option)
{
	const char *equals = strchr(line->typed, '=');
	char name[64];

	if (strncmp(line->typed, "--", 2) != 0 || !equals)
		return false;
	snprintf(name, sizeof(name), "%.*s", (int)(equals - line->typed - 2), line->typed + 2);
	if (!usage_find(usage, name, 0, option) || !*option->argument)
		return false;
	line->ahead = (size_t)(equals + 1 - line->typed);
	line->typed = equals + 1;
	return true;
}

static void complete_in(struct complete_line *line, const char *usage)
{
	struct place p;
	int command = walk(line, usage, line->index, &p);

	line->program = find_program(line, usage);
	if (command >= 0)
		printf(":command %d\n", command);
	else if (p.value || (!p.operands_only && split_value(line, usage, &p.option)))
		complete_value(line, &p.option);
	else if (!p.operands_only && line->typed[0] == '-')
		offer_options(line, usage);
	else if (takes_command(usage, p.operands_only))
		printf(":command %d\n", line->index);
	else
		offer_operand(line, usage, p.operands);
}

void complete_print(char **word, int words, int index)
{
	struct complete_line line = {.word = word, .words = words, .index = index, .program = -1};
	const struct command *c;

	line.typed = index < words ? word[index] : "";
	if (index == 0) {
		offer_commands(&line);
		offer_options(&line, commands_usage);
		return;
	}
	c = commands_find(word[0]);
	if (c && c->usage)
		complete_in(&line, c->usage);
	else if (!strcmp(word[0], "help") && index == 1)
		offer_commands(&line);
}
