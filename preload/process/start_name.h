// SPDX-License-Identifier: Apache-2.0
/* What the program was started as: the last part of the path that execve was given, which for
 * a script is the script's. That is how people call a service; the file that runs may be
 * another one (redis-check-rdb behind redis-server, python3.11 behind app.py, busybox). */
#ifndef SCPROF_PRELOAD_PROCESS_START_NAME_H
#define SCPROF_PRELOAD_PROCESS_START_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "preload/system/util.h"

/* Copies the name: it lies where the program may write later. Start-up only; keeps errno. `exe`
 * is the executable's path ("": not known), whose last part stands in where the kernel was given
 * no name (start_name_choose). `room`: of the whole name, cut to what fits. */
HIDDEN void start_name_read(char *name, size_t room, const char *exe);

/* The choice alone, without system calls. The last part of `started`, unless that is "", NULL or no
 * name: a descriptor (fexecve: /dev/fd/3, /proc/self/fd/3), /proc/PID/exe, or has control
 * characters. Then of `exe`, without the " (deleted)" of the kernel; "" where that is not known. */
HIDDEN void start_name_choose(char *name, size_t room, const char *started, const char *exe);

/* How many of `length` bytes of a name fit in `most` without a cut inside a UTF-8 character. */
HIDDEN size_t start_name_fits(const char *name, size_t length, size_t most);

#define START_NAME_OF_FILE 201u /* bytes; of a whole file name 255 */

/* As it is in the name of a file: cut, and never empty. */
HIDDEN void start_name_of_file(char name[START_NAME_OF_FILE], const char *program);

#endif
