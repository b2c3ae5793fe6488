// SPDX-License-Identifier: GPL-3.0-or-later
/* Memory of another process, for the tool and for the unwinder. */
#include "collector/attach/safe_point/safe_point_private.h"
#include "profile/base/array.h"

#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#define MOST_BYTES 65536u /* of an entry */
#define MOVE_COST  256u	  /* of reading a window anew, in bytes of tables */

static _Thread_local const struct memory_copy *copy;

void memory_read_from(const struct memory_copy *from)
{
	copy = from;
}

size_t memory_some(pid_t pid, uint64_t at, void *to, size_t bytes)
{
	if (copy != NULL)
		return copy->some(copy, at, to, bytes);
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

static bool has_word(const struct safe_point_window *w, uint64_t at)
{
	return w->bytes >= sizeof(at) && at - w->start <= w->bytes - sizeof(at);
}

bool memory_word(struct safe_point_window *w, uint64_t at, uint64_t *word)
{
	if (!has_word(w, at)) {
		w->start = at;
		w->bytes = memory_some(w->pid, at, w->data, sizeof(w->data));
		if (w->bytes < sizeof(*word))
			return false;
	}
	memcpy(word, w->data + (at - w->start), sizeof(*word));
	return true;
}

/* False: there is not so much left, and nothing is left from now on. */
static bool take_work(struct unwind_memory *m, size_t bytes)
{
	bool enough = m->work >= bytes;
	m->work = enough ? m->work - bytes : 0;
	return enough;
}

bool unwind_memory_read(struct unwind_cursor *c, uint64_t address, uint64_t *value)
{
	struct unwind_memory *m = c->context;
	return (has_word(m->window, address) || take_work(m, MOVE_COST)) &&
	       memory_word(m->window, address, value);
}

bool unwind_memory_open_block(struct unwind_cursor *c, uint64_t block, struct dwarf_reader *r)
{
	struct unwind_memory *m = c->context;
	if (!take_work(m, sizeof(m->block)))
		return false;
	size_t bytes = memory_some(m->window->pid, block, m->block, sizeof(m->block));
	*r = (struct dwarf_reader){.p = m->block, .end = m->block + bytes};
	uint64_t length = dwarf_uleb(r);
	if (r->bad || length > (uint64_t)(r->end - r->p))
		return false;
	r->end = r->p + length;
	return true;
}

/* The entry whose first address is the last that is not behind `at`. 0: none. */
static uint64_t find_entry(const struct safe_point_object *o, uint64_t at)
{
	int64_t offset = (int64_t)(at - o->frame_header);
	size_t low;
	BISECT(low, o->frames, o->frame[2 * low] <= offset);
	return low > 0 ? o->frame_header + (uint64_t)(int64_t)o->frame[2 * low - 1] : 0;
}

/* An entry's content behind its length. */
static bool open_entry(struct unwind_memory *m, uint64_t at, uint8_t *data, struct dwarf_reader *r)
{
	pid_t pid = m->window->pid;
	uint32_t length;
	if (!memory_read(pid, at, &length, sizeof(length)) || length < 8 || length > MOST_BYTES ||
	    !take_work(m, length) || !memory_read(pid, at + 4, data, length))
		return false;
	*r = (struct dwarf_reader){
		.p = data, .end = data + length, .shift = at + 4 - (uint64_t)(uintptr_t)data};
	return true;
}

bool unwind_memory_find_entry(struct unwind_cursor *c, uint64_t pc, struct unwind_entry *e)
{
	static _Thread_local uint8_t own[MOST_BYTES], shared[MOST_BYTES];
	struct unwind_memory *m = c ? c->context : NULL;
	uint64_t at = m && m->object ? find_entry(m->object, pc) : 0;
	if (at == 0 || !open_entry(m, at, own, &e->fde))
		return false;
	uint64_t back = dwarf_bytes(&e->fde, 4);
	return back != 0 && open_entry(m, at + 4 - back, shared, &e->cie);
}
