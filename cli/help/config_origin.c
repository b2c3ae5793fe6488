// SPDX-License-Identifier: GPL-3.0-or-later
/* getopt's optarg points into the word that is being judged and is NULL when all are read; what is
 * judged later is called by its option or variable. Only what is in force is noted: a default that
 * was beaten is not to blame. */
#include "cli/help/config_origin.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cli/help/usage.h"

#define MOST 256 /* options of one command */

static struct origin {
	const struct config_entry *entry;
	const char *word, *variable;
} origins[MOST];
static size_t count;

void config_origin_note(const struct config_entry *e, const char *word, const char *variable)
{
	if (count < MOST)
		origins[count++] = (struct origin){e, word, variable};
}

static bool is_of(const struct origin *o, const char *value)
{
	return o->word && value >= o->word && value <= o->word + strlen(o->word);
}

static bool begins(const char *text, const char *dashes, const char *name)
{
	size_t length = strlen(dashes) + strlen(name);

	return !strncmp(text, dashes, strlen(dashes)) &&
	       !strncmp(text + strlen(dashes), name, strlen(name)) &&
	       (text[length] == ':' || text[length] == ' ');
}

static bool is_named(const struct origin *o, const char *text)
{
	struct usage_item item;
	char letter[2] = "";

	if (usage_find(o->entry->command->usage, o->entry->option, 0, &item))
		*letter = item.letter;
	return begins(text, "--", o->entry->option) || (*letter && begins(text, "-", letter)) ||
	       (o->variable && begins(text, "", o->variable));
}

const char *config_origin_of(const char *text)
{
	static char where[4200];

	*where = '\0';
	for (size_t i = 0; i < count; i++)
		if (optarg ? is_of(&origins[i], optarg) : is_named(&origins[i], text))
			snprintf(where, sizeof(where), "%s:%u: ", origins[i].entry->file,
				 origins[i].entry->line);
	return where;
}
