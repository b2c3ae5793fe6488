// SPDX-License-Identifier: GPL-3.0-or-later
/* Applies the environment where no option is given, and checks both: all values are checked before
 * the command starts. The rules are those of the library, which must not print anything. */
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/messages/complaint.h"
#include "cli/run/run_again.h"
#include "collector/clocks/clocks.h"
#include "collector/clocks/ticker.h"
#include "collector/duration.h"
#include "collector/sample/sampler.h"
#include "profile/base/symbol_pattern.h"

#define NAME_MOST 15  /* characters of a thread's name */
#define LIST_MOST 900 /* of all patterns together: the profile has them */

static int check_clock(const char *from, const char *name, struct run_options *o)
{
	o->clock = clocks_read_parse(name);
	if (o->clock != SCP_CLOCK_NONE)
		return 0;
	return say_format("%s: no clock is called '%s'.\nThere are: %s", from, name,
			  clocks_read_names);
}

/* A group that the library has wrappers for. "none" is set by an outer `scprof run`. */
static bool is_built_in(const char *name, size_t length)
{
	static const char known[] = ",socket,io,wait,resolve,region,functions,all,none,";
	char word[32];

	snprintf(word, sizeof(word), ",%.*s,", (int)length, name);
	return length && length < sizeof(word) - 2 && strstr(known, word);
}

/* There is room for each once: a repeated one is dropped. */
static void add_group(char *list, size_t size, const char *text, size_t length)
{
	size_t at = strlen(list);

	if (at + length + 2 <= size)
		sprintf(list + at, "%s%.*s", at ? "," : "", (int)length, text);
}

/* Sets o->groups, built_in (the library has wrappers for them), ready_made (patterns of -s) and
 * only_ready_made. */
static int check_groups(const char *from, const char *list, struct run_options *o)
{
	o->groups = list;
	*o->built_in = *o->ready_made = '\0';
	for (const char *at = list;; at++) {
		size_t length = strcspn(at, ",");
		const char *patterns = symbol_pattern_group(at, length);

		if (is_built_in(at, length)) {
			add_group(o->built_in, sizeof(o->built_in), at, length);
		} else if (!patterns) {
			return say_format("%s: no group is called '%.*s'. There are: socket, io, "
					  "wait, resolve, region, functions, all; of libraries: %s",
					  from, (int)length, at, symbol_pattern_groups);
		} else if (!strstr(o->ready_made, patterns)) {
			add_group(o->ready_made, sizeof(o->ready_made), patterns, strlen(patterns));
		}
		at += length;
		if (!*at)
			break;
	}
	o->only_ready_made = !*o->built_in;
	if (o->only_ready_made)
		strcpy(o->built_in, "none");
	return 0;
}

static int check_states(const char *from, const char *text, struct run_options *o)
{
	(void)o;
	if (!strcmp(text, "off") || !strcmp(text, "budget") || !strcmp(text, "exact"))
		return 0;
	return say_format("%s: '%s' is not off, budget or exact", from, text);
}

static int check_sample(const char *from, const char *text, struct run_options *o)
{
	if (!strcmp(text, "off")) {
		o->sample_ns = 0;
		return 0;
	}
	if (!duration_parse(text, &o->sample_ns) && o->sample_ns >= SAMPLER_LEAST_NS &&
	    o->sample_ns <= SAMPLER_MOST_NS)
		return 0;
	return say_format("%s: '%s' is neither off nor a time between 100us and 1s, such as 1ms",
			  from, text);
}

/* No pattern of the list may be empty. */
static int check_slowest_of(const char *from, const char *text, struct run_options *o)
{
	(void)o;
	if (strlen(text) >= SCP_SLOWEST_PATTERNS)
		return say_format("%s: more than %u characters; shorten the names by globs", from,
				  SCP_SLOWEST_PATTERNS - 1);
	for (const char *at = text;; at++) {
		size_t length = strcspn(at, ",");

		if (length <= (*at == '!'))
			return say_format(
				"%s: '%s' has an empty name in it; write names or globs, such as "
				"'send*,libssl*:SSL_*'",
				from, text);
		at += length;
		if (!*at)
			return 0;
	}
}

static int check_signal(const char *from, const char *text, struct run_options *o)
{
	const char *name = !strncmp(text, "SIG", 3) ? text + 3 : text;
	int *number = &o->filters.plan.signal;

	(void)from;
	*number = !strcmp(name, "USR1") ? SIGUSR1 : !strcmp(name, "USR2") ? SIGUSR2 : 0;
	if (*number)
		return 0;
	return say_format("--signal: '%s' is neither USR1 nor USR2, which scprof takes itself.\n"
			  "Other signals are the program's",
			  text);
}

