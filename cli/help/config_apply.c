// SPDX-License-Identifier: GPL-3.0-or-later
/* A default becomes a word of the command line, before those that were typed, or a variable where
 * the option has one: commands know the precedence of both already. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/help/config.h"
#include "cli/messages/complaint.h"
#include "cli/usage/options.h"

/* The option that `word`, "--NAME" or "--NAME=VALUE", is for getopt: the one of that name, else the
 * one whose name begins so. */
static const struct usage_entry *find_long(const struct usage *u, const char *word)
{
	size_t length = strcspn(word + 2, "=");
	const struct usage_entry *begins = NULL;

	for (const struct usage_entry *e = u->options; e->name; e++) {
		if (strncmp(e->name, word + 2, length) != 0)
			continue;
		if (!e->name[length])
			return e;
		begins = begins ? begins : e;
	}
	return begins;
}

/* Is one of the letters of `word`, "-q" or "-qoVALUE", the option? *value_follows: one takes a
 * value and has nothing of the word left for it. */
static bool is_letter(const struct usage *u, const char *word, const struct usage_entry *option,
		      bool *value_follows)
{
	for (size_t i = 1; word[i]; i++) {
		const struct usage_entry *e = usage_find_code(u, word[i]);

		if (e == option)
			return true;
		if (e && e->argument) {
			*value_follows = !word[i + 1];
			return false;
		}
	}
	return false;
}

static bool is_long(const struct usage *u, const char *word, const struct usage_entry *option,
		    bool *value_follows)
{
	const struct usage_entry *e = find_long(u, word);

	*value_follows = e && usage_takes_word(e) && !strchr(word, '=');
	return e == option;
}

/* Is the option among the words that getopt takes for options? */
static bool is_typed(const struct usage *u, const struct usage_entry *option, int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		const char *word = argv[i];
		bool value_follows = false;

		if (word[0] != '-' || !word[1]) {
			if (u->mode && *u->mode == '+')
				return false;
		} else if (word[1] == '-' ? is_long(u, word, option, &value_follows)
					  : is_letter(u, word, option, &value_follows))
			return true;
		i += value_follows;
	}
	return false;
}

/* Of options that replace one another the command line's is taken, else the one read last. */
static bool is_beaten(const struct config *c, const struct config_entry *e, int argc, char **argv)
{
	const struct usage *u = e->command->usage;

	if (!(e->option->flags & USAGE_EXCLUSIVE))
		return is_typed(u, e->option, argc, argv);
	for (const struct usage_entry *o = u->options; o->name; o++)
		if (o->flags & USAGE_EXCLUSIVE && is_typed(u, o, argc, argv))
			return true;
	for (const struct config_entry *later = e + 1; later < c->entry + c->count; later++)
		if (later->command == e->command && later->option->flags & USAGE_EXCLUSIVE)
			return true;
	return false;
}

/* 0, or -1: out of memory. */
static int add(const struct config_entry *e, char **argv, int *argc)
{
	const struct usage_entry *o = e->option;
	struct default_origin origin = {e->file,	 e->line, o->name,
					usage_letter(o), NULL,	  o->variable};

	if (!o->argument && !strcmp(e->value, "no"))
		return 0;
	if (o->variable) {
		if (options_variable(o->variable))
			return 0;
		complaint_note_default(&origin);
		return setenv(o->variable, o->argument ? e->value : "1", 1);
	}
	if (asprintf(&argv[*argc], "--%s%s%s", o->name, o->argument ? "=" : "",
		     o->argument ? e->value : "") < 0)
		return -1;
	origin.word = argv[*argc];
	complaint_note_default(&origin);
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
