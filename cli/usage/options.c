// SPDX-License-Identifier: GPL-3.0-or-later
/* Commands run one after another may all use getopt: each begins with optind 0, which makes glibc
 * forget the state of the last. */
#include "cli/usage/options.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collector/duration.h"

#define MOST 64 /* options of a command */

/* getopt's two tables of the same thing, to be read from the first word on. */
static void fill_tables(const struct usage *u, struct option *table, char *letters)
{
	int most = MOST;

	opterr = 0;
	optind = 0;
	letters += sprintf(letters, "%s:", u->mode ? u->mode : "");
	for (const struct usage_entry *e = u->options; e->name && most; e++, most--) {
		int value = usage_takes_word(e) ? required_argument
			    : e->argument	? optional_argument
						: no_argument;
		*table++ = (struct option){e->name, value, NULL, usage_code(u, e)};
		if (usage_letter(e))
			letters += sprintf(letters, "%c%s", e->code, e->argument ? ":" : "");
	}
}

/* Which of the choices "a|b|c" is `word`? -1: none. */
static int choice_of(const char *choices, const char *word)
{
	size_t length = strlen(word);
	int choice = 0;

	for (const char *at = choices; *at; at += strcspn(at, "|"), at += *at == '|', choice++)
		if (strcspn(at, "|") == length && !strncmp(at, word, length))
			return choice;
	return -1;
}

/* If the table lists all values of an option, others are refused here. */
static int check_choice(const struct usage *u, const struct usage_entry *e, const char *value)
{
	char choices[128];
	size_t at = 0;

	if (!e->argument || !strchr(e->argument, '|') || e->flags & USAGE_OTHER_VALUES ||
	    choice_of(e->argument, value) >= 0)
		return 0;
	for (const char *c = e->argument; *c && at + 3 < sizeof(choices); c++) {
		choices[at++] = *c == '|' ? ',' : *c;
		if (*c == '|')
			choices[at++] = ' ';
	}
	choices[at] = '\0';
	return complaint_say(u->command, "--%s '%.900s' is unknown; there are: %s", e->name, value,
			     choices);
}

/* " (did you mean --NAME?)" for a mistyped long option; "" if none is near. */
static void print_near(const struct usage *u, const char *word, char *text, size_t size)
{
	const char *names[MOST], *near;
	char name[64];

	*text = '\0';
	if (strncmp(word, "--", 2) != 0)
		return;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word + 2, "="), word + 2);
	near = nearest_name(name, names, usage_names(u, 0, names, MOST));
	if (near)
		snprintf(text, size, " (did you mean --%s?)", near);
}

/* Reports what getopt_long has just refused. A long option is the word before optind; in a cluster
 * of letters optopt is the letter. */
static void complain_option(const struct usage *u, char **argv, int refused)
{
	char letter[3] = {'-', (char)optopt, '\0'}, near[96];
	const char *word = optopt > ' ' && optopt < 127 ? letter : argv[optind - 1];

	if (refused == ':') {
		complaint_say(u->command, "option %s needs a value", argv[optind - 1]);
	} else if (usage_find_code(u, optopt)) {
		complaint_say(u->command, "option %s takes no value", argv[optind - 1]);
	} else {
		print_near(u, word, near, sizeof(near));
		complaint_say(u->command, "unknown option %s; %s --help lists the options%s", word,
			      u->command, near);
	}
}

/* What follows: 0, or -1 having said why; the result is untouched then. */
static int take_confidence(const struct usage *u, const char *value, double *confidence)
{
	double given;

	if (!quantity_share(value, &given) && given < 1) {
		*confidence = given;
		return 0;
	}
	return complaint_say(
		u->command,
		"--confidence '%.900s' is not a number between 0 and 1, such as 0.95 or "
		"95%%",
		value);
}

static int take_share(const struct usage *u, const struct usage_entry *e, const char *value,
		      double *share)
{
	double least = (double)e->sets.least / 1e6, most = (double)e->sets.most / 1e6, given = 0;
	bool none = !strcmp(value, "0") || !strcmp(value, "0%");

	if ((none || !quantity_share(value, &given)) && given >= least && given <= most) {
		*share = given;
		return 0;
	}
	return complaint_say(
		u->command,
		"--%s '%.900s' is not a share from %.7g%% to %.7g%%: such as 5%%, or 0.05", e->name,
		value, 100 * least, 100 * most);
}

