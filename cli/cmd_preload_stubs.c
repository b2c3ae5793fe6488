// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof preload-stubs`: asked by libscprof.so, not by people. Under a bare LD_PRELOAD with
 * SCPROF_SYMBOLS it writes the stub object for a program that is about to start, and
 * answers in one line on standard output: "ok PATH", "none" where there is nothing to
 * do, or what is wrong. See preload/start/reexec.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/select/selection.h"
#include "cli/cmd.h"
#include "collector/launch/library_path.h"
#include "collector/launch/program.h"
#include "cli/run/run_symbols.h"

/* One line, whatever the message has; there was no -s. */
static void answer(const char *text)
{
	for (text += strncmp(text, "-s: ", 4) ? 0 : 4; *text; text++)
		putchar((unsigned char)*text < ' ' ? ' ' : *text);
	putchar('\n');
}

static void answer_with_object(const struct selection *c)
{
	char path[PATH_MAX];
	struct profile_error err;

	if (!c->count)
		answer("none");
	else if (run_symbols_store(c, "scprof-once", NULL, getenv("SCPROF_OUT"), path, sizeof(path),
				   &err))
		answer(err.text);
	else
		printf("ok %s\n", path);
}

static void resolve(const char *program, const char *groups, const char *symbols)
{
	struct selection c = {0};
	struct symbol_patterns parsed = {0};
	struct profile_error err;
	char library[PATH_MAX], text[1024];

	if (library_path_find(library, sizeof(library), &err) ||
	    symbol_pattern_parse(*groups ? groups : NULL, symbols && *symbols ? symbols : NULL,
				 &parsed, &err) ||
	    selection_open(&c, program, library, NULL, &err) ||
	    selection_resolve(&c, &parsed, &err)) {
		run_symbols_explain(&c, &err, text, sizeof(text));
		answer(text);
	} else {
		answer_with_object(&c);
	}
	selection_close(&c);
	symbol_pattern_free(&parsed);
}

int cmd_preload_stubs(int argc, char **argv)
{
	const char *preload = getenv("SCPROF_PRELOAD");
	const char *groups = getenv("SCPROF_GROUPS");
	static struct run_options o;
	struct profile_error err;

	if (argc != 2) {
		fputs("usage: scprof preload-stubs PROGRAM   (for libscprof.so)\n", stderr);
		return 2;
	}
	/* From here on for those that we start: the program's loader lists what it would load. */
	if (preload && *preload && setenv("LD_PRELOAD", preload, 1))
		return 1;
	if (groups && *groups && run_options_take_groups(&o, groups, &err))
		answer(err.text);
	else
		resolve(argv[1], o.ready_made, getenv("SCPROF_SYMBOLS"));
	return fflush(stdout) || ferror(stdout) ? 1 : 0;
}
