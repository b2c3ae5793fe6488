// SPDX-License-Identifier: GPL-3.0-or-later
/* Tables of fields: name, type, and where the value lies in a struct of the model. JSON, CSV and
 * the page walk such tables. Those that several formats share are here, and
 * docs/scprof-report.schema.json is checked against them. A name ends in its unit: _ns, _s; other
 * numbers are counts, shares and ratios. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum row_field_type {
	ROW_NUMBER,  /* double; not known where not finite */
	ROW_COUNT,   /* uint64_t */
	ROW_COUNT32, /* uint32_t */
	ROW_FLAG,    /* bool */
	ROW_TEXT     /* const char *; not known where NULL */
};

struct row_field {
	const char *name; /* NULL: end of the table */
	enum row_field_type type;
	size_t offset;
};

#define ROW_TYPE(value)                                                                            \
	_Generic(value, double: ROW_NUMBER, uint64_t: ROW_COUNT, uint32_t: ROW_COUNT32,            \
		 bool: ROW_FLAG, char *: ROW_TEXT, const char *: ROW_TEXT)
/* A field of `struct of`: its type follows from the member's. ROW_SAME is called as the member. */
#define ROW_FIELD(name, of, member)                                                                \
	{                                                                                          \
		name, ROW_TYPE(((struct of *)NULL)->member), offsetof(struct of, member)           \
	}
#define ROW_SAME(of, member) ROW_FIELD(#member, of, member)
/* Of a struct mean_interval in it; `before`: what its fields' names begin with. */
#define ROW_INTERVAL(before, of, member)                                                           \
	ROW_FIELD(before "mean_ns", of, member.mean),                                              \
		ROW_FIELD(before "ci_low_ns", of, member.low),                                     \
		ROW_FIELD(before "ci_high_ns", of, member.high)
#define ROW_END                                                                                    \
	{                                                                                          \
		NULL, ROW_NUMBER, 0                                                                \
	}

/* Of struct prof_function, mean_interval and report_displaced. */
extern const struct row_field row_fields_function[], row_fields_estimate[];
extern const struct row_field row_fields_cost[];    /* known with SCP_SITE_COST_KNOWN */
extern const struct row_field row_fields_windows[]; /* known with any state */

/* Of struct report_site. */
extern const struct row_field row_fields_volume[], row_fields_overhead[], row_fields_total[],
	row_fields_size[];

/* Parts of a time: of struct mean_interval, and of struct report_threads_time. */
extern const struct row_field row_fields_interval[], row_fields_threads_time[];
/* Of struct report_states, each part's name before its fields': for formats without nesting. */
extern const struct row_field row_fields_states[];

/* Of struct report_site, report_percentiles and report_steadiness: for formats without nesting. */
extern const struct row_field row_fields_slow[], row_fields_percentiles[], row_fields_outliers[];

/* Of struct report_computing_row; from `samples` on its numbers alone. */
#define ROW_FIELDS_COMPUTING_NUMBERS 3
extern const struct row_field row_fields_computing[];

/* Of struct report_gap, report_thread and report_process. */
extern const struct row_field row_fields_gap[], row_fields_thread[], row_fields_process[];