static int take_count(const struct usage *u, const struct usage_entry *e, const char *value,
		      uint64_t *count)
{
	uint64_t least = e->sets.least, most = e->sets.most;

	if (!quantity_count(value, least, most, count))
		return 0;
	if (most >= OPTIONS_ANY_COUNT)
		return complaint_say(u->command,
				     "--%s '%.900s' is not a whole number, %" PRIu64 " or more",
				     e->name, value, least);
	return complaint_say(u->command,
			     "--%s '%.900s' is not a whole number from %" PRIu64 " to %" PRIu64,
			     e->name, value, least, most);
}

static int take_duration(const struct usage *u, const struct usage_entry *e, const char *value,
			 uint64_t *ns)
{
	char least[32], most[32];
	uint64_t given;

	if (!duration_parse(value, &given) && given >= e->sets.least && given <= e->sets.most) {
		*ns = given;
		return 0;
	}
	duration_print_exact(e->sets.least, least, sizeof(least));
	duration_print_exact(e->sets.most, most, sizeof(most));
	return complaint_say(
		u->command,
		"--%s '%.900s' is not a time from %s to %s; write a number and its unit: "
		"500us, 1ms, 0.5s",
		e->name, value, least, most);
}

static int set_member(const struct usage *u, const struct usage_entry *e, void *to,
		      const char *value)
{
	const struct options_member *m = &e->sets;
	void *at = (char *)to + m->at + (m->of_report ? u->report_at : 0);
	uint64_t number;

	value = value ? value : m->constant;
	switch (m->type) {
	case OPTIONS_TAKEN:
		return 0;
	case OPTIONS_FLAG:
		*(bool *)at = true;
		return 0;
	case OPTIONS_TEXT:
		*(const char **)at = value;
		return 0;
	case OPTIONS_CHOICE:
		*(unsigned *)at = (unsigned)choice_of(e->argument, value);
		return 0;
	case OPTIONS_COUNT:
		return take_count(u, e, value, at);
	case OPTIONS_COUNT32:
		if (take_count(u, e, value, &number))
			return -1;
		*(uint32_t *)at = (uint32_t)number;
		return 0;
	case OPTIONS_SHARE:
		return take_share(u, e, value, at);
	case OPTIONS_CONFIDENCE:
		return take_confidence(u, value, at);
	case OPTIONS_DURATION:
		return take_duration(u, e, value, at);
	default:
		if (take_duration(u, e, value, &number))
			return -1;
		*(double *)at = (double)number / 1e9;
		return 0;
	}
}

int options_parse(const struct usage *u, int argc, char **argv,
		  int (*take)(void *to, int code, const char *value), void *to)
{
	struct option table[MOST + 1] = {0};
	char letters[2 * MOST + 4];
	int code;

	fill_tables(u, table, letters);
	while ((code = getopt_long(argc, argv, letters, table, NULL)) != -1) {
		if (code == 'h') {
			usage_print(u, stdout);
			return 0;
		}
		if (code == '?' || code == ':') {
			complain_option(u, argv, code);
			return u->bad_usage;
		}
		const struct usage_entry *e = usage_find_code(u, code);
		int failed = e && (check_choice(u, e, optarg) || set_member(u, e, to, optarg));

		if (!failed && take && (!e || e->code))
			failed = take(to, code, optarg);
		if (failed)
			return u->bad_usage;
	}
	return OPTIONS_GO;
}

bool options_is_typed(const struct usage *u, int option, int argc, char **argv)
{
	struct option table[MOST + 1] = {0};
	char letters[2 * MOST + 4], **words = calloc((size_t)argc + 1, sizeof(*words));
	int code = -1;

	if (!words)
		return false;
	memcpy(words, argv, (size_t)argc * sizeof(*words));
	fill_tables(u, table, letters);
	do
		code = getopt_long(argc, words, letters, table, NULL);
	while (code != -1 && code != option);
	free(words);
	return code != -1;
}

const char *options_variable(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

int quantity_count(const char *text, uint64_t least, uint64_t most, uint64_t *count)
{
	char *end;

	if (*text < '0' || *text > '9')
		return -1;
	errno = 0;
	unsigned long long value = strtoull(text, &end, 10);
	if (*end || errno || value < least || value > most)
		return -1;
	*count = value;
	return 0;
}

int quantity_share(const char *text, double *share)
{
	char *end;

	if (!strchr("0123456789.", *text) || !*text || strpbrk(text, "xX"))
		return -1;
	double value = strtod(text, &end);
	if (end == text)
		return -1;
	if (!strcmp(end, "%"))
		value /= 100;
	else if (*end)
		return -1;
	if (!isfinite(value) || !(value > 0))
		return -1;
	*share = value;
	return 0;
}
