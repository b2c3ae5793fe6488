// SPDX-License-Identifier: GPL-3.0-or-later
/* The same rules as in the library, which must not print anything. */
#include "cli/run/run_slowest.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "collector/duration.h"
#include "cli/usage/quantity.h"
#include "cli/messages/say.h"
#include "cli/usage/options.h"
#include "include/scprof_format.h"

struct text {
	const char *from, *value; /* NULL: not set */
};

/* An empty variable is the same as none; an empty option is an error. */
static struct text choose(const char *option, const char *value, const char *variable)
{
	if (value)
		return (struct text){option, value};
	return (struct text){variable, options_variable(variable)};
}

static int check_count(struct text t)
{
	uint64_t n;

	if (!quantity_count(t.value, 1, SCP_SLOWEST_MAX, &n))
		return 0;
	say_format("%s: '%s' is no number of calls from 1 to %u", t.from, t.value, SCP_SLOWEST_MAX);
	return -1;
}

static int check_least(struct text t)
{
	uint64_t ns;

	if (!duration_parse(t.value, &ns))
		return 0;
	say_format("%s: '%s' is no duration; write a number and its unit: 50us, 1ms, 0.5s", t.from,
		   t.value);
	return -1;
}

/* No pattern of the list may be empty. */
static int check_patterns(struct text t)
{
	if (strlen(t.value) >= SCP_SLOWEST_PATTERNS) {
		say_format("%s: more than %u characters; shorten the names by globs", t.from,
			   SCP_SLOWEST_PATTERNS - 1);
		return -1;
	}
	for (const char *at = t.value;; at++) {
		size_t length = strcspn(at, ",");

		if (length <= (*at == '!')) {
			say_format(
				"%s: '%s' has an empty name in it; write names or globs, such as "
				"'send*,libssl*:SSL_*'",
				t.from, t.value);
			return -1;
		}
		at += length;
		if (!*at)
			return 0;
	}
}

int run_slowest_settle(const struct run_slowest *s)
{
	struct text count = choose("--slowest", s->count, "SCPROF_SLOWEST");
	struct text least = choose("--slower-than", s->least, "SCPROF_SLOWER_THAN");
	struct text patterns = choose("--slowest-of", s->patterns, "SCPROF_SLOWEST_OF");

	if (count.value && check_count(count))
		return -1;
	if (least.value && check_least(least))
		return -1;
	return patterns.value ? check_patterns(patterns) : 0;
}
