// SPDX-License-Identifier: Apache-2.0
/* glibc keeps what pthread_getspecific gives in the thread's control block: for 32 keys
 * struct pthread_key_data {uintptr_t seq; void *data;} specific_1stblock[32], and behind that
 * *specific[32], of which the first leads to that block, and the others to blocks of further keys,
 * or are NULL. Where this lies differs between versions: it is looked for, once a process. Which
 * key is the interpreter's is found by its value.
 *
 * Since 3.15 a thread-local variable has it. Where the thread's variables of an object lie its
 * control block tells: dtv_t {void *block; void *to_free;} dtv[], by the number of the object, from
 * 1 on, with their count before the first. Which one it is is found by its value, too. */

#include <pthread.h>

#include "preload/process/process.h"
#include "preload/python/python.h"
#include "preload/python/python_private.h"
#include "preload/process/libc.h"

#define BLOCKS	    32u
#define KEYS	    32u	  /* of a block */
#define BLOCK_BYTES 512u  /* of a block */
#define TCB_BYTES   2048u /* of the control block, that are looked through */
#define NO_KEY	    UINT32_MAX
#define MODULES	    64u /* that are looked through... */
#define WORDS	    16u /* ...and so many words of each */

static uint32_t blocks_offset;	 /* from pthread_self(); 0: not found */
static uint32_t key = NO_KEY;	 /* the interpreter's */
static uint64_t finalizing_seen; /* its word, latest */
static uint64_t changes;

/* While the interpreter is asked for its state: where our frame is, and how many calls it made. A
 * handler may leave for good meanwhile, so few of them count. */
#define ASKED_BYTES 512u /* below our frame; a signal's frame takes more */
#define ASKED_CALLS 8u
static __thread uint64_t asking_at;
static __thread uint32_t asked;

bool python_is_asked(uint64_t cfa)
{
	return asking_at - cfa < ASKED_BYTES && asked++ < ASKED_CALLS;
}

static __attribute__((noinline)) uint64_t ask(const struct python_interpreter *p)
{
	asked = 0;
	asking_at = (uint64_t)__builtin_frame_address(0);
	compiler_barrier();
	uint64_t state = p->own_state();
	compiler_barrier();
	asking_at = 0;
	return state;
}

void python_state_note_change(struct scp_thread *t)
{
	uint64_t value;
	python_state_note(t, (uint64_t)&changes, &value);
	__atomic_add_fetch(&changes, 1, __ATOMIC_RELAXED);
}

/* Where specific[] is; 0: this libc has another control block. */
static uint64_t find_blocks(void)
{
	uint64_t self = (uint64_t)pthread_self();
	if (likely(blocks_offset))
		return self + blocks_offset;
	for (uint32_t at = BLOCK_BYTES; at < TCB_BYTES; at += 8)
		if (*(const uint64_t *)(self + at) == self + at - BLOCK_BYTES) {
			__atomic_store_n(&blocks_offset, at, __ATOMIC_RELAXED);
			return self + at;
		}
	return 0;
}

/* A word may be left from a key that was deleted: libc knows. */
static bool is_key(uint32_t k, uint64_t state)
{
	return pthread_getspecific && (uint64_t)pthread_getspecific(k) == state;
}

/* The key whose value is `state`; the interpreter makes it early. */
static uint32_t find_key(uint64_t blocks, uint64_t state)
{
	for (uint32_t k = 0; k < BLOCKS * KEYS; k++) {
		const uint64_t *block = ((uint64_t *const *)blocks)[k / KEYS];
		if (block && block[2 * (k % KEYS) + 1] == state && is_key(k, state))
			return k;
	}
	return NO_KEY;
}

/* Note what the thread has for key `k`, and what leads there; 0: nothing. `sequence`: the address
 * of the number of the key that it was set for; 0: there is no block. */
static uint64_t note_slot(struct scp_thread *t, uint64_t blocks, uint32_t k, uint64_t *sequence)
{
	uint64_t block = blocks - BLOCK_BYTES, value = 0;
	*sequence = 0;
	if (k >= KEYS && (!python_state_note(t, blocks + 8 * (k / KEYS), &block) || !block))
		return 0;
	*sequence = block + 16 * (k % KEYS);
	python_state_note(t, *sequence + 8, &value);
	return value;
}

