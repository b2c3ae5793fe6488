// SPDX-License-Identifier: GPL-3.0-or-later
/* Arrays that grow as higher indices are used. Private to report/. */
#ifndef SCPROF_REPORT_CONTAINERS_GROWABLE_ARRAY_H
#define SCPROF_REPORT_CONTAINERS_GROWABLE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Ensures that `*array`, of elements of `size` bytes, has the element `number`; bytes of new
 * elements are `fill`. False: out of memory, or the number is UINT32_MAX, and nothing has changed.
 */
bool growable_array_make(void **array, uint32_t *room, uint32_t number, size_t size,
			 unsigned char fill);

#endif
