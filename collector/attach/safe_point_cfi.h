// SPDX-License-Identifier: GPL-3.0-or-later
/* How the registers of a caller are found: the call frame information of .eh_frame, read from the
 * memory of the process. */
#ifndef SCPROF_COLLECTOR_ATTACH_SAFE_POINT_CFI_H
#define SCPROF_COLLECTOR_ATTACH_SAFE_POINT_CFI_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "collector/attach/safe_point_objects.h"

/* DWARF's numbers: enough for x86_64 (16: the return address) and AArch64 (30, 31). */
#define SAFE_POINT_REGISTERS 33

enum safe_point_how {
	SAFE_POINT_SAME = 0,
	SAFE_POINT_UNDEFINED,
	SAFE_POINT_AT, /* in memory at CFA + value */
	SAFE_POINT_IS, /* CFA + value */
	SAFE_POINT_IN, /* register `value` */
	SAFE_POINT_COMPUTED_AT /* in memory where the expression at `value` says */,
	SAFE_POINT_COMPUTED /* the expression's result */
};

struct safe_point_rule {
	uint8_t how;
	uint16_t bytes; /* of the expression */
	int64_t value;
};

struct safe_point_row {
	struct safe_point_rule cfa; /* SAFE_POINT_IN: register `bytes` + value */
	struct safe_point_rule of[SAFE_POINT_REGISTERS];
	uint8_t return_column;
	bool signal; /* a frame that the kernel made */
};

/* The row for an address of code. `work` is what is left to do, in bytes: crafted tables end
 * there. False: none, or not understood. */
bool safe_point_cfi_row(const struct safe_point_object *o, pid_t pid, uint64_t at, size_t *work,
			struct safe_point_row *row);

#endif
