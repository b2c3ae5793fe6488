// SPDX-License-Identifier: GPL-3.0-or-later
/* Texts and links of the index page. Names come from profiles: they are escaped here. */
#ifndef SCPROF_SERVE_PAGES_INDEX_WRITE_H
#define SCPROF_SERVE_PAGES_INDEX_WRITE_H

#include <stdint.h>
#include <stdio.h>

/* As text, or as an attribute's value between double quotes. */
void index_write_text(FILE *out, const char *text);

/* As the value of a parameter of an address. */
void index_write_escaped(FILE *out, const char *text);

/* A link to PAGE?service=SERVICE&clock=CLOCK and `more`, which begins with "&amp;" or is empty;
 * `words` are escaped. */
void index_write_link(FILE *out, const char *page, const char *service, uint32_t clock,
		      const char *more, const char *words);

#endif
