// SPDX-License-Identifier: GPL-3.0-or-later
/* While options are read, getopt's optarg points into the word of the current one; later it is
 * NULL, and a message names the option or variable. Only defaults in force are noted. */
#include "cli/messages/default_origin.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define MOST 256 /* options of one command */

static struct default_origin origins[MOST];
static size_t count;

void default_origin_note(const struct default_origin *origin)
{
	if (count < MOST)
		origins[count++] = *origin;
}

static bool is_of(const struct default_origin *o, const char *value)
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

static bool is_named(const struct default_origin *o, const char *text)
{
	const char letter[] = {o->letter, '\0'};

	return begins(text, "--", o->option) || (*letter && begins(text, "-", letter)) ||
	       (o->variable && begins(text, "", o->variable));
}

const char *default_origin_of(const char *text)
{
	static char where[4200];

	*where = '\0';
	for (size_t i = 0; i < count; i++)
		if (optarg ? is_of(&origins[i], optarg) : is_named(&origins[i], text))
			snprintf(where, sizeof(where), "%s:%u: ", origins[i].file, origins[i].line);
	return where;
}
