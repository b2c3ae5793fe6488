// SPDX-License-Identifier: GPL-3.0-or-later
/* A page that the tool and the command's processes map. */
#ifndef SCPROF_COLLECTOR_SHARED_PAGE_H
#define SCPROF_COLLECTOR_SHARED_PAGE_H

#include <stddef.h>
#include <sys/types.h>

/* Programs that drop their privileges and exec must still be able to read it; to write it, too,
 * where the directory lets in nobody else. */
#define SHARED_PAGE_READ  0644
#define SHARED_PAGE_WRITE 0666

/* A new file of zeros, its memory reserved, mapped to write; of `mode` whatever the umask. NULL
 * with errno, and no file. */
void *shared_page_create(const char *path, size_t bytes, mode_t mode);

#endif
