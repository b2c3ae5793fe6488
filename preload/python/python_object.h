// SPDX-License-Identifier: Apache-2.0
/* Text and bytes objects of the interpreter, checked before they are read. Slow path only. */
#ifndef SCPROF_PRELOAD_PYTHON_PYTHON_OBJECT_H
#define SCPROF_PRELOAD_PYTHON_PYTHON_OBJECT_H

#include "preload/python/python_layout.h"
#include "preload/python/python_table.h"
#include "preload/table/thread.h"

static inline uint64_t python_object_word(uint64_t address)
{
	uint64_t word;
	__builtin_memcpy(&word, (const void *)address, sizeof word);
	return word;
}

static inline uint32_t python_object_half(uint64_t address)
{
	uint32_t half;
	__builtin_memcpy(&half, (const void *)address, sizeof half);
	return half;
}

/* Can so many bytes of an object be read, and does it lie where objects do? */
HIDDEN bool python_object_can_read(struct scp_thread *t, uint64_t address, uint64_t bytes);

/* A str as UTF-8, NUL-terminated, in `room` bytes; what is too long loses its beginning, or its
 * end. Control characters, and what UTF-8 cannot have, become U+FFFD. False: it is none, or one
 * whose characters lie elsewhere (a subclass). */
enum python_object_keep { PYTHON_OBJECT_BEGINNING, PYTHON_OBJECT_END };
HIDDEN bool python_object_text(struct scp_thread *t, const struct python_layout *layout,
			       uint64_t address, char *to, uint32_t room,
			       enum python_object_keep keep);

/* First line and table of a code object, which was found to be one. Tables of more than 1 MB are
 * not read (NULL). False: there is none. */
HIDDEN bool python_object_lines(struct scp_thread *t, const struct python_layout *layout,
				uint64_t code, struct python_lines *lines);

#endif
