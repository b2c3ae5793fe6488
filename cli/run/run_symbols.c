// SPDX-License-Identifier: GPL-3.0-or-later
/* A name that matches nothing is an error before the run, not after it. */
#include "cli/run/recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/statvfs.h>

#include "collector/attach/target/as_user.h"
#include "collector/select/stub_image.h"
#include "stats/numerics/random.h"
#include "cli/messages/complaint.h"
#include "profile/base/error.h"

void run_symbols_complain(const struct selection *c, const struct profile_error *err)
{
	if (!c->unmatched)
		say(err->text);
	else if (c->unmatched->library)
		say_format("%s.\n`scprof symbols PROGRAM` lists what can be chosen", err->text);
	else
		say_format("%s.\n`scprof symbols PROGRAM` lists what can be chosen; a library that "
			   "the\nprogram opens later is chosen as LIBRARY:NAME",
			   err->text);
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

/* Opens the mapped files of a running process with the rights of its user. */
static int open_mapped(struct selection *c, const struct run_filters *f, const char *library,
		       struct profile_error *err)
{
	const struct as_user user = {.uid = f->uid, .gid = f->gid};
	struct as_user_before before;
	struct names mapped;
	char exe[64];
	int failed = library_closure_find_mapped(f->process, &mapped, err);

	if (!failed && (failed = as_user_begin(&user, &before)))
		error_set(err, "-s: cannot take the rights of user %u", (unsigned)f->uid);
	if (failed) {
		exports_free_names(&mapped);
		return -1;
	}
	snprintf(exe, sizeof(exe), "/proc/%d/exe", (int)f->process);
	failed = selection_open_mapped(c, exe, library, &mapped, err);
	as_user_end(&before);
	return failed;
}

int run_symbols_resolve(struct recording *r, const char *program)
{
	const struct run_options *o = &r->options;
	struct selection *chosen = &r->chosen;
	struct profile_error err;

	if (!recording_wants_stubs(r))
		return 0;
	if (symbol_pattern_parse(o->ready_made, o->symbols, &r->patterns, &err))
		return say(err.text);
	if ((o->filters.process ? open_mapped(chosen, &o->filters, r->library, &err)
				: selection_open(chosen, program, r->library, NULL, &err)) ||
	    selection_resolve(chosen, &r->patterns, &err)) {
		run_symbols_complain(chosen, &err);
		return -1;
	}
	if (!chosen->count && o->only_ready_made)
		return say_format(
			"-g %s: neither the program nor this machine has any of its functions.\n"
			"`scprof symbols PROGRAM` lists what can be chosen",
			o->groups);
	say_left_out(chosen);
	return 0;
}

/* Shared memory is often mounted noexec: the loader would refuse the object. */
static bool may_hold_code(const char *directory)
{
	struct statvfs fs;

	return directory && *directory == '/' && !statvfs(directory, &fs) &&
	       !(fs.f_flag & ST_NOEXEC) && environment_can_preload(directory);
}

int run_symbols_write(struct recording *r, const char *directory, const char *beside)
{
	struct profile_error err = {"no directory to write the stubs to: all are mounted noexec"};
	const char *const places[] = {directory, beside, getenv("TMPDIR"), "/tmp", "/var/tmp"};

	if (!r->chosen.count)
		return 0;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		if (!may_hold_code(places[i]))
			continue;
		snprintf(r->stubs, sizeof(r->stubs), "%s/scprof-symbols-%016llx.so", places[i],
			 (unsigned long long)random_fresh_seed());
		if (!stub_object_write(&r->chosen, r->stubs, &err))
			return 0;
	}
	*r->stubs = '\0';
	return say_format("-s: %s", err.text);
}