#define AT(member) offsetof(struct run_options, member)

/* Texts that an option or a variable sets: checked by `check`, or as a number up to `most`. */
static const struct setting {
	const char *option, *variable;
	size_t at;
	size_t ns; /* of a time: where it goes; 0: it is none */
	int (*check)(const char *from, const char *text, struct run_options *o);
	uint32_t most;
	const char *what;
	bool or_none; /* in the environment 0 stands for none */
} settings[] = {
	{"-c", "SCPROF_CLOCK", AT(clock_text), .check = check_clock},
	{"-g", "SCPROF_GROUPS", AT(groups), .check = check_groups},
	{"-s", "SCPROF_SYMBOLS", AT(symbols), .check = NULL},
	{"--depth", "SCPROF_DEPTH", AT(filters.depth), .most = SCP_MAX_FRAMES,
	 .what = "of frames "},
	{"--after", "SCPROF_AFTER", AT(filters.after), .ns = AT(filters.plan.after_ns)},
	{"--for", "SCPROF_FOR", AT(filters.length), .ns = AT(filters.plan.for_ns)},
	{"--signal", "SCPROF_SIGNAL", AT(filters.signal), .check = check_signal},
	{"--slowest", "SCPROF_SLOWEST", AT(slowest), .most = SCP_SLOWEST_MAX, .what = "of calls "},
	{"--slower-than", "SCPROF_SLOWER_THAN", AT(slower_than), .ns = AT(slower_than_ns),
	 .or_none = true},
	{"--slowest-of", "SCPROF_SLOWEST_OF", AT(slowest_of), .check = check_slowest_of},
	{"--states", "SCPROF_STATES", AT(states), .check = check_states},
	{"--sample", "SCPROF_SAMPLE", AT(sample), .check = check_sample},
	{"--verify-paths", "SCPROF_VERIFY_PATHS", AT(verify_paths), .most = UINT32_MAX, .what = "",
	 .or_none = true},
};

static int check_count(const struct setting *s, const char *from, const char *text)
{
	uint64_t n;

	if (!s->most || !quantity_count(text, s->or_none && *from != '-' ? 0 : 1, s->most, &n))
		return 0;
	return say_format("%s: '%s' is not a number %sfrom 1 to %u", from, text, s->what, s->most);
}

static int check_time(const struct setting *s, const char *from, const char *text, uint64_t *ns)
{
	if (!duration_parse(text, ns) && (*ns || s->or_none))
		return 0;
	return say_format("%s: '%s' is not a time; write a number and its unit: 500ms, 5s, 0.5s",
			  from, text);
}

static int settle(const struct setting *s, struct run_options *o)
{
	const char **text = (const char **)(void *)((char *)o + s->at), *from = s->option;

	/* recording of a process that runs begins when it is told to */
	if (!*text && !(o->filters.attached && text == &o->filters.signal)) {
		*text = options_variable(s->variable);
		from = s->variable;
	}
	if (!*text)
		return 0;
	if (s->ns)
		return check_time(s, from, *text, (uint64_t *)(void *)((char *)o + s->ns));
	return s->check ? s->check(from, *text, o) : check_count(s, from, *text);
}

int run_options_join(char **list, const char *value)
{
	char *joined = NULL;

	if (asprintf(&joined, "%s%s%s", *list ? *list : "", *list ? "," : "", value) < 0)
		return say("out of memory");
	free(*list);
	*list = joined;
	return 0;
}

/* A name that no thread can have certainly matches nothing. */
static int check_threads(const char *list)
{
	if (list && strlen(list) > LIST_MOST)
		return say_format(
			"--thread: more than %d characters of names; shorten them by globs",
			LIST_MOST);
	for (const char *at = list; list; at += strcspn(at, ",") + 1) {
		size_t length = strcspn(at, ",");

		if (!length)
			return say_format("--thread: a pattern without a name: '%s'.\n"
					  "Write names or globs, separated by commas: 'main,io-*'",
					  list);
		if (length > NAME_MOST && !memchr(at, '*', length) && !memchr(at, '[', length) &&
		    !memchr(at, '\\', length))
			return say_format(
				"--thread: no thread can be called '%.*s': names have at most "
				"%d characters.\nShorten it: '%.*s*'",
				(int)length, at, NAME_MOST, NAME_MOST - 1, at);
		if (!at[length])
			break;
	}
	return 0;
}

static int settle_threads(struct run_filters *f)
{
	const char *threads = options_variable("SCPROF_THREADS");

	if (!f->threads && threads && run_options_join(&f->threads, threads))
		return -1;
	return check_threads(f->threads);
}

