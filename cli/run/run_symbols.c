// SPDX-License-Identifier: GPL-3.0-or-later
/* A name that matches nothing is an error before the run, not after it. */
#include "cli/run/run_symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "collector/attach/target/as_user.h"
#include "collector/launch/environment.h"
#include "collector/select/stub_object.h"
#include "cli/messages/nearest.h"
#include "stats/numerics/random.h"
#include "cli/messages/say.h"

/* All names in the libraries that the pattern can refer to. */
static size_t collect_names(const struct selection *c, const char **names)
{
	size_t n = 0;

	for (size_t l = 0; l < c->libraries; l++) {
		if (!symbol_pattern_has_library(c->unmatched, &c->library[l]))
			continue;
		for (size_t i = 0; i < c->library[l].functions; i++)
			if (!selection_reason(c, &c->library[l].function[i]))
				names[n++] = c->library[l].function[i].name;
	}
	return n;
}

static void find_near(const struct selection *c, char *text, size_t size)
{
	size_t room = 1;

	for (size_t l = 0; l < c->libraries; l++)
		room += c->library[l].functions;
	const char **names = calloc(room, sizeof(*names));
	if (names)
		nearest_names(c->unmatched->name, names, collect_names(c, names), text, size);
	free(names);
}

void run_symbols_complain(const struct selection *c, const struct profile_error *err)
{
	char near[256] = "";

	if (c->unmatched && c->unmatched->is_exact)
		find_near(c, near, sizeof(near));
	if (!c->unmatched)
		say(err->text);
	else if (*near)
		say_format("%s.\nNear: %s", err->text, near);
	else
		say_format("%s.\n`scprof symbols PROGRAM` lists what can be chosen%s", err->text,
			   c->unmatched->library ? ""
						 : "; a library that the\nprogram opens later is "
						   "chosen as LIBRARY:NAME");
}

static void say_left_out(const struct selection *c)
{
	char names[256] = "";
	size_t at = 0;

	for (size_t i = 0; i < 4 && i < c->left_out && at < sizeof(names); i++)
		at += (size_t)snprintf(names + at, sizeof(names) - at, "%s%s", i ? ", " : "",
				       c->left_out_names[i]);
	if (c->left_out)
		say_format("-s leaves out %zu functions that cannot be chosen: %s%s", c->left_out,
			   names, c->left_out > 4 ? ", ..." : "");
}

static int parse(const struct run_options *options, struct selection *chosen,
		 struct symbol_patterns *parsed)
{
	struct profile_error err;

	*chosen = (struct selection){0};
	if (!symbol_pattern_parse(options->ready_made, options->symbols, parsed, &err))
		return 0;
	say(err.text);
	return -1;
}

/* `failed`: selection_open did. */
static int choose(const struct run_options *options, struct selection *chosen,
		  struct symbol_patterns *parsed, int failed, struct profile_error *err)
{
	if (failed || selection_resolve(chosen, parsed, err)) {
		run_symbols_complain(chosen, err);
		return -1;
	}
	if (!chosen->count && options->only_ready_made) {
		say_format("-g %s: neither the program nor this machine has any of its functions.\n"
			   "`scprof symbols PROGRAM` lists what can be chosen",
			   options->groups);
		return -1;
	}
	say_left_out(chosen);
	return 0;
}

int run_symbols_resolve(const struct run_options *options, const struct program *program,
			const char *library, struct selection *chosen,
			struct symbol_patterns *parsed)
{
	struct profile_error err;

	if (parse(options, chosen, parsed))
		return -1;
	return choose(options, chosen, parsed,
		      selection_open(chosen, program->runner, library, NULL, &err), &err);
}

int run_symbols_resolve_mapped(const struct run_options *options, pid_t pid, uid_t uid, gid_t gid,
			       const char *program, const char *library, struct selection *chosen,
			       struct symbol_patterns *parsed)
{
	struct profile_error err;
	struct library_closure mapped;

	if (parse(options, chosen, parsed))
		return -1;
	if (library_closure_find_mapped(pid, &mapped, &err)) {
		library_closure_free(&mapped);
		say(err.text);
		return -1;
	}
	const struct as_user user = {.uid = uid, .gid = gid};
	struct as_user_before before;

	if (as_user_begin(&user, &before)) {
		library_closure_free(&mapped);
		say_format("-s: cannot take the rights of user %u", (unsigned)uid);
		return -1;
	}
	int failed = choose(options, chosen, parsed,
			    selection_open_mapped(chosen, program, library, &mapped, &err), &err);
	as_user_end(&before);
	return failed;
}

/* Shared memory is often mounted noexec: the loader would refuse the object. */
static bool may_hold_code(const char *directory)
{
	struct statvfs fs;

	return directory && *directory == '/' && !statvfs(directory, &fs) &&
	       !(fs.f_flag & ST_NOEXEC) && environment_can_preload(directory);
}

int run_symbols_write(const struct selection *chosen, const char *directory, const char *beside,
		      char *path, size_t size)
{
	struct profile_error err = {"no directory to write the stubs to: all are mounted noexec"};
	const char *const places[] = {directory, beside, getenv("TMPDIR"), "/tmp", "/var/tmp"};

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		if (!may_hold_code(places[i]))
			continue;
		snprintf(path, size, "%s/scprof-symbols-%016llx.so", places[i],
			 (unsigned long long)random_fresh_seed());
		if (!stub_object_write(chosen, path, &err))
			return 0;
	}
	*path = '\0';
	say_format("-s: %s", err.text);
	return -1;
}
