// SPDX-License-Identifier: GPL-3.0-or-later
/* A thread's state for tests: a table in memory, that no file grows behind. And what a handler does
 * to it that leaves by siglongjmp, at each instruction in turn. */
#ifndef TESTS_UNIT_PRELOAD_MADE_THREAD_H
#define TESTS_UNIT_PRELOAD_MADE_THREAD_H

#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "preload/filter/filter.h"
#include "preload/switches/switch_track.h"
#include "preload/table/thread.h"

static inline struct scp_thread *made_thread(uint64_t chunk_bytes, size_t index_bytes)
{
	static struct scp_header header;
	static struct profile_file file = {.header = &header,
					   .growing = 1}; /* by another thread: no room */
	static uint64_t no_ticks;
	size_t bytes = (sizeof(struct scp_thread) + 63) & ~(size_t)63;
	struct scp_thread *t = aligned_alloc(64, bytes);

	memset(t, 0, bytes);
	t->chunk = (struct file_chunk){.chunk = aligned_alloc(64, chunk_bytes),
				       .bytes = chunk_bytes,
				       sizeof(struct scp_chunk)};
	memset(t->chunk.chunk, 0, chunk_bytes);
	t->chunk_bytes = SCP_GRANULE;
	t->file = &file;
	t->table = calloc(1, sizeof *t->table);
	t->index.first = index_bytes;
	t->index.limit = 1 << 28;
	t->clock = SCP_CLOCK_PAGE; /* that stands still */
	clock_chosen.page = &no_ticks;
	t->generation = 1;
	process_epoch.now.generation = 1;
	switch_detector_release(&t->switches);
	filter.depth = SCP_MAX_FRAMES;
	filter.full_flag = SCP_PATH_TRUNCATED;
	return t;
}

static inline void made_thread_free(struct scp_thread *t)
{
	arena_release(&t->index);
	arena_release(&t->memos);
	if (t->walk.rows)
		arena_unmap(t->walk.rows, t->walk.sets * sizeof *t->walk.rows);
	free(t->chunk.chunk);
	free(t->table);
	free(t);
}

/* The record of a path; NULL: there is none. */
static inline const struct scp_path *made_thread_path(const struct scp_thread *t, uint32_t id)
{
	const struct scp_path *found = NULL;
	const uint8_t *chunk = (const uint8_t *)t->chunk.chunk;

	for (uint64_t at = sizeof(struct scp_chunk); at < t->chunk.used;) {
		const struct scp_path *p = (const struct scp_path *)(chunk + at);
		if (p->rec.type == SCP_REC_PATH && p->id == id) {
			assert_null(found);
			found = p;
		}
		assert_true(p->rec.bytes > 0);
		at += p->rec.bytes;
	}
	return found;
}

/* The frames of a path, as a reader finds them. Returns how many there are. */
static inline uint32_t made_thread_frames(const struct scp_thread *t, uint32_t id, uint64_t *frame)
{
	const struct scp_path *p = made_thread_path(t, id);
	uint32_t frames;

	assert_non_null(p);
	frames = p->frames;
	for (uint32_t at = 0; at < frames;) {
		uint32_t own = p->frames - p->shared, skip = p->frames - (frames - at);
		for (uint32_t i = skip; i < own; i++)
			frame[at++] = p->frame[i];
		if (at == frames)
			break;
		assert_true(p->base > 0 && p->base < p->id);
		uint32_t shared = p->shared;
		p = made_thread_path(t, p->base);
		assert_non_null(p);
		assert_true(p->frames >= shared);
	}
	return frames;
}

#ifdef __x86_64__
static struct left_state {
	sigjmp_buf back;
	volatile long steps, most;
	void (*at_each)(void);
} left;

static inline void left_on_trap(int sig)
{
	(void)sig;
	if (left.at_each)
		left.at_each();
	if (++left.steps == left.most)
		siglongjmp(left.back, 1);
}

/* Call `f` and leave it when so many instructions were carried out (-1: never). True: it was left.
 * No signals may be held meanwhile: sys_sandboxed. */
static __attribute__((noinline, unused)) bool left_after(long instructions, void (*f)(void *),
							 void *argument)
{
	struct sigaction trap = {.sa_handler = left_on_trap}, before;
	volatile bool gone = false;

	sigaction(SIGTRAP, &trap, &before);
	left.steps = 0;
	left.most = instructions;
	if (sigsetjmp(left.back, 1) == 0) {
		__asm__ volatile("lea -128(%%rsp), %%rsp; pushfq; orq $0x100, (%%rsp); popfq;"
				 "lea 128(%%rsp), %%rsp" ::
					 : "memory", "cc");
		f(argument);
		__asm__ volatile("lea -128(%%rsp), %%rsp; pushfq; andq $~0x100, (%%rsp); popfq;"
				 "lea 128(%%rsp), %%rsp" ::
					 : "memory", "cc");
	} else {
		gone = true;
	}
	sigaction(SIGTRAP, &before, NULL);
	return gone;
}

/* Each instruction costs a trap for all before it. So functions are left at one in so many; at each
 * of them with $LONG, as in `make check-long`. */
static inline long left_stride(void)
{
	return getenv("LONG") ? 1 : 7;
}
#endif

#endif
