// SPDX-License-Identifier: GPL-3.0-or-later
/* Loaded objects are found where libc cannot tell of them (glibc before 2.35), too: as the library
 * begins with. */
#include "preload/process/process.h"
#include "preload/unwind/unwind.h"

static void __attribute__((constructor)) find_objects(void)
{
	unwind_object_index = object_index_find;
}
