// SPDX-License-Identifier: GPL-3.0-or-later
/* Small files of /proc and /sys, and the folders that they lie in. Paths are formats. */
#pragma once

#include <dirent.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#define KERNEL_FILE_PATH(number) __attribute__((format(printf, number, number + 1)))

/* The first line, without its newline and cut at size - 1 bytes. 0; or -1 and "": the file cannot
 * be read or is empty. size > 1. */
int kernel_file_line(char *line, size_t size, const char *path, ...) KERNEL_FILE_PATH(3);

/* The whole text, cut at size - 1 bytes. 0; or -1 and "": it cannot be opened or is empty. */
int kernel_file_text(char *text, size_t size, const char *path, ...) KERNEL_FILE_PATH(3);

/* What a link says, cut likewise. 0; or -1 with errno and "". */
int kernel_file_link(char *to, size_t size, const char *path, ...) KERNEL_FILE_PATH(3);

/* A descriptor, by flags as open() has them; -1 with errno. */
int kernel_file_fd(int flags, const char *path, ...) KERNEL_FILE_PATH(2);

/* Closes a descriptor, keeps errno, and makes it -1; it may be that already. */
void kernel_file_close(int *fd);

/* To read; NULL with errno. */
FILE *kernel_file_open(const char *path, ...) KERNEL_FILE_PATH(1);

/* A folder with entries that are numbers: /proc, /proc/PID/task. NULL: it cannot be read. */
DIR *kernel_file_folder(const char *path, ...) KERNEL_FILE_PATH(1);

/* The next of these numbers; -1: there is none more, and the folder is closed. */
int kernel_file_next(DIR **folder);

/* Close it before that. It may be NULL. */
void kernel_file_leave(DIR **folder);

#define PROC_STATUS_SELF 0

/* The numbers of line `name` ("Uid", "NSpid"), of which up to `most` are kept; `base` is 10, or 16
 * for sets of bits. How many there are; 0: no such line; -1: the file cannot be read. */
int proc_status_numbers(pid_t pid, const char *name, int base, uint64_t *number, int most);

/* The first number of line `name`; `otherwise` where there is none. */
uint64_t proc_status_number(pid_t pid, const char *name, int base, uint64_t otherwise);

/* The number of a process, or of a thread, in its own pid namespace; 0: it is gone. */
pid_t proc_inner_pid(pid_t pid);
