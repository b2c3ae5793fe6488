// SPDX-License-Identifier: GPL-3.0-or-later
/* See usage.h. One pass, line by line; what an item is shows in its first line. */
#include "cli/help/usage.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define SYNOPSIS_INDENT 7 /* of "usage: " */

static size_t line_length(const char *line)
{
	return strcspn(line, "\n");
}

static const char *next_line(const char *line)
{
	line += line_length(line);
	return *line ? line + 1 : line;
}

static size_t indent(const char *line)
{
	return strspn(line, " ");
}

static bool begins(const char *line, const char *word)
{
	return !strncmp(line, word, strlen(word));
}

/* Two spaces, then a dash or a word in capitals. */
static bool is_entry(const char *line)
{
	return indent(line) == 2 && (line[2] == '-' || (isupper((unsigned char)line[2]) &&
							isupper((unsigned char)line[3])));
}

static enum usage_part part_of(const char *line)
{
	if (begins(line, "usage: ") || begins(line, "       scprof "))
		return USAGE_SYNOPSIS;
	if (begins(line, "environment:"))
		return USAGE_ENVIRONMENT;
	if (begins(line, "exit status:"))
		return USAGE_EXIT;
	if (!is_entry(line))
		return USAGE_TEXT;
	if (line[2] == '-')
		return USAGE_OPTION;
	return memchr(line + 2, '_', strcspn(line + 2, " \n")) ? USAGE_ENVIRONMENT : USAGE_OPERAND;
}

/* Does `line` go on with what such an item began? */
static bool continues(enum usage_part part, const char *line)
{
	size_t in = indent(line);

	if (!line[in] || line[in] == '\n')
		return false;
	switch (part) {
	case USAGE_SYNOPSIS:
		return in > SYNOPSIS_INDENT;
	case USAGE_TEXT:
		return part_of(line) == USAGE_TEXT;
	default:
		return in > 2;
	}
}

/* Spaces in a row are one. */
static void append(char *text, size_t size, const char *from, size_t length)
{
	size_t at = strlen(text);

	for (size_t i = 0; i < length && at + 2 < size; i++) {
		bool space = from[i] == ' ';

		if (space && (!at || text[at - 1] == ' '))
			continue;
		text[at++] = from[i];
	}
	while (at && text[at - 1] == ' ')
		at--;
	text[at] = '\0';
}

static void append_line(char *text, size_t size, const char *from, size_t length)
{
	size_t at = strlen(text);

	if (at && at + 2 < size) {
		text[at] = ' ';
		text[at + 1] = '\0';
	}
	append(text, size, from, length);
}

static void copy(char *to, size_t size, const char *from, size_t length)
{
	snprintf(to, size, "%.*s", (int)length, from);
}

/* "-o, --output OUT", "-q", "--by path|site": what stands before two spaces. Returns its length. */
static size_t take_entry(const char *line, size_t length, struct usage_item *item)
{
	const char *gap, *at = line + 2;
	size_t used = length, word;

	for (gap = at; gap + 1 < line + length; gap++)
		if (gap[0] == ' ' && gap[1] == ' ') {
			used = (size_t)(gap - line);
			break;
		}
	const char *end = line + used;
	if (item->part == USAGE_OPTION && at[1] != '-') {
		item->letter = at[1];
		at += 2;
		at += begins(at, ", ") ? 2 : 0;
	}
	word = strcspn(at, " \n");
	if (item->part != USAGE_OPTION || begins(at, "--")) {
		const char *name = item->part == USAGE_OPTION ? at + 2 : at;

		copy(item->name, sizeof(item->name), name, word - (size_t)(name - at));
		at += word;
	}
	at += *at == ' ' ? 1 : 0;
	if (at < end)
		copy(item->argument, sizeof(item->argument), at, (size_t)(end - at));
	return used;
}

bool usage_next(const char **at, struct usage_item *item)
{
	const char *line = *at;
	size_t skip = 0;

	while (*line == '\n')
		line++;
	*at = line;
	if (!*line)
		return false;
	*item = (struct usage_item){.part = part_of(line)};
	if (is_entry(line))
		skip = take_entry(line, line_length(line), item);
	else if (item->part != USAGE_TEXT)
		skip = strcspn(line, ":\n") + 1;
	if (item->part == USAGE_SYNOPSIS)
		skip = SYNOPSIS_INDENT;
	append(item->text, sizeof(item->text), line + skip, line_length(line) - skip);
	for (line = next_line(line); continues(item->part, line); line = next_line(line))
		append_line(item->text, sizeof(item->text), line, line_length(line));
	*at = line;
	return true;
}

bool usage_find(const char *usage, const char *name, char letter, struct usage_item *item)
{
	while (usage_next(&usage, item))
		if (item->part == USAGE_OPTION &&
		    (name ? !strcmp(item->name, name) : item->letter == letter))
			return true;
	return false;
}

/* Is `word` of the list of `words`? */
static bool is_listed(const char *words, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = words; (at = strstr(at, word)); at += length)
		if ((at == words || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
			return true;
	return false;
}

static void add_operand(const char *word, size_t length, char *words, size_t size)
{
	char bare[64];
	size_t at = strlen(words);

	for (; length && (*word == '[' || *word == '('); length--)
		word++;
	while (length && strchr("].)", word[length - 1]))
		length--;
	copy(bare, sizeof(bare), word, length);
	if (!length || !isupper((unsigned char)*word) || !strcmp(bare, "OPTION") ||
	    is_listed(words, bare))
		return;
	snprintf(words + at, size - at, "%s%s", at ? " " : "", bare);
}

/* "scprof", the command's name, then words; after an option without a bracket behind it
 * stands its argument. */
static void scan_synopsis(const char *text, char *words, size_t size)
{
	bool of_option = false;
	size_t length;

	for (int i = 0; *text; i++, text += length + strspn(text + length, " ")) {
		length = strcspn(text, " ");
		const char *bare = text + (*text == '[');
		bool closed = text[length - 1] == ']';

		if (i >= 2 && *bare != '-' && !of_option)
			add_operand(text, length, words, size);
		of_option = *bare == '-' && !closed && !(length == 2 && !strncmp(text, "--", 2));
	}
}

void usage_operands(const char *usage, char *words, size_t size)
{
	struct usage_item item;

	*words = '\0';
	while (usage_next(&usage, &item))
		if (item.part == USAGE_SYNOPSIS)
			scan_synopsis(item.text, words, size);
}
