// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof symbols`: what `scprof run -s` could choose, in the form in which it is chosen. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/select/selection.h"
#include "collector/select/stub_image.h"
#include "cli/cmd.h"
#include "collector/launch/environment.h"
#include "collector/launch/program.h"
#include "cli/run/recording.h"
#include "report/wording/utf8.h"

static const struct usage_entry usage_operands[] = {
	{.name = "PATTERN",
	 .text = "as for -s: a name, a glob, LIBRARY:NAME, !NAME, @FILE (default: all)"},
	{0}};

struct symbols_options {
	const char *stubs, *root;
};

static const struct usage_entry usage_options[] = {
	{"stubs", 0, "FILE",
	 .text = "write the object that has the symbols timed without `scprof run`: "
		 "LD_PRELOAD=FILE:libscprof.so PROGRAM",
	 .flags = USAGE_TYPED_ONLY, OPTIONS_MEMBER(TEXT, symbols_options, stubs)},
	{"sysroot", 0, "DIR",
	 .text = "PROGRAM is for another processor, whose libraries lie below DIR; SCPROF_LIB "
		 "names its libscprof.so",
	 .flags = USAGE_TYPED_ONLY, OPTIONS_MEMBER(TEXT, symbols_options, root)},
	USAGE_ENTRY_HELP,
	{0}};

const struct usage cmd_symbols_usage = {
	.command = "scprof symbols",
	.summary = "list the functions that `run -s` can time",
	.synopsis = {"[--stubs FILE] [--sysroot DIR] PROGRAM [PATTERN...]"},
	.text = "List the functions that `scprof run -s` can time in PROGRAM, as LIBRARY:NAME. The "
		"version follows where it is not the one for new programs. The source's name "
		"follows where the linker has another.",
	.words = "PROGRAM PATTERN",
	.mode = "+",
	.operands = usage_operands,
	.options = usage_options,
	.exit_status = "0, 1 nothing matches, 2 bad usage or an unusable program",
	USAGE_ENDS(2, 2),
};

/* Names come from files: without control characters. */
static void put_clean(const char *before, const char *name)
{
	fputs(before, stdout);
	utf8_put_clean(stdout, name, true);
}

static void print_symbol(const struct selection *c, const struct export *e, const struct exports *l)
{
	char *shown = selection_demangle(e->name, true);

	if (!selection_reason(c, e)) {
		put_clean("", l->soname);
		put_clean(":", e->name);
		if (e->version && !e->is_default)
			put_clean("\t@", e->version);
		if (shown && strcmp(shown, e->name) != 0)
			put_clean("\t", shown);
		putchar('\n');
	}
	free(shown);
}

static void print_all(const struct selection *c)
{
	for (size_t l = 0; l < c->libraries; l++)
		for (size_t i = 0; i < c->library[l].functions; i++)
			print_symbol(c, &c->library[l].function[i], &c->library[l]);
}

static void print_chosen(const struct selection *c)
{
	for (const struct selected_symbol *s = c->symbol; s < c->symbol + c->count; s++) {
		struct export e = {(char *)s->name, (char *)s->version, s->is_default, s->address,
				   false};

		print_symbol(c, &e, s->library);
	}
}

static int give(const struct selection *c, bool chosen, const char *stubs)
{
	struct profile_error err;

	if (stubs && stub_object_write(c, stubs, &err)) {
		say(err.text);
		return 2;
	}
	if (!stubs)
		(chosen ? print_chosen : print_all)(c);
	return 0;
}

static int list(const char *program, const char *patterns, const struct symbols_options *o)
{
	static struct program p;
	struct selection c = {0};
	struct symbol_patterns parsed = {0};
	struct profile_error err;
	char library[PATH_MAX];
	int status = 2;

	program_examine(program, &p);
	if (!*p.runner) {
		say(p.notice);
		return 2;
	}
	if (environment_find_library(library, sizeof(library), &err) ||
	    (patterns && symbol_pattern_parse(NULL, patterns, &parsed, &err)) ||
	    selection_open(&c, p.runner, library, o->root, &err)) {
		say(err.text);
	} else if (patterns && selection_resolve(&c, &parsed, &err)) {
		run_symbols_complain(&c, &err);
		status = 1;
	} else {
		status = give(&c, patterns, o->stubs);
	}
	selection_close(&c);
	symbol_pattern_free(&parsed);
	return status;
}

/* The patterns, separated by commas, as -s takes them; "" for none. 0, or -1. */
static int join(char **words, int count, char *list, size_t size)
{
	size_t at = 0;

	*list = '\0';
	for (int i = 0; i < count && at < size; i++)
		at += (size_t)snprintf(list + at, size - at, "%s%s", i ? "," : "", words[i]);
	return at < size ? 0 : -1;
}

int cmd_symbols(int argc, char **argv)
{
	struct symbols_options o = {0};
	char patterns[8192];
	int status = options_parse(&cmd_symbols_usage, argc, argv, NULL, &o);

	if (status != OPTIONS_GO)
		return status;
	if (optind == argc)
		return options_refuse(&cmd_symbols_usage,
				      "of which PROGRAM? scprof symbols --help");
	if (join(argv + optind + 1, argc - optind - 1, patterns, sizeof(patterns)))
		return options_refuse(
			&cmd_symbols_usage,
			"these are too many patterns for a command line: write them to a "
			"file, @FILE");
	if (o.stubs && !*patterns)
		return options_refuse(
			&cmd_symbols_usage,
			"stubs of which functions? Name a PATTERN after PROGRAM, such as "
			"'libssl*:SSL_*'");
	return list(argv[optind], *patterns ? patterns : NULL, &o);
}
