// SPDX-License-Identifier: GPL-3.0-or-later
/* A page that the tool and the command's processes map. Whoever may write it may cut it: then the
 * tool goes on, with a page that holds zeros. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Programs that drop their privileges and exec must still be able to read it; to write it, too,
 * where the directory lets in nobody else. */
#define SHARED_PAGE_READ  0644
#define SHARED_PAGE_WRITE 0666

/* A new file of zeros, its memory reserved, mapped to write; of `mode` whatever the umask. NULL
 * with errno, and no file. */
void *shared_page_create(const char *path, size_t bytes, mode_t mode);
/* Unmaps it, and removes the file. */
void shared_page_remove(void *page, const char *path);

/* Has it been cut, now or before? */
bool shared_page_was_cut(const void *page);

/* Starts a thread that may touch a page: signals are for the others, but the one that repairs it.
 * 0, or the error's number. */
int shared_page_start_thread(pthread_t *thread, void *(*body)(void *argument), void *argument);
