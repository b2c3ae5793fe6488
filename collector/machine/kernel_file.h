// SPDX-License-Identifier: GPL-3.0-or-later
/* Small files of /proc and /sys. */
#ifndef SCPROF_COLLECTOR_MACHINE_KERNEL_FILE_H
#define SCPROF_COLLECTOR_MACHINE_KERNEL_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The first line, without its newline and cut at size - 1 bytes. 0; or -1 and "": the file cannot
 * be read or is empty. size > 1. */
int kernel_file_line(const char *path, char *line, size_t size);

/* The whole text, cut at size - 1 bytes. 0; or -1 and "": it cannot be opened or is empty. */
int kernel_file_text(const char *path, char *text, size_t size);

#define PROC_STATUS_SELF 0

/* The numbers of line `name` ("Uid", "NSpid"), of which up to `most` are kept; `base` is 10, or 16
 * for sets of bits. How many there are; 0: no such line; -1: the file cannot be read. */
int proc_status_numbers(pid_t pid, const char *name, int base, uint64_t *number, int most);

/* The first number of line `name`; `otherwise` where there is none. */
uint64_t proc_status_number(pid_t pid, const char *name, int base, uint64_t otherwise);

#endif
