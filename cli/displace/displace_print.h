// SPDX-License-Identifier: GPL-3.0-or-later
/* Prints the results of a measurement as text or JSON. */
#ifndef SCPROF_CLI_DISPLACE_DISPLACE_PRINT_H
#define SCPROF_CLI_DISPLACE_DISPLACE_PRINT_H

#include <stdio.h>

#include "collector/displacement/displace_confirm.h"
#include "cli/displace/displace_options.h"
#include "collector/displacement/displace_summary.h"
#include "collector/displacement/wall_method.h"

/* `confirm`: NULL without --confirm. 0; -1 with errno. */
int displace_print_text(FILE *out, const struct displace_wishes *o,
			const struct displace_summary *s, const struct displace_confirm *confirm);
int displace_print_json(FILE *out, const struct displace_wishes *o,
			const struct displace_summary *s, const struct displace_confirm *confirm);

/* --method wall */
int displace_print_wall_text(FILE *out, const struct displace_wishes *o,
			     const struct wall_method_result *r);
int displace_print_wall_json(FILE *out, const struct displace_wishes *o,
			     const struct wall_method_result *r);
/* Warning number i < DISPLACE_WALL_WARNINGS: returns its code, and `text` gets the sentence. NULL:
 * it does not apply. */
#define DISPLACE_WALL_WARNINGS 2
const char *displace_wall_warning(const struct displace_wishes *o,
				  const struct wall_method_result *r, size_t i, char *text,
				  size_t size);

/* A name that is not ours, without control characters. */
void displace_print_name(FILE *out, const char *name);

/* The account by CPU and the other tasks. */
void displace_print_account(FILE *out, const struct displace_summary *s);

/* The result in one sentence. */
void displace_sentence(const struct displace_summary *s, char *text, size_t size);

#endif
