// SPDX-License-Identifier: GPL-3.0-or-later
/* Defaults become words of the command line, ahead of those that were typed, or variables where an
 * option has one: both are what the commands know how to weigh already. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/help/config.h"
#include "cli/help/config_origin.h"
#include "cli/help/usage.h"

static const struct {
	const char *option, *variable;
} run_variables[] = {
	{"clock", "SCPROF_CLOCK"},	     {"tick", "SCPROF_TICK"},
	{"groups", "SCPROF_GROUPS"},	     {"symbols", "SCPROF_SYMBOLS"},
	{"slowest", "SCPROF_SLOWEST"},	     {"slower-than", "SCPROF_SLOWER_THAN"},
	{"slowest-of", "SCPROF_SLOWEST_OF"}, {"below", "SCPROF_BELOW"},
	{"thread", "SCPROF_THREADS"},	     {"depth", "SCPROF_DEPTH"},
	{"after", "SCPROF_AFTER"},	     {"for", "SCPROF_FOR"},
	{"signal", "SCPROF_SIGNAL"},	     {"stopped", "SCPROF_STOPPED"},
};

/* Options of `plan` that say the same thing, or ask another question. */
static const char *const plan_aims[] = {"width", "relative", "digits", "calls", "change"};
#define PLAN_AIMS (sizeof(plan_aims) / sizeof(*plan_aims))

const char *config_variable(const struct command *command, const char *option)
{
	if (strcmp(command->name, "run") != 0)
		return NULL;
	for (size_t i = 0; i < sizeof(run_variables) / sizeof(*run_variables); i++)
		if (!strcmp(run_variables[i].option, option))
			return run_variables[i].variable;
	return NULL;
}

/* Whose options end at the first word that is none, which begins another command line. */
static bool leads(const struct command *command)
{
	static const char *const name[] = {"run", "displace", "bench", "symbols"};

	for (size_t i = 0; i < sizeof(name) / sizeof(*name); i++)
		if (!strcmp(command->name, name[i]))
			return true;
	return false;
}

/* The option that `word`, "--NAME" or "--NAME=VALUE", is for getopt: the one of that name, else the
 * one whose name begins so. */
static bool find_long(const struct command *command, const char *word, struct usage_item *item)
{
	const char *usage = command->usage;
	size_t length = strcspn(word + 2, "=");
	char name[sizeof(item->name)];

	snprintf(name, sizeof(name), "%.*s", (int)length, word + 2);
	if (usage_find(usage, name, 0, item))
		return true;
	while (usage_next(&usage, item))
		if (item->part == USAGE_OPTION && !strncmp(item->name, name, length))
			return true;
	return false;
}

/* Is one of the letters of `word`, "-q" or "-qoVALUE", the option? *value_follows: one takes a
 * value and has nothing of the word left for it. */
static bool is_letter(const struct command *command, const char *word, const char *option,
		      bool *value_follows)
{
	struct usage_item item;

	for (size_t i = 1; word[i]; i++) {
		if (!usage_find(command->usage, NULL, word[i], &item))
			continue;
		if (!strcmp(item.name, option))
			return true;
		if (*item.argument) {
			*value_follows = !word[i + 1];
			return false;
		}
	}
	return false;
}

static bool is_long(const struct command *command, const char *word, const char *option,
		    bool *value_follows)
{
	struct usage_item item;

	if (!find_long(command, word, &item))
		return false;
	*value_follows = *item.argument && !strchr(word, '=');
	return !strcmp(item.name, option);
}

/* Is the option among the words that getopt takes for options? */
static bool is_typed(const struct command *command, const char *option, int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		const char *word = argv[i];
		bool value_follows = false;

		if (word[0] != '-' || !word[1]) {
			if (leads(command))
				return false;
		} else if (word[1] == '-' ? is_long(command, word, option, &value_follows)
					  : is_letter(command, word, option, &value_follows))
			return true;
		i += value_follows;
	}
	return false;
}

static bool is_aim(const char *option)
{
	for (size_t i = 0; i < PLAN_AIMS; i++)
		if (!strcmp(plan_aims[i], option))
			return true;
	return false;
}

/* Of several aims one is taken: the command line's, else the one that was read last. */
static bool is_beaten(const struct config *c, const struct config_entry *e, int argc, char **argv)
{
	if (strcmp(e->command->name, "plan") != 0 || !is_aim(e->option))
		return is_typed(e->command, e->option, argc, argv);
	for (size_t i = 0; i < PLAN_AIMS; i++)
		if (is_typed(e->command, plan_aims[i], argc, argv))
			return true;
	for (const struct config_entry *later = e + 1; later < c->entry + c->count; later++)
		if (later->command == e->command && is_aim(later->option))
			return true;
	return false;
}

/* 0, or -1: out of memory. */
static int add(const struct config_entry *e, char **argv, int *argc)
{
	const char *variable = config_variable(e->command, e->option);

	if (e->is_switch && !strcmp(e->value, "no"))
		return 0;
	if (variable) {
		const char *set = getenv(variable);

		if (set && *set)
			return 0;
		config_origin_note(e, NULL, variable);
		return setenv(variable, e->is_switch ? "1" : e->value, 1);
	}
	if (asprintf(&argv[*argc], "--%s%s%s", e->option, e->is_switch ? "" : "=",
		     e->is_switch ? "" : e->value) < 0)
		return -1;
	config_origin_note(e, argv[*argc], NULL);
	(*argc)++;
	return 0;
}

char **config_apply(const struct config *c, const struct command *command, int *argc, char **argv)
{
	char **all = calloc((size_t)*argc + c->count + 1, sizeof(*all));
	int words = 1;

	if (!all)
		return NULL;
	all[0] = argv[0];
	for (size_t i = 0; i < c->count; i++) {
		const struct config_entry *e = &c->entry[i];

		if (e->command == command && !is_beaten(c, e, *argc, argv) && add(e, all, &words))
			return NULL;
	}
	for (int i = 1; i < *argc; i++)
		all[words++] = argv[i];
	*argc = words;
	return all;
}