/* The key is not known, or was deleted and made again (Py_Finalize, Py_Initialize): memos that say
 * that a thread has no state may be wrong. */
static COLD uint64_t search(struct scp_thread *t, uint64_t blocks, uint64_t state)
{
	uint64_t sequence;
	uint32_t found = blocks ? find_key(blocks, state) : NO_KEY;
	if (found != __atomic_load_n(&key, __ATOMIC_RELAXED)) {
		__atomic_store_n(&key, found, __ATOMIC_RELAXED);
		process_next_generation();
	}
	if (found == NO_KEY || note_slot(t, blocks, found, &sequence) != state)
		python_state_note_change(t);
	return state;
}

/* 1: go on; 0: the frames of this thread may be gone. */
static bool note_finalizing(struct scp_thread *t, const struct python_interpreter *p,
			    uint64_t state)
{
	uint64_t by = 0;
	python_state_note(t, p->finalizing, &by);
	if (unlikely(by != __atomic_load_n(&finalizing_seen, __ATOMIC_RELAXED))) {
		__atomic_store_n(&finalizing_seen, by, __ATOMIC_RELAXED);
		process_next_generation();
	}
	if (likely(!by))
		return true;
	python_state_note_change(t);
	t->python.cut = state && by != state;
	return by == state;
}

/* Its variables; 0: the thread has none of that object. */
static uint64_t find_block(const uint64_t *dtv, uint64_t module)
{
	uint64_t block = module <= dtv[-2] ? dtv[2 * module] : 0;
	return ~block ? block : 0;
}

static const uint64_t *own_dtv(void)
{
	return *(const uint64_t *const *)(arch_thread_pointer() + ARCH_DTV);
}

/* The only word that is `state`: another is, too, while the thread has the interpreter's lock. */
static COLD uint64_t search_variable(struct scp_thread *t, uint64_t state)
{
	const uint64_t *dtv = own_dtv();
	uint64_t found = 0;
	uint32_t count = 0;
	if (!python_can_follow(t, (uint64_t)(dtv - 2), 32))
		return 0;
	for (uint32_t m = 1; m < MODULES && m <= dtv[-2]; m++) {
		uint64_t block =
			python_can_follow(t, (uint64_t)(dtv + 2 * m), 8) ? find_block(dtv, m) : 0;
		for (uint32_t i = 0; i < WORDS && block; i++)
			if (python_can_follow(t, block + 8 * i, 8) &&
			    *(const uint64_t *)(block + 8 * i) == state) {
				found = (uint64_t)m << 32 | 8 * i;
				count++;
			}
	}
	return count == 1 ? found : 0;
}

static uint64_t find_in_variable(struct scp_thread *t, struct python_interpreter *p)
{
	uint64_t variable = __atomic_load_n(&p->variable, __ATOMIC_RELAXED);
	uint64_t block = variable ? find_block(own_dtv(), variable >> 32) : 0;
	uint64_t at = block + (uint32_t)variable;
	uint64_t state = block ? *(volatile uint64_t *)at : variable ? 0 : ask(p);
	if (!note_finalizing(t, p, state))
		return 0;
	if (block) {
		python_state_note(t, at, &state);
		return state;
	}
	python_state_note_change(t);
	if (state && find_blocks() && (variable = search_variable(t, state))) /* else: no glibc */
		__atomic_store_n(&p->variable, variable, __ATOMIC_RELAXED);
	return state;
}

uint64_t python_state_find(struct scp_thread *t, struct python_interpreter *p)
{
	if (p->layout.minor >= 15)
		return find_in_variable(t, p);
	uint64_t blocks = find_blocks(), state = ask(p), value = 0, sequence = 0;
	uint32_t k = __atomic_load_n(&key, __ATOMIC_RELAXED);
	if (!note_finalizing(t, p, state))
		return 0;
	if (blocks && k != NO_KEY)
		value = note_slot(t, blocks, k, &sequence);
	if (likely(value == state) && (!state || likely(is_key(k, state))))
		return state;
	if (state)
		return search(t, blocks, state);
	/* Set for a key that was deleted: until it is set again. */
	if (sequence)
		python_state_note(t, sequence, &value);
	return 0;
}
