// SPDX-License-Identifier: Apache-2.0
/* What follows a frame without unwind tables: generated code, and objects that were built without
 * them. Where such code keeps frame pointers, a frame's begins a record: the caller's frame
 * pointer, then the return address. Nothing vouches for it, so each step is checked:
 *
 * - the record is aligned, can be read, and lies above the frames so far, at most FRAME_MOST away;
 * - the return address lies in a code segment of a loaded object, right after a call instruction;
 *   or outside of all objects, right after a call instruction or within GENERATED_SPAN of
 *   generated code that this walk has met: interpreters push return addresses themselves.
 *
 * Code that uses the frame pointer for something else has another value in it at each call: a path
 * that depends on that would be a new one each time. So where a step was refused once, the frame
 * pointer is not asked for again, and that of a record is read when it is asked for.
 *
 * All stack words that decide are noted. Code is not: as long as the words are equal, it is what
 * the program will return to. */
#include <elf.h>
#include <link.h>
#include <sys/auxv.h>

#include "arch_call.h"
#include "preload/system/stack.h"
#include "preload/system/util.h"
#include "preload/unwind/unwind.h"

/* A larger frame is taken for none; runtimes reserve one range for code (V8 128 MB, HotSpot 240);
 * what is so near the stack pointer is stack, unless its end is known. */
#define FRAME_MOST     (UINT64_C(1) << 20)
#define GENERATED_SPAN (UINT64_C(1) << 28)
#define STACK_SPAN     (UINT64_C(1) << 23)

/* The function that the kernel enters a program by has no table before glibc 2.33 on AArch64. It is
 * no longer than this, and the first behind it that calls anything (crtstuff.c) lies further on. */
#define ENTRY_BYTES 96

/* Return addresses into code that keeps no frame pointer; a later one replaces another. */
#define REFUSED_SLOTS 1024u
static LARGE uint64_t refused[REFUSED_SLOTS];
static bool some_refused;

/* A signal trampoline without call-frame information, where the processor's kernel
 * has such: the registers of the interrupted frame lie above the stack pointer. */
static enum unwind_result step_trampoline(struct unwind_cursor *c)
{
	uint64_t base, pc, sp;
	const uint32_t *code = (const uint32_t *)c->pc;
	if (!ARCH_SIGNAL_CODE || (c->pc & 3) || !c->readable(c->context, c->pc) ||
	    ((uint64_t)code[1] << 32 | code[0]) != ARCH_SIGNAL_CODE)
		return UNWIND_CUT;
	if (!unwind_register_get(c, ARCH_SP, &base) ||
	    !unwind_memory_read(c, base + ARCH_SIGNAL_PC, &pc) ||
	    !unwind_memory_read(c, base + ARCH_SIGNAL_SP, &sp))
		return UNWIND_CUT;
	for (unsigned i = 0; i < ARCH_REGS; i++)
		c->reg[i] =
			(struct unwind_register){base + ARCH_SIGNAL_REGS + 8 * i, UNWIND_MEMORY};
	c->reg[ARCH_SP] = (struct unwind_register){sp, UNWIND_VALUE};
	c->fp_is_start = false;
	c->cfa = sp;
	c->pc = pc;
	c->exact = true;
	return UNWIND_STEPPED;
}

bool unwind_find_row(struct unwind_cursor *c, bool *signal_frame, uint64_t *ra)
{
	if (unwind_cfi_find_row(c, signal_frame, ra))
		return true;
	if (c->pc - 1 - getauxval(AT_ENTRY) >= ENTRY_BYTES)
		return false;
	c->work->row.rule[ARCH_RA].kind = RULE_UNDEFINED;
	*signal_frame = false;
	*ra = ARCH_RA;
	return true;
}

enum unwind_result unwind_step(struct unwind_cursor *c)
{
	uint64_t ra_column;
	bool signal_frame;

	c->no_row = false;
	if (unwind_find_row(c, &signal_frame, &ra_column))
		return unwind_row_apply(c, signal_frame, ra_column);
	enum unwind_result r = step_trampoline(c);
	c->no_row = r == UNWIND_CUT;
	return r;
}

