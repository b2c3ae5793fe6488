// SPDX-License-Identifier: GPL-3.0-or-later
/* Arrays by a number that grows: what was made of a symbol, of a frame. Private to report/. */
#ifndef SCPROF_REPORT_CONTAINERS_GROWABLE_ARRAY_H
#define SCPROF_REPORT_CONTAINERS_GROWABLE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room in `*array` of elements of `size` bytes for the one of that number; new ones are of bytes
 * `fill`. False: out of memory, or the number is UINT32_MAX, and nothing has changed. */
bool growable_array_make(void **array, uint32_t *room, uint32_t number, size_t size,
			 unsigned char fill);

#endif
