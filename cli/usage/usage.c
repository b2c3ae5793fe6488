// SPDX-License-Identifier: GPL-3.0-or-later
/* The text of --help. The texts of entries are aligned behind the widest heading, except for a few
 * headings that are far wider: behind such a heading the text follows on the same line if all of it
 * fits there, or else begins on the next. */
#include "cli/usage/options.h"

#include <string.h>

#define WIDTH	     90
#define ENTRY_INDENT 2
#define GAP	     2	  /* between heading and text */
#define WIDEST	     22	  /* heading that the others are aligned with */
#define USAGE_OTHERS 1024 /* and more: codes of options without one */
#define EXIT	     "exit status: "

int usage_code(const struct usage *u, const struct usage_entry *option)
{
	return option->code ? option->code : USAGE_OTHERS + (int)(option - u->options);
}

const struct usage_entry *usage_find(const struct usage *u, const char *name)
{
	for (const struct usage_entry *e = u->options; e->name; e++)
		if (!strcmp(e->name, name))
			return e;
	return NULL;
}

const struct usage_entry *usage_find_code(const struct usage *u, int code)
{
	for (const struct usage_entry *e = u->options; e->name; e++)
		if (usage_code(u, e) == code)
			return e;
	return NULL;
}

bool usage_takes_word(const struct usage_entry *option)
{
	return option->argument && *option->argument != '[';
}

char usage_letter(const struct usage_entry *option)
{
	return option->code < USAGE_JSON ? (char)option->code : '\0';
}

size_t usage_names(const struct usage *u, unsigned without, const char **names, size_t most)
{
	size_t count = 0;

	for (const struct usage_entry *e = u->options; e->name && count < most; e++)
		if (!(e->flags & without))
			names[count++] = e->name;
	return count;
}

/* Up to the next space, but what stands in brackets is kept together. */
static size_t word_length(const char *text)
{
	size_t length = 0;
	int open = 0;

	for (; text[length] && text[length] != '\n' && (text[length] != ' ' || open > 0); length++)
		open += (text[length] == '[') - (text[length] == ']');
	return length;
}

/* From column `at` on; later lines are indented. */
static void wrap(FILE *out, const char *text, size_t at, size_t indent)
{
	bool begins = true;

	while (*text) {
		size_t length = begins && *text == ' ' ? strcspn(text, "\n") : word_length(text);

		if (!begins && at + 1 + length > WIDTH) {
			fprintf(out, "\n%*s", (int)indent, "");
			at = indent;
		} else if (!begins) {
			fputc(' ', out);
			at++;
		}
		fprintf(out, "%.*s", (int)length, text);
		at += length;
		text += length;
		begins = *text == '\n';
		if (begins) {
			fprintf(out, "\n%*s", (int)indent, "");
			at = indent;
		}
		text += *text != '\0';
	}
	fputc('\n', out);
}

void usage_heading(const struct usage_entry *option, char *text, size_t size)
{
	char letter[] = {'-', usage_letter(option), ',', ' ', '\0'};

	snprintf(text, size, "%s%s%s%s%s", letter[1] ? letter : "",
		 option->code || option->sets.type ? "--" : "", option->name,
		 usage_takes_word(option) ? " " : "", option->argument ? option->argument : "");
}

void usage_print_text(const char *text, size_t indent, FILE *out)
{
	fprintf(out, "%*s", (int)indent, "");
	wrap(out, text, indent, indent);
}

static void print_entry(const char *heading, const char *text, size_t column, FILE *out)
{
	size_t at = ENTRY_INDENT + strlen(heading);

	fprintf(out, "%*s%s", ENTRY_INDENT, "", heading);
	if (at + GAP > column && at + GAP + strlen(text) > WIDTH) {
		fputc('\n', out);
		at = 0;
	}
	if (at + GAP > column)
		column = at + GAP;
	fprintf(out, "%*s", (int)(column - at), "");
	wrap(out, text, column, column);
}

/* The column where the texts of a table begin. */
static size_t column_of(const struct usage_entry *e)
{
	char heading[128];
	size_t column = 0;

	for (; e && e->name; e++) {
		usage_heading(e, heading, sizeof(heading));
		if (strlen(heading) <= WIDEST && strlen(heading) + ENTRY_INDENT + GAP > column)
			column = strlen(heading) + ENTRY_INDENT + GAP;
	}
	return column;
}

static void print_entries(const struct usage_entry *e, size_t column, FILE *out)
{
	char heading[128];

	for (; e && e->name; e++) {
		usage_heading(e, heading, sizeof(heading));
		print_entry(heading, e->text, column, out);
	}
}

void usage_print_head(const struct usage *u, FILE *out)
{
	for (size_t i = 0; u->synopsis[i]; i++) {
		size_t used = (size_t)fprintf(out, "%s%s ", i ? "       " : "usage: ", u->command);

		wrap(out, u->synopsis[i], used, used);
	}
	wrap(out, u->text, 0, 0);
	fputc('\n', out);
}

void usage_print_entries(const struct usage *u, FILE *out)
{
	size_t operands = column_of(u->operands), column = column_of(u->options);

	column = operands > column ? operands : column;
	print_entries(u->operands, column, out);
	print_entries(u->options, column, out);
	fputc('\n', out);
}

void usage_exit_status(const struct usage *u, char text[USAGE_EXIT_BYTES])
{
	snprintf(text, USAGE_EXIT_BYTES, "%s. Also %d: standard output cannot be written",
		 u->exit_status, u->failure);
}

void usage_print_tail(const struct usage *u, FILE *out)
{
	char text[USAGE_EXIT_BYTES];

	if (u->note) {
		wrap(out, u->note, 0, 0);
		fputc('\n', out);
	}
	if (u->variables) {
		fprintf(out, "environment:%s%s\n", u->variables_text ? " " : "",
			u->variables_text ? u->variables_text : "");
		print_entries(u->variables, column_of(u->variables), out);
	}
	fputs(EXIT, out);
	usage_exit_status(u, text);
	wrap(out, text, strlen(EXIT), strlen(EXIT));
}

void usage_print(const struct usage *u, FILE *out)
{
	usage_print_head(u, out);
	usage_print_entries(u, out);
	usage_print_tail(u, out);
}
