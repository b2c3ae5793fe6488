// SPDX-License-Identifier: GPL-3.0-or-later
/* Equal texts become one number: formats that list names once refer to them so. */
#ifndef SCPROF_NAMES_H
#define SCPROF_NAMES_H

#include <stdint.h>

#define NAMES_NONE UINT32_MAX

struct names;

/* NULL: memory is out. The numbers count up from 0 in the order of first use. */
struct names *names_new(void);
void names_free(struct names *n);

/* The number of a text, which is copied; NAMES_NONE: memory is out. */
uint32_t names_add(struct names *n, const char *text);

uint32_t names_count(const struct names *n);
const char *names_text(const struct names *n, uint32_t number);

#endif
