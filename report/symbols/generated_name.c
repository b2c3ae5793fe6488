// SPDX-License-Identifier: GPL-3.0-or-later
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/array.h"
#include "report/symbols/generated.h"
#include "report/wording/utf8.h"

#define ANONYMOUS "(anonymous)"

static const char *after(const char *text, const char *start)
{
	size_t n = strlen(start);

	return strncmp(text, start, n) == 0 ? text + n : NULL;
}

/* Cuts ":DIGITS" off. The number, 0 where there is none. */
static int cut_number(char *text)
{
	char *colon = strrchr(text, ':'), *end;

	if (!colon || !isdigit((unsigned char)colon[1]))
		return 0;
	long number = strtol(colon + 1, &end, 10);
	if (*end || number <= 0 || number > INT_MAX)
		return 0;
	*colon = '\0';
	return (int)number;
}

/* Where the place begins behind a function's name. Both may have spaces in them. */
static char *find_place(char *text)
{
	static const char *const starts[] = {" /", " file:", " node:"};
	char *first = NULL;

	for (unsigned i = 0; i < sizeof(starts) / sizeof(*starts); i++) {
		char *found = strstr(text, starts[i]);

		if (found && (!first || found < first))
			first = found;
	}
	return first ? first : strrchr(text, ' ');
}

/* "FUNCTION FILE:LINE:COLUMN", or LINE alone; what has no line is a name as a whole. */
static void parse_javascript(struct generated_name *n, char *text)
{
	int last = cut_number(text), before = last ? cut_number(text) : 0;
	char *place = last ? find_place(text) : NULL;
	const char *file;

	n->language = "javascript";
	n->function = text;
	if (place) {
		*place = '\0';
		file = after(place + 1, "file://");
		n->file = file ? file : place + 1;
		n->line = before ? before : last;
		n->column = before ? last : 0;
	}
	if (!*n->function)
		n->function = ANONYMOUS;
	n->brief = n->function;
}

/* What follows V8's tag, a mark of the compiler that made the code. NULL: there is none. */
static const char *after_tag(const char *text)
{
	static const char *const tags[] = {"JS:",     "LazyCompile:",	      "Function:", "Eval:",
					   "Script:", "InterpretedFunction:", "Module:",   NULL};
	const char *rest = NULL;

	for (unsigned i = 0; tags[i] && !rest; i++)
		rest = after(text, tags[i]);
	return rest && *rest && strchr("~^+*'", *rest) ? rest : NULL;
}

static bool parse_v8(struct generated_name *n)
{
	const char *mark = after_tag(n->text);

	if (!mark)
		return false;
	parse_javascript(n, n->text + (mark + 1 - n->text));
	return true;
}

/* A hidden class is called so with a number that is another in each run. */
static void cut_hidden_classes(char *text)
{
	for (char *at = strstr(text, "/0x"), *end; at; at = strstr(at, "/0x")) {
		for (end = at + 3; isxdigit((unsigned char)*end); end++)
			;
		memmove(at, end, strlen(end) + 1);
	}
}

static bool is_java_letter(char c)
{
	return isalnum((unsigned char)c) || strchr("._$<>/-[]", c) || (c & 0x80);
}

/* "RETURNED QUALIFIED(PARAMETERS)" */
static bool parse_hotspot(struct generated_name *n)
{
	char *open = strchr(n->text, '('), *space = strchr(n->text, ' '), *name;
	size_t length = strlen(n->text);

	if (!open || !space || space > open || n->text[length - 1] != ')')
		return false;
	for (char *c = n->text; c < open; c++)
		if (c != space && !is_java_letter(*c))
			return false;
	name = space + 1;
	if (!memchr(name, '.', (size_t)(open - name)) || memchr(name, '[', (size_t)(open - name)))
		return false;
	cut_hidden_classes(name);
	n->function = name;
	n->language = "java";
	return true;
}

/* "py::QUALIFIED:FILE" */
static bool parse_python(struct generated_name *n)
{
	char *name = after(n->text, "py::") ? n->text + 4 : NULL,
	     *file = name ? strchr(name, ':') : NULL;

	if (!file || file == name)
		return false;
	*file = '\0';
	n->function = n->brief = name;
	n->file = file + 1;
	n->language = "python";
	return true;
}

/* The text has room for the name twice: what comes before its parameters lies behind it. */
struct generated_name generated_name_parse(const char *name)
{
	size_t room = strlen(name) + 1;
	struct generated_name n = {.text = malloc(2 * room)};

	if (!n.text)
		return n;
	memcpy(n.text, name, room);
	if (parse_v8(&n) || parse_python(&n))
		return n;
	if (!parse_hotspot(&n)) {
		n.function = n.brief = n.text;
		return n;
	}
	n.brief = n.text + room;
	snprintf(n.text + room, room, "%.*s", (int)strcspn(n.function, "("), n.function);
	return n;
}

bool generated_name_is_library(const struct generated_name *n)
{
	static const char *const java[] = {"java.", "javax.", "jdk.", "sun.", "com.sun.", NULL};

	if (!n->language || !strcmp(n->language, "java")) {
		for (unsigned i = 0; n->language && java[i]; i++)
			if (after(n->function, java[i]))
				return true;
		return false;
	}
	return n->file &&
	       (after(n->file, "node:") || strstr(n->file, "/node_modules/") ||
		strstr(n->file, "/site-packages/") || strstr(n->file, "/dist-packages/"));
}

/* The number of a name among those that are kept, by function and place. */
static uint32_t number_of(struct generated_names *names, const struct generated_name *n)
{
	return string_index_take(&names->whole, n->file ? utf8_text("%s %s:%d:%d", n->function,
								    n->file, n->line, n->column)
							: strdup(n->function));
}

/* The one that is equal, if there is one, else a copy of `n`, whose text is taken. NULL: out of
 * memory. */
static const struct generated_name *keep_name(struct generated_names *names,
					      const struct generated_name *n, uint32_t number)
{
	struct generated_name *known;

	if (!array_reach((void **)&names->name, &names->room, number, sizeof(*known), 0)) {
		free(n->text);
		return NULL;
	}
	known = &names->name[number];
	if (known->text)
		free(n->text);
	else
		*known = *n;
	return known;
}

bool symbolize_generated_fill(struct generated_names *names, const struct jit_name *found,
			      struct symbol *out)
{
	struct generated_name n = generated_name_parse(found->name);

	out->module = found->map ? found->map : SYMBOLIZE_GENERATED_MODULE;
	out->module_name = base_name(out->module);
	if (!n.text || (!n.language && !strcmp(n.function, found->name))) {
		free(n.text);
		return false;
	}
	uint32_t number = number_of(names, &n);
	const struct generated_name *kept = keep_name(names, &n, number);
	if (!kept)
		return false;
	out->linker_name = names->whole.text[number];
	PROF_SET(out, kept, function, brief, language, file, column);
	out->library = generated_name_is_library(kept);
	out->line = out->declared = kept->line; /* the place is the function's */
	return true;
}

void symbolize_generated_free(struct generated_names *names)
{
	for (uint32_t i = 0; i < names->whole.count && i < names->room; i++)
		free(names->name[i].text);
	free(names->name);
	string_index_clear(&names->whole);
}
