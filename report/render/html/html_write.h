// SPDX-License-Identifier: GPL-3.0-or-later
/* The data of the HTML page: JSON that may stand inside a <script> element, written as it comes,
 * because a hundred thousand paths would be dear to keep as objects. Private to report/.
 *
 * Names are data: broken UTF-8, controls and direction marks are made visible, and `<`, `>` and
 * `&` are escaped, so that nothing in a text can end the element. */
#ifndef SCPROF_REPORT_RENDER_HTML_HTML_WRITE_H
#define SCPROF_REPORT_RENDER_HTML_HTML_WRITE_H

#include <stdio.h>

#include "report/render/stacks/flame.h"
#include "report/containers/string_index.h"

struct displaced;

struct html {
	struct report *report;
	FILE *out;
	struct names strings; /* all of the page's, written last */
	struct flame flame;
	uint32_t sites; /* rows shown; boxes of other sites bring their own numbers */
	bool first;	/* no comma before the next value */
	bool failed;	/* out of memory */
};

/* Values, each with the comma that it needs. A number that is not finite is null. */
void html_write_number(struct html *h, double value); /* seven digits: four are shown */
void html_write_rough(struct html *h, double value);  /* three digits */
void html_write_count(struct html *h, uint64_t n);
void html_write_index(struct html *h, uint32_t n);	 /* NAMES_NONE, PROF_NONE: -1 */
void html_write_below(struct html *h, uint32_t n);	 /* -1 - n */
void html_write_text(struct html *h, const char *raw);	 /* null for NULL */
void html_write_string(struct html *h, const char *raw); /* its number among the strings */

/* Groups. A key is followed by one value or group. */
void html_write_open(struct html *h, char bracket);
void html_write_close(struct html *h, char bracket);
void html_write_key(struct html *h, const char *key);

/* "key":["a","b"] of names separated by blanks: what the numbers of a flat array mean. */
void html_write_fields(struct html *h, const char *key, const char *names);

/* An interval as shares of the mean: "-0.05, 0.08". */
void html_write_relative(struct html *h, double mean, double low, double high);

/* The parts of the page. */
void html_sites(struct html *h);
void html_flame(struct html *h);
void html_tables(struct html *h);
void html_loops(struct html *h);
void html_displaced(struct html *h, const struct displaced *d); /* NULL: there is none */

#endif
