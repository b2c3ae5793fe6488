// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef SCPROF_COLLECTOR_ATTACH_SAFE_POINT_EXPRESSION_H
#define SCPROF_COLLECTOR_ATTACH_SAFE_POINT_EXPRESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/attach/safe_point_cfi.h"
#include "collector/attach/safe_point_memory.h"

/* The value of an expression, whose stack begins with `first`. */
bool safe_point_expression_compute(struct safe_point_window *w, const struct safe_point_rule *rule,
				   const uint64_t *registers, uint64_t first, uint64_t *value);

#endif
