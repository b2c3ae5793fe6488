// SPDX-License-Identifier: GPL-3.0-or-later
/* Preloaded into a program, tells what options it gives to getopt_long, and ends it: what is
 * accepted, by the program itself, for holding it against what is documented. A line an option:
 * letter or '-', long name or '-', 1 where it takes an argument. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct option *with_letter(const struct option *options, int letter)
{
	for (; options->name; options++)
		if (options->val == letter)
			return options;
	return NULL;
}

int getopt_long(int argc, char *const *argv, const char *letters, const struct option *options,
		int *index)
{
	(void)argc;
	(void)argv;
	(void)index;
	for (const struct option *o = options; o->name; o++) {
		const char *at = o->val > ' ' && o->val < 127 ? strchr(letters, o->val) : NULL;

		printf("%c %s %d\n", at ? *at : '-', o->name, o->has_arg != no_argument);
		if (at && (at[1] == ':') != (o->has_arg != no_argument))
			printf("%c and --%s differ about an argument\n", *at, o->name);
	}
	for (letters += strspn(letters, "+-:"); *letters; letters++)
		if (*letters != ':' && !with_letter(options, *letters))
			printf("%c - %d\n", *letters, letters[1] == ':');
	fflush(stdout);
	_exit(0);
}
