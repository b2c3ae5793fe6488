// SPDX-License-Identifier: GPL-3.0-or-later
/* See empty.c. */
#ifndef EMPTY_H
#define EMPTY_H

#include <sys/types.h>

ssize_t empty_chosen(int fd, const void *buf, size_t n, int flags);
long empty_around(void (*inner)(long), long n);

#endif
