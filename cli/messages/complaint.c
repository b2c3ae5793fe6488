// SPDX-License-Identifier: GPL-3.0-or-later
/* What a message repeats of arguments and names comes from outside. Each message is one write, so
 * that it does not mix with the output of the command. */
#include "cli/messages/complaint.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/error.h"
#include "report/wording/terminal.h"
#include "report/wording/utf8.h"

#define MOST 256 /* options of one command */

static struct default_origin origins[MOST];
static size_t origins_noted;

void complaint_note_default(const struct default_origin *origin)
{
	if (origins_noted < MOST)
		origins[origins_noted++] = *origin;
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

/* "FILE:LINE: " of the default that `text` complains of: the one whose value getopt has just handed
 * out, else the one whose option or variable `text` begins with. While options are read, getopt's
 * optarg points into the word of the current one; later it is NULL, and a message names the option
 * or variable. "" for anything else. */
static const char *origin_of(const char *text)
{
	static char where[4200];

	*where = '\0';
	for (size_t i = 0; i < origins_noted; i++)
		if (optarg ? is_of(&origins[i], optarg) : is_named(&origins[i], text))
			snprintf(where, sizeof(where), "%s:%u: ", origins[i].file, origins[i].line);
	return where;
}

static void put_clean(FILE *to, const char *text, size_t length, bool utf8)
{
	char *copy = strndup(text, length), *clean = copy ? utf8_clean(copy, utf8) : NULL;

	fputs(clean ? clean : "out of memory", to);
	free(copy);
	free(clean);
}

/* `lines`: as many as the text has, the later ones behind `indent`; else it is one. */
static int print(const char *command, const char *text, bool lines, const char *indent)
{
	const char *from = origin_of(text);
	bool utf8 = terminal_of(stderr, 0).utf8;
	char *message = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&message, &size);

	if (!to)
		return -1;
	fprintf(to, "%s: ", command);
	put_clean(to, from, strlen(from), utf8);
	for (size_t length;; text += length + 1) {
		length = lines ? strcspn(text, "\n") : strlen(text);
		put_clean(to, text, length, utf8);
		fputc('\n', to);
		if (!text[length])
			break;
		fputs(indent, to);
	}
	if (!fclose(to))
		fwrite(message, 1, size, stderr);
	fflush(stderr);
	free(message);
	return -1;
}

int complaint_print(const char *command, const char *text)
{
	return print(command, text, false, "");
}

int complaint_say(const char *command, const char *format, ...)
{
	char text[1536];

	FORMAT_BY(vsnprintf, text, sizeof(text), format);
	return complaint_print(command, text);
}

int complaint_lines(const char *command, const char *text)
{
	return print(command, text, true, "");
}

int say(const char *text)
{
	return print("scprof", text, true, "        ");
}

int say_format(const char *format, ...)
{
	char text[1900];

	FORMAT_BY(error_format, text, sizeof(text), format);
	return say(text);
}

#define LONGEST 31

static size_t least(size_t a, size_t b, size_t c)
{
	size_t ab = a < b ? a : b;

	return ab < c ? ab : c;
}

static size_t distance(const char *a, const char *b)
{
	size_t la = strlen(a), lb = strlen(b), d[LONGEST + 1][LONGEST + 1];

	if (la > LONGEST || lb > LONGEST)
		return LONGEST;
	for (size_t i = 0; i <= la; i++)
		for (size_t j = 0; j <= lb; j++) {
			if (!i || !j) {
				d[i][j] = i + j;
				continue;
			}
			d[i][j] = least(d[i - 1][j] + 1, d[i][j - 1] + 1,
					d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1, LONGEST);
		}
	return d[la][lb];
}

const char *nearest_name(const char *word, const char *const *names, size_t count)
{
	const char *best = NULL;
	size_t best_distance = 3; /* beyond that it is another word */

	for (size_t i = 0; i < count; i++) {
		size_t near = distance(word, names[i]);

		/* more than half of the letters agree */
		if (near < best_distance && 2 * near < strlen(names[i])) {
			best = names[i];
			best_distance = near;
		}
	}
	return best;
}
