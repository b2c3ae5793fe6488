// SPDX-License-Identifier: GPL-3.0-or-later
/* Reads a command line by the command's table, with getopt_long. What is wrong is said in one line
 * on standard error. */
#ifndef SCPROF_CLI_USAGE_OPTIONS_H
#define SCPROF_CLI_USAGE_OPTIONS_H

#include <getopt.h> /* optind */
#include <stddef.h>
#include <stdint.h>

#include "cli/usage/usage.h"

#define OPTIONS_GO	  (-1)
#define OPTIONS_ANY_COUNT (UINT32_MAX - 1) /* a bound that means none */

/* Hands each option to `take`, with its value (NULL: it takes none), which is one of the choices
 * where the table lists them; operands begin at optind then.
 * `take` returns 0, or -1 having said why; it may be NULL where only --help is in the table.
 * OPTIONS_GO, or the exit status of the command: wrong usage, or --help was asked for and has been
 * printed. */
int options_parse(const struct usage *u, int argc, char **argv,
		  int (*take)(void *to, int code, const char *value), void *to);

/* Is the option of that code among the words that options_parse takes for options? */
bool options_is_typed(const struct usage *u, int option, int argc, char **argv);

/* The value of an option of the table, where it is as it should be. 0, or -1 having said why; the
 * result is untouched then. A confidence lies above 0 and below 1; the others between two bounds,
 * which are allowed, too. */
int options_confidence(const struct usage *u, const char *value, double *confidence);
int options_count(const struct usage *u, int code, const char *value, uint64_t least, uint64_t most,
		  uint64_t *count);
int options_count32(const struct usage *u, int code, const char *value, uint32_t least,
		    uint32_t most, uint32_t *count);
int options_duration(const struct usage *u, int code, const char *value, uint64_t least_ns,
		     uint64_t most_ns, uint64_t *ns);

/* Where options leave their values in a struct of the command; a table ends with code 0. */
struct options_member {
	int code;
	enum {
		OPTIONS_FLAG,  /* bool */
		OPTIONS_TEXT,  /* const char *: the value, or `constant` where it takes none */
		OPTIONS_COUNT, /* uint64_t */
		OPTIONS_COUNT32,
		OPTIONS_CONFIDENCE, /* double */
		OPTIONS_DURATION,   /* uint64_t, in ns */
		OPTIONS_SECONDS	    /* double */
	} type;
	size_t at;
	uint64_t least, most; /* of counts, and of durations in ns */
	const char *constant;
};
#define OPTIONS_MEMBER(option, kind, of, member, ...)                                              \
	{                                                                                          \
		.code = (option), .type = OPTIONS_##kind, .at = offsetof(struct of, member),       \
		##__VA_ARGS__                                                                      \
	}

/* Sets the member of an option in *to. 0; 1: it is none of them; -1 having said what is wrong. */
int options_take(const struct usage *u, const struct options_member *members, void *to, int code,
		 const char *value);

/* The value of an environment variable; NULL where it is unset or empty, which is the same. */
const char *options_variable(const char *name);

/* A whole number in decimal digits, without sign or spaces, from least to most. 0 and
 * *count, or -1: it is none, or out of these bounds. *count is untouched on failure. */
int quantity_count(const char *text, uint64_t least, uint64_t most, uint64_t *count);

/* A positive share: a decimal number, or a percentage with its sign. 0 and *share, or
 * -1: not such a text, or not above 0. *share is untouched on failure. */
int quantity_share(const char *text, double *share);

/* A confidence strictly between 0 and 1 ("95" alone is refused: it is 9500 %). */
int quantity_confidence(const char *text, double *confidence);

#endif
