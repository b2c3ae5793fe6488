// SPDX-License-Identifier: GPL-3.0-or-later
/* Counts, probabilities and shares as people write them: "12", "0.95", "95%". */
#ifndef SCPROF_CLI_USAGE_QUANTITY_H
#define SCPROF_CLI_USAGE_QUANTITY_H

#include <stdint.h>

/* A whole number in decimal digits, without sign or spaces, from least to most. 0 and
 * *count, or -1: it is none, or out of these bounds. *count is untouched on failure. */
int quantity_count(const char *text, uint64_t least, uint64_t most, uint64_t *count);

/* A positive share: a decimal number, or a percentage with its sign. 0 and *share, or
 * -1: not such a text, or not above 0. *share is untouched on failure. */
int quantity_share(const char *text, double *share);

/* A confidence strictly between 0 and 1 ("95" alone is refused: it is 9500 %). */
int quantity_confidence(const char *text, double *confidence);

#endif