/* The library and the report read no files: what @FILE has is written out. */
static int write_out_below(struct run_filters *f)
{
	char text[SCP_BELOW_MOST] = "";
	struct symbol_patterns p;
	struct profile_error err;
	size_t at = 0;
	int failed = symbol_pattern_parse(NULL, f->below, &p, &err);

	for (size_t i = 0; !failed && i < p.count && at < sizeof(text); i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s%s", i ? "," : "",
				       p.list[i].takes_out ? "!" : "", p.list[i].text);
	symbol_pattern_free(&p);
	if (failed || at >= sizeof(text))
		return say_format("--below: %s",
				  !failed ? "the patterns are too long; shorten them by globs"
				  : strncmp(err.text, "-s: ", 4) ? err.text
								 : err.text + 4);
	free(f->below);
	f->below = strdup(text);
	return f->below ? 0 : -1;
}

static int settle_below(struct run_filters *f)
{
	const char *below = options_variable("SCPROF_BELOW");

	if (!f->below && below && run_options_join(&f->below, below))
		return -1;
	if (!f->below)
		return 0;
	if (*f->below)
		return write_out_below(f);
	return say("--below: which function? Write names or globs, such as 'handle_*'");
}

static int settle_stopped(struct run_filters *f)
{
	const char *stopped = f->attached ? NULL : options_variable("SCPROF_STOPPED");

	f->stopped |= stopped && strcmp(stopped, "0") != 0;
	/* without a signal the program starts recording, not the tool */
	f->plan.stopped = f->stopped && (f->signal || !f->until);
	if (!f->stopped || (!f->after && (!f->length || f->signal)))
		return 0;
	return say_format(
		"--stopped waits for %s, and %s goes by the clock.\nLeave one of them out",
		f->signal ? "a signal" : "the program's SCPROF_START",
		f->after ? "--after" : "--for");
}

/* A tick without a page clock is an error on the command line, and ignored in the environment. */
static int settle_tick(struct run_options *o)
{
	const char *text = o->tick_text, *from = "-d";
	char reason[256];

	if (o->clock == SCP_CLOCK_NONE)
		o->clock = clocks_verdict_default(reason, sizeof(reason));
	else if ((o->clock == SCP_CLOCK_TSC || o->clock == SCP_CLOCK_DUAL) &&
		 !clocks_verdict_trusts_counter(reason, sizeof(reason)))
		say_format("-c %s: %s; times may be wrong", clocks_read_name(o->clock), reason);
	bool ticks = o->clock == SCP_CLOCK_PAGE || o->clock == SCP_CLOCK_DUAL;
	if (text && !ticks)
		return say_format("-d sets the tick of the page clock, but the clock is %s.\n"
				  "Add -c page, or -c dual",
				  clocks_read_name(o->clock));
	if (!text && ticks) {
		text = options_variable("SCPROF_TICK");
		from = "SCPROF_TICK";
	}
	o->tick_asked = text;
	if (!text || (!duration_parse(text, &o->tick_ns) && o->tick_ns >= TICKER_MIN_NS &&
		      o->tick_ns <= TICKER_MAX_NS))
		return 0;
	return say_format("%s: '%s' is not a tick between 20us and 100ms.\n"
			  "Write a number and its unit: 50us, 1ms, 0.5ms",
			  from, text);
}

static bool has_empty_name(const char *list)
{
	return !*list || *list == ',' || list[strlen(list) - 1] == ',' || strstr(list, ",,");
}

/* Options that do not go together. */
static int check_together(const struct run_options *o)
{
	if (o->filters.native && o->filters.python)
		say("--native keeps C frames beside Python functions, and --no-python reads none "
		    "of those.\n"
		    "C frames alone are what --no-python records");
	else if (!(o->until > 0) && o->until_of)
		say("--until-of says of which functions --until speaks: how well, --until 5%?");
	else if (!(o->until > 0) && o->until_least_s > 0)
		say("--until-least says when --until may be reached: how well, --until 5%?");
	else if (o->until_of && has_empty_name(o->until_of))
		say_format("--until-of: '%s' has an empty name in it", o->until_of);
	else if (o->dither > 0 && !o->displace)
		say("--dither varies the rates of calls for --displace: add it");
	else
		return 0;
	return -1;
}

int run_options_settle(struct run_options *o)
{
	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++)
		if (settle(&settings[i], o))
			return -1;
	if (!o->states)
		o->states = "budget";
	o->filters.until = o->until > 0;
	return settle_tick(o) || settle_threads(&o->filters) || settle_below(&o->filters) ||
			       settle_stopped(&o->filters) || check_together(o) ||
			       run_again_check(o)
		       ? -1
		       : 0;
}
