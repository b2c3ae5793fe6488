// SPDX-License-Identifier: Apache-2.0
/* One step of an unwind in this process: by the row of call-frame information that holds at the
 * program counter, or by what the kernel laid down for a signal. */
#include "preload/unwind/unwind.h"

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

enum unwind_result unwind_step(struct unwind_cursor *c)
{
	uint64_t ra_column;
	bool signal_frame;

	c->no_row = false;
	if (unwind_cfi_find_row(c, &signal_frame, &ra_column))
		return unwind_row_apply(c, signal_frame, ra_column);
	enum unwind_result r = step_trampoline(c);
	c->no_row = r == UNWIND_CUT;
	return r;
}