void unwind_chain_forget(void)
{
	if (!__atomic_exchange_n(&some_refused, false, __ATOMIC_RELAXED))
		return;
	for (unsigned i = 0; i < REFUSED_SLOTS; i++)
		__atomic_store_n(&refused[i], 0, __ATOMIC_RELAXED);
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static bool can_read_code(struct unwind_cursor *c, uint64_t address)
{
	return address > 4096 &&
	       c->readable(c->context, (address - ARCH_CALL_BYTES) & ~UINT64_C(7)) &&
	       c->readable(c->context, (address - 1) & ~UINT64_C(7));
}

/* The first page of an object has its program headers. */
static bool is_in_code_segment(struct unwind_cursor *c, const struct unwind_object *o, uint64_t pc)
{
	uint32_t count;
	const ElfW(Phdr) *p =
		c->readable(c->context, o->start) ? unwind_object_headers(o, &count) : NULL;
	for (uint32_t i = 0; p && i < count; i++)
		if (p[i].p_type == PT_LOAD && (p[i].p_flags & PF_X) &&
		    pc - o->base - p[i].p_vaddr < p[i].p_memsz)
			return true;
	return false;
}

/* Where a thread's own stack ends is known: a runtime's code may begin right there. */
static bool is_stack(const struct unwind_cursor *c, uint64_t address)
{
	if (!stack_holds(c->cfa - 8) || stack_ends_at_arguments())
		return distance(address, c->cfa) < STACK_SPAN;
	return address < stack_bounds.end && address + STACK_SPAN > c->cfa;
}

/* `met`: the code that the walk has met so far tells, too. */
static bool is_return_address(struct unwind_cursor *c, uint64_t pc, bool met)
{
	struct unwind_object o;
	if (is_stack(c, pc) || !can_read_code(c, pc))
		return false;
	if (unwind_object_find_object(pc - 1, &o))
		return is_in_code_segment(c, &o, pc - 1) && arch_follows_call(pc);
	if (!arch_follows_call(pc) &&
	    (!met || !c->generated || distance(pc, c->generated) > GENERATED_SPAN))
		return false;
	c->generated = pc;
	return true;
}

struct record {
	uint64_t at, ra;
};

static bool read_record(struct unwind_cursor *c, struct record *r)
{
	if (!unwind_register_get(c, ARCH_FP, &r->at) || r->at < c->cfa ||
	    r->at - c->cfa > FRAME_MOST || !unwind_memory_read(c, r->at + 8, &r->ra))
		return false;
	r->ra = ARCH_STRIP_RA(r->ra);
	return is_return_address(c, r->ra, true);
}

/* Of its own: a step by the tables is not to find less stack. */
static COLD enum unwind_result follow(struct unwind_cursor *c)
{
	struct record r;
	uint64_t *slot = &refused[hash_mix(c->pc) % REFUSED_SLOTS];
	/* At an interrupted instruction the frame pointer may not be this function's yet. */
	if (c->exact || __atomic_load_n(slot, __ATOMIC_RELAXED) == c->pc ||
	    (!c->heuristic && !is_return_address(c, c->pc, false)))
		return UNWIND_CUT;
	if (!read_record(c, &r)) {
		__atomic_store_n(&some_refused, true, __ATOMIC_RELAXED);
		__atomic_store_n(slot, c->pc, __ATOMIC_RELAXED);
		return UNWIND_CUT;
	}
	for (unsigned i = 0; i < ARCH_REGS; i++)
		c->reg[i] = (struct unwind_register){0, UNWIND_UNKNOWN};
	c->reg[ARCH_FP] = (struct unwind_register){r.at, UNWIND_MEMORY};
	if (ARCH_CHAIN_GIVES_SP)
		c->reg[ARCH_SP] = (struct unwind_register){r.at + 16, UNWIND_VALUE};
	c->fp_is_start = false;
	c->cfa = r.at + 16;
	c->pc = r.ra;
	c->heuristic = true;
	return UNWIND_STEPPED;
}

/* Above a coroutine's outermost function (makecontext) may be anything. */
static COLD bool is_called(struct unwind_cursor *c)
{
	return is_return_address(c, c->pc, false);
}

enum unwind_result unwind_chain_step(struct unwind_cursor *c)
{
	enum unwind_result r = unwind_step(c);
	if (r == UNWIND_CUT && c->no_row)
		return follow(c);
	c->heuristic = false;
	if (unlikely(r == UNWIND_STEPPED && c->uncalled && !c->exact) && !is_called(c))
		return UNWIND_CUT;
	return r;
}
