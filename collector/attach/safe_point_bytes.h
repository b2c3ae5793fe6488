// SPDX-License-Identifier: GPL-3.0-or-later
/* Numbers in DWARF's encodings, from bytes that may be crafted. */
#ifndef SCPROF_COLLECTOR_ATTACH_SAFE_POINT_BYTES_H
#define SCPROF_COLLECTOR_ATTACH_SAFE_POINT_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct safe_point_bytes {
	const uint8_t *at, *end;
	uint64_t there; /* the address of `at` in the process */
	bool bad;	/* the end was passed, or nonsense read: all further numbers are 0 */
};

/* The next bytes; NULL: there are not so many. */
const uint8_t *safe_point_bytes_take(struct safe_point_bytes *r, uint64_t bytes);

/* Of 1 to 8 bytes; of any number of them (LEB128). */
uint64_t safe_point_bytes_fixed(struct safe_point_bytes *r, size_t bytes, bool negative);
uint64_t safe_point_bytes_leb(struct safe_point_bytes *r, bool negative);

#endif
