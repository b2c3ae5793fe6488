// SPDX-License-Identifier: GPL-3.0-or-later
#include "collector/attach/safe_point/safe_point_private.h"

#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

size_t memory_some(pid_t pid, uint64_t at, void *to, size_t bytes)
{
	struct iovec here = {.iov_base = to, .iov_len = bytes};
	struct iovec there = {.iov_base = (void *)(uintptr_t)at, .iov_len = bytes};
	ssize_t n = process_vm_readv(pid, &here, 1, &there, 1, 0);
	return n > 0 ? (size_t)n : 0;
}

bool memory_read(pid_t pid, uint64_t at, void *to, size_t bytes)
{
	return memory_some(pid, at, to, bytes) == bytes;
}

void *memory_copy(pid_t pid, uint64_t at, size_t bytes)
{
	void *to = bytes > 0 ? malloc(bytes) : NULL;
	if (to != NULL && !memory_read(pid, at, to, bytes)) {
		free(to);
		return NULL;
	}
	return to;
}

bool memory_word(struct safe_point_window *w, uint64_t at, uint64_t *word)
{
	uint64_t offset = at - w->start;
	if (w->bytes < sizeof(*word) || offset > w->bytes - sizeof(*word)) {
		w->start = at;
		w->bytes = memory_some(w->pid, at, w->data, sizeof(w->data));
		if (w->bytes < sizeof(*word))
			return false;
		offset = 0;
	}
	memcpy(word, w->data + offset, sizeof(*word));
	return true;
}
