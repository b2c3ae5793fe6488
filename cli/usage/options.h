// SPDX-License-Identifier: GPL-3.0-or-later
/* Reads a command line by the command's table, with getopt_long. What is wrong is said in one line
 * on standard error. */
#ifndef SCPROF_CLI_USAGE_OPTIONS_H
#define SCPROF_CLI_USAGE_OPTIONS_H

#include <getopt.h> /* optind */
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

/* The value of an environment variable; NULL where it is unset or empty, which is the same. */
const char *options_variable(const char *name);

#endif
