// SPDX-License-Identifier: GPL-3.0-or-later
#define HASH_NONFATAL_OOM 1
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

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

/* The part of `function` before its parameters, in the same memory. */
static void add_brief(struct generated_name *n)
{
	size_t all = strlen(n->text), whole = strlen(n->function);
	size_t brief = strcspn(n->function, "("), at = (size_t)(n->function - n->text);
	char *grown = realloc(n->text, all + brief + 2);

	if (!grown) {
		n->brief = n->function;
		return;
	}
	memcpy(grown + at + whole + 1, grown + at, brief);
	grown[at + whole + 1 + brief] = '\0';
	n->text = grown;
	n->function = grown + at;
	n->brief = n->function + whole + 1;
}

struct generated_name generated_name_parse(const char *name)
{
	struct generated_name n = {.text = strdup(name)};

	if (!n.text || parse_v8(&n) || parse_python(&n))
		return n;
	if (parse_hotspot(&n)) {
		add_brief(&n);
		return n;
	}
	n.function = n.brief = n.text;
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

struct generated_names {
	char *whole; /* function and place: the key */
	struct generated_name name;
	UT_hash_handle hh;
};

static void free_name(struct generated_names *n)
{
	if (!n)
		return;
	free(n->name.text);
	free(n->whole);
	free(n);
}

static struct generated_names *make_name(const char *text)
{
	struct generated_names *n = calloc(1, sizeof(*n));

	if (!n)
		return NULL;
	n->name = generated_name_parse(text);
	if (n->name.text &&
	    asprintf(&n->whole, n->name.file ? "%s %s:%d:%d" : "%s", n->name.function, n->name.file,
		     n->name.line, n->name.column) >= 0)
		return n;
	n->whole = NULL;
	free_name(n);
	return NULL;
}

/* The one that is equal, if there is one, in the place of `n`. NULL: out of memory. */
static struct generated_names *keep_name(struct generated_names **names, struct generated_names *n)
{
	struct generated_names *known = NULL;

	HASH_FIND_STR(*names, n->whole, known);
	if (!known) {
		HASH_ADD_KEYPTR(hh, *names, n->whole, strlen(n->whole), n);
		known = n->hh.tbl ? n : NULL;
	}
	if (known != n)
		free_name(n);
	return known;
}

bool symbolize_generated_fill(struct generated_names **names, const struct jit_name *found,
			      struct symbol *out)
{
	struct generated_names *n = make_name(found->name);

	out->module = found->map ? found->map : SYMBOLIZE_GENERATED_MODULE;
	out->module_name = base_name(out->module);
	if (n && !n->name.language && !strcmp(n->name.function, found->name)) {
		free_name(n);
		return false;
	}
	n = n ? keep_name(names, n) : NULL;
	if (!n)
		return false;
	out->linker_name = n->whole;
	PROF_SET(out, &n->name, function, brief, language);
	out->library = generated_name_is_library(&n->name);
	out->file = n->name.file; /* the place is the function's */
	out->line = out->declared = n->name.line;
	out->column = n->name.column;
	return true;
}

void symbolize_generated_free(struct generated_names *names)
{
	struct generated_names *n, *next;

	HASH_ITER(hh, names, n, next)
	{
		HASH_DEL(names, n);
		free_name(n);
	}
}
