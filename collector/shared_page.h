// SPDX-License-Identifier: GPL-3.0-or-later
/* A page that the tool writes and the command's processes map. */
#ifndef SCPROF_COLLECTOR_SHARED_PAGE_H
#define SCPROF_COLLECTOR_SHARED_PAGE_H

#include <stddef.h>

/* A new file of zeros, its memory reserved, mapped to write. Mode 0644 whatever the umask: programs
 * that drop their privileges and exec must still be able to read it. NULL with errno, and no file.
 */
void *shared_page_create(const char *path, size_t bytes);

#endif
