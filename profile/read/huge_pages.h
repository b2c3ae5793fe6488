// SPDX-License-Identifier: GPL-3.0-or-later
/* Arrays of many megabytes in huge pages, where the kernel has them (MADV_HUGEPAGE): a report
 * of a million call paths jumps about in half a gigabyte, and most of its time went into the
 * processor's looking up of pages. */
#ifndef SCPROF_PROFILE_READ_HUGE_PAGES_H
#define SCPROF_PROFILE_READ_HUGE_PAGES_H

#include <stddef.h>

#define LARGE_PAGE ((size_t)2 << 20) /* of x86-64, and of AArch64 with pages of 4 KiB */

/* As malloc; what is large begins at a multiple of LARGE_PAGE. free() it. */
void *huge_pages_alloc(size_t bytes);

#endif
