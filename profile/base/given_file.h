// SPDX-License-Identifier: GPL-3.0-or-later
/* Files that the user, or another process, names. Nothing but a regular file is opened: a FIFO or a
 * terminal would be waited for, /dev/zero has no end, and some devices do something when they are
 * opened. */
#pragma once

#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

/* A descriptor that refers to the file without opening it, for the checks. `flags` as O_NOFOLLOW:
 * of a link it is the link. -1: errno. */
int given_file_find(const char *path, int flags, struct stat *st);

/* To read: what was found, whatever its path leads to by now. Takes the descriptor. -1: errno. */
int given_file_open_found(int place);

/* Both; `flags` as O_NOFOLLOW. A descriptor, or -1 with errno: *why is a text (not to be freed).
 * `st` and `why` may be NULL. */
int given_file_open(const char *path, int flags, struct stat *st, const char **why);

/* The text in it, of fewer bytes than `room`, to be freed; NULL: *why. */
char *given_file_text(const char *path, size_t room, const char **why);

/* /proc/PID/stat, whose second field is a name that may hold anything, parentheses too. */

#define PROC_STAT_BYTES 1024

/* Reads the file of a process, or of its thread `tid` (0: of the process). Returns the fields from
 * the third on, which is the state's letter; NULL: there is no such process or thread. */
const char *proc_stat_read(pid_t pid, pid_t tid, char text[PROC_STAT_BYTES]);

/* The field of a number, as proc(5) counts them, of what proc_stat_read returned; -1: there is
 * none. */
long long proc_stat_number(const char *fields, int number);
