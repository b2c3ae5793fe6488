// SPDX-License-Identifier: GPL-3.0-or-later
/* The only place in the tool that knows the names of the variables. */
#include "collector/launch/environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/clocks/clocks.h"
#include "collector/duration.h"

bool environment_can_preload(const char *path)
{
	return !strpbrk(path, " :$\t\n");
}

#define SEPARATORS " :" /* of the words of an LD_PRELOAD */

/* Is `name` one of the words of an LD_PRELOAD? */
static bool is_listed(const char *list, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = list; *at; at += strspn(at, SEPARATORS)) {
		size_t word = strcspn(at, SEPARATORS);

		if (word == length && !strncmp(at, name, length))
			return true;
		at += word;
	}
	return false;
}

/* AddressSanitizer's library ends the program unless it comes first, and its relatives take over
 * functions for their own use before others do. */
static bool is_sanitizer(const char *word, size_t length)
{
	static const char *const names[] = {"libasan.so", "libhwasan.so", "liblsan.so",
					    "libtsan.so", "libubsan.so",  "libclang_rt."};
	const char *slash = memrchr(word, '/', length), *file = slash ? slash + 1 : word;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if ((size_t)(word + length - file) >= strlen(names[i]) &&
		    !strncmp(file, names[i], strlen(names[i])))
			return true;
	return false;
}

static void put_word(FILE *to, const char *word, size_t length)
{
	if (length)
		fprintf(to, "%s%.*s", ftell(to) > 0 ? ":" : "", (int)length, word);
}

/* The words of the user's list that are sanitizers, or the others. */
static void put_words(FILE *to, const char *list, bool sanitizers)
{
	for (size_t length; *list; list += length) {
		list += strspn(list, SEPARATORS);
		length = strcspn(list, SEPARATORS);
		if (is_sanitizer(list, length) == sanitizers)
			put_word(to, list, length);
	}
}

/* The first definition of a function is the one that is called. */
static void put_preload(FILE *to, const struct environment *e, const char *user)
{
	const char *stubs = e->stubs ? e->stubs : "";

	if (*e->before && !is_listed(user, e->before))
		put_word(to, e->before, strlen(e->before));
	/* a list that names the library decides its place, and perhaps that of stubs before it */
	bool placed = strstr(user, "libscprof.so") || is_listed(user, e->library);
	put_words(to, user, true);
	if (placed)
		put_words(to, user, false);
	put_word(to, stubs, strlen(stubs));
	if (!is_listed(user, e->library))
		put_word(to, e->library, strlen(e->library));
	if (!placed)
		put_words(to, user, false);
}

static int set_preload(const struct environment *e)
{
	const char *user = getenv("LD_PRELOAD");
	char *list = NULL;
	size_t size;
	FILE *to = open_memstream(&list, &size);

	if (!to)
		return -1;
	put_preload(to, e, user ? user : "");
	int failed = fclose(to) || setenv("LD_PRELOAD", list, 1);
	free(list);
	return failed;
}

static int set_or_unset(const char *name, const char *value)
{
	return value ? setenv(name, value, 1) : unsetenv(name);
}

/* A filter that is not set must not come from our own environment either. */
static int set_filters(const struct environment_filters *f)
{
	return set_or_unset("SCPROF_BELOW", f->below) ||
	       set_or_unset("SCPROF_BELOW_RANGES", f->below_ranges) ||
	       set_or_unset("SCPROF_THREADS", f->threads) ||
	       set_or_unset("SCPROF_DEPTH", f->depth) || set_or_unset("SCPROF_AFTER", f->after) ||
	       set_or_unset("SCPROF_FOR", f->length) || set_or_unset("SCPROF_SIGNAL", f->signal) ||
	       set_or_unset("SCPROF_STOPPED", f->stopped) ||
	       set_or_unset("SCPROF_CONTROL", f->control);
}

static int set_if(const char *name, const char *value)
{
	return value ? setenv(name, value, 1) : 0;
}

int environment_set(const struct environment *e)
{
	char tick[32];

	duration_print_exact(e->tick_ns, tick, sizeof(tick));
	if (set_preload(e) || setenv("SCPROF_OUT", e->profiles, 1) ||
	    setenv("SCPROF_CLOCK", clocks_read_name(e->clock), 1) ||
	    set_or_unset("SCPROF_TICK", e->page ? tick : NULL) ||
	    set_or_unset("SCPROF_CLOCK_PAGE", e->page) || set_if("SCPROF_GROUPS", e->groups) ||
	    set_if("SCPROF_SLOWEST", e->slowest) || set_if("SCPROF_SLOWER_THAN", e->slower_than) ||
	    set_if("SCPROF_SLOWEST_OF", e->slowest_of) || set_if("SCPROF_STATES", e->states) ||
	    set_if("SCPROF_VERIFY_PATHS", e->verify_paths) || set_filters(&e->filters))
		return -1;
	return 0;
}
