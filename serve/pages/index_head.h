// SPDX-License-Identifier: GPL-3.0-or-later
/* What the tables of the page / have in common: heads that sort, and instants. */
#ifndef SCPROF_SERVE_PAGES_INDEX_HEAD_H
#define SCPROF_SERVE_PAGES_INDEX_HEAD_H

#include <stdint.h>
#include <stdio.h>

#include "serve/pages/index_columns.h"

#define INDEX_ALL_COLUMNS ((1u << INDEX_COLUMNS) - 1)

/* The beginning of a table with that id, with a link in each head. `columns`: a bit for each. */
void index_head_table(FILE *out, const char *id, const struct index_order *order, unsigned columns);

/* Words are ordered from a to z, numbers from the largest down. */
bool index_head_is_text(enum index_column column);

/* A cell; 0: not known. */
void index_head_started(FILE *out, uint64_t real_ns);

#endif
