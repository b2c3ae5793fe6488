// SPDX-License-Identifier: Apache-2.0
/* The registers of a frame. They are followed lazily: a saved one costs (and the result depends on)
 * a stack word only when its value is asked for. */
#include "preload/unwind/unwind.h"

void unwind_register_begin(struct unwind_cursor *c, uint64_t pc, uint64_t sp, uint64_t fp)
{
	for (unsigned i = 0; i < ARCH_REGS; i++)
		c->reg[i] = (struct unwind_register){0, UNWIND_UNKNOWN};
	c->pc = pc;
	c->exact = false;
	c->cfa = sp;
	c->reg[ARCH_SP] = (struct unwind_register){sp, UNWIND_VALUE};
	c->reg[ARCH_FP] = (struct unwind_register){fp, UNWIND_VALUE};
	c->used_fp = false;
	c->fp_is_start = true;
	c->no_row = c->heuristic = false;
	c->generated = 0;
}

bool unwind_register_get(struct unwind_cursor *c, uint64_t reg, uint64_t *value)
{
	if (reg == ARCH_RA && c->reg[ARCH_RA].place == UNWIND_UNKNOWN) {
		*value = c->pc;
		return true;
	}
	if (reg == ARCH_VG) {
		*value = arch_vector_granules();
		return *value != 0;
	}
	if (reg >= ARCH_REGS || c->reg[reg].place == UNWIND_UNKNOWN)
		return false;
	if (c->reg[reg].place == UNWIND_MEMORY) {
		if (!unwind_memory_read(c, c->reg[reg].v, value))
			return false;
		c->reg[reg] = (struct unwind_register){*value, UNWIND_VALUE};
		return true;
	}
	if (reg == ARCH_FP && c->fp_is_start)
		c->used_fp = true;
	*value = c->reg[reg].v;
	return true;
}
