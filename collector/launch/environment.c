// SPDX-License-Identifier: GPL-3.0-or-later
/* The variables, the list of what is preloaded among them, and where the library lies. */
#include "collector/launch/environment.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>

#include "collector/clocks/clocks.h"
#include "collector/duration.h"
#include "profile/base/kernel_file.h"
#include "profile/base/error.h"
#include "profile/base/words.h"
#include "stats/numerics/random.h"

bool environment_can_preload(const char *path)
{
	return !strpbrk(path, " :$\t\n");
}

#define SEPARATORS " :" /* of the words of an LD_PRELOAD */

/* AddressSanitizer's library ends the program unless it comes first, and its relatives take over
 * functions for their own use before others do. */
static bool is_sanitizer(const char *word)
{
	static const char *const names[] = {"libasan.so", "libhwasan.so", "liblsan.so",
					    "libtsan.so", "libubsan.so",  "libclang_rt."};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strncmp(basename(word), names[i], strlen(names[i])))
			return true;
	return false;
}

static void put_word(FILE *to, const char *word)
{
	fprintf(to, "%s%s", *word && ftell(to) > 0 ? ":" : "", word);
}

/* The words of the user's list that are sanitizers, or the others. */
static void put_words(FILE *to, const char *list, bool sanitizers)
{
	char word[PATH_MAX];

	while (words_next(&list, SEPARATORS, word, sizeof(word)))
		if (is_sanitizer(word) == sanitizers)
			put_word(to, word);
}

/* The first definition of a function is the one that is called. */
static void put_preload(FILE *to, const struct environment *e, const char *user)
{
	if (*e->before && !words_have(user, SEPARATORS, e->before))
		put_word(to, e->before);
	/* a list that names the library decides its place, and perhaps that of stubs before it */
	bool placed = strstr(user, "libscprof.so") || words_have(user, SEPARATORS, e->library);
	put_words(to, user, true);
	if (placed)
		put_words(to, user, false);
	put_word(to, e->stubs ? e->stubs : "");
	if (!words_have(user, SEPARATORS, e->library))
		put_word(to, e->library);
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

#define VARIABLES (ENVIRONMENT_WISHES + 10) /* with that of the stubs */

/* `tick` is where one of them is. */
static size_t list_variables(const struct environment *e, char tick[32],
			     struct environment_variable v[VARIABLES])
{
	const struct environment_variable own[] = {
		{"SCPROF_OUT", e->profiles, false},
		{"SCPROF_CLOCK", clocks_read_name(e->clock), false},
		{"SCPROF_TICK", e->page ? tick : NULL, false},
		{"SCPROF_CLOCK_PAGE", e->page, false},
		{"SCPROF_DETECTOR", NULL, true},
		{"SCPROF_STOPPED", e->stopped, false},
		{"SCPROF_CONTROL", e->control, false},
		{"SCPROF_CAUSAL", e->causal, false},
	};
	size_t count = sizeof(own) / sizeof(*own);

	duration_print_exact(e->tick_ns, tick, 32);
	memcpy(v, own, sizeof(own));
	for (size_t i = 0; i < ENVIRONMENT_WISHES && e->wish[i].name; i++)
		v[count++] = e->wish[i];
	return count;
}

int environment_set(const struct environment *e)
{
	struct environment_variable v[VARIABLES];
	char tick[32];
	size_t count = list_variables(e, tick, v);

	if (set_preload(e))
		return -1;
	for (size_t i = 0; i < count; i++)
		if (v[i].value	     ? setenv(v[i].name, v[i].value, 1)
		    : v[i].inherited ? 0
				     : unsetenv(v[i].name))
			return -1;
	return 0;
}

void environment_order_free(char **order)
{
	for (size_t i = 0; order && order[i]; i++)
		free(order[i]);
	free(order);
}

char **environment_order(const struct environment *e)
{
	struct environment_variable v[VARIABLES];
	char tick[32], **order = calloc(VARIABLES + 1, sizeof(*order));
	size_t used = 0, count = list_variables(e, tick, v);

	v[count++] = (struct environment_variable){"SCPROF_STUBS",
						   e->stubs && *e->stubs ? e->stubs : NULL, false};
	for (size_t i = 0; order && i < count; i++) {
		const char *value = v[i].value	     ? v[i].value
				    : v[i].inherited ? getenv(v[i].name)
						     : NULL;

		if (value && asprintf(&order[used++], "%s=%s", v[i].name, value) < 0) {
			order[used - 1] = NULL;
			environment_order_free(order);
			return NULL;
		}
	}
	return order;
}

/* The environment lies above the stack: as long as it is, so much lower the stack begins. */
int environment_set_layout(size_t bytes)
{
	char padding[ENVIRONMENT_LAYOUT_MOST + 1];
	int now = personality(0xffffffff);

	bytes = bytes < ENVIRONMENT_LAYOUT_MOST ? bytes : ENVIRONMENT_LAYOUT_MOST;
	memset(padding, '.', bytes);
	padding[bytes] = '\0';
	if (now != -1 && now & ADDR_NO_RANDOMIZE)
		personality((unsigned long)now & ~(unsigned long)ADDR_NO_RANDOMIZE);
	return setenv(ENVIRONMENT_LAYOUT_VARIABLE, padding, 1);
}

int environment_draw_layout(void)
{
	struct random r;

	random_seed(&r, random_fresh_seed());
	return environment_set_layout(random_below(&r, ENVIRONMENT_LAYOUT_MOST + 1));
}

#define LIBRARY "libscprof.so"

/* Relative to the executable, so that a build tree, a prefix and a package all work without
 * configuration. */
static const char *const places[] = {
	"",
	"../lib/",
	"../lib/scprof/",
	"../lib/" COLLECTOR_MULTIARCH "/",
};

static int accept_path(const char *candidate, char *path, size_t size)
{
	char real[PATH_MAX];

	if (!realpath(candidate, real) || access(real, R_OK) || strlen(real) >= size)
		return -1;
	memcpy(path, real, strlen(real) + 1);
	return 0;
}

int environment_find_library(char *path, size_t size, struct profile_error *err)
{
	char self[PATH_MAX], candidate[PATH_MAX + 64];
	const char *set = getenv("SCPROF_LIB");

	if (set && *set) {
		if (!accept_path(set, path, size))
			return 0;
		return error_set(err, "SCPROF_LIB is set to %.300s: %s", set, strerror(errno));
	}
	kernel_file_link(self, sizeof(self), "/proc/self/exe");
	char *slash = strrchr(self, '/');
	if (slash)
		slash[1] = '\0';
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		snprintf(candidate, sizeof(candidate), "%s%s" LIBRARY, self, places[i]);
		if (!accept_path(candidate, path, size))
			return 0;
	}
	return error_set(err,
			 "cannot find " LIBRARY " beside %.300s or in ../lib there.\n"
			 "Set SCPROF_LIB to its path, or install scprof as a whole.",
			 self);
}
