// SPDX-License-Identifier: GPL-3.0-or-later
/* Small files of /proc and /sys. */
#ifndef SCPROF_COLLECTOR_MACHINE_KERNEL_FILE_H
#define SCPROF_COLLECTOR_MACHINE_KERNEL_FILE_H

#include <stddef.h>

/* The first line, without its newline and cut at size - 1 bytes. 0; or -1 and "": the file cannot
 * be read or is empty. size > 1. */
int kernel_file_line(const char *path, char *line, size_t size);

/* The whole text, cut at size - 1 bytes. 0; or -1 and "": it cannot be opened or is empty. */
int kernel_file_text(const char *path, char *text, size_t size);

#endif
