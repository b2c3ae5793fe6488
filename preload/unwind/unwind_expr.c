// SPDX-License-Identifier: Apache-2.0
/* DWARF expressions (DWARF 5, section 2.5), with the operators that linkers, compilers and libc
 * write into call-frame information: for procedure linkage tables, signal trampolines, realigned
 * frames, and registers whose size the processor tells. */
#include "preload/unwind/unwind.h"

#define DEPTH (sizeof((struct unwind_work *)0)->expression_stack / sizeof(uint64_t))

struct stack {
	uint64_t *v;
	unsigned n;
	bool bad;
};

static void push(struct stack *s, uint64_t v)
{
	if (s->n >= DEPTH)
		s->bad = true;
	else
		s->v[s->n++] = v;
}

static uint64_t pop(struct stack *s)
{
	if (!s->n) {
		s->bad = true;
		return 0;
	}
	return s->v[--s->n];
}

/* Operators that take two values. */
static bool binary(uint8_t op, uint64_t a, uint64_t b, uint64_t *out)
{
	*out = op == DW_OP_and	   ? a & b
	       : op == DW_OP_minus ? a - b
	       : op == DW_OP_mul   ? a * b
	       : op == DW_OP_plus  ? a + b
	       : op == DW_OP_shl   ? (b < 64 ? a << b : 0)
				   : (int64_t)a >= (int64_t)b;
	return op == DW_OP_and || op == DW_OP_minus || op == DW_OP_mul || op == DW_OP_plus ||
	       op == DW_OP_shl || op == DW_OP_ge;
}

/* An operator that brings a value of its own. */
static bool value_of(struct unwind_cursor *c, struct dwarf_reader *r, uint8_t op, uint64_t *value)
{
	if (op >= DW_OP_lit0 && op <= DW_OP_lit31) {
		*value = (uint64_t)(op - DW_OP_lit0);
		return true;
	}
	if ((op >= DW_OP_breg0 && op <= DW_OP_breg31) || op == DW_OP_bregx) {
		uint64_t reg = op == DW_OP_bregx ? dwarf_uleb(r) : (uint64_t)(op - DW_OP_breg0);
		uint64_t offset = (uint64_t)dwarf_sleb(r);
		if (!unwind_register_get(c, reg, value))
			return false;
		*value += offset;
		return true;
	}
	if (op >= DW_OP_const1u && op <= DW_OP_const8s) {
		unsigned bytes = 1u << (op - DW_OP_const1u) / 2;
		bool is_signed = (op - DW_OP_const1u) % 2 != 0;
		*value = is_signed ? (uint64_t)dwarf_signed(r, bytes) : dwarf_bytes(r, bytes);
		return true;
	}
	if (op == DW_OP_constu || op == DW_OP_consts) {
		*value = op == DW_OP_constu ? dwarf_uleb(r) : (uint64_t)dwarf_sleb(r);
		return true;
	}
	return false;
}

/* One operator. False: it cannot be evaluated. */
static bool step(struct unwind_cursor *c, struct stack *s, struct dwarf_reader *r)
{
	uint8_t op = (uint8_t)dwarf_bytes(r, 1);
	uint64_t value, top;
	if (value_of(c, r, op, &value)) {
		push(s, value);
		return !s->bad;
	}
	top = pop(s);
	if (s->bad)
		return false;
	if (op == DW_OP_drop)
		return true;
	if (op == DW_OP_plus_uconst)
		value = top + dwarf_uleb(r);
	else if (op == DW_OP_deref ? !unwind_memory_read(c, top, &value)
				   : !binary(op, pop(s), top, &value))
		return false;
	push(s, value);
	return !s->bad;
}

/* Each operator takes a byte at least, and none jumps back: it ends. */
bool unwind_expr_evaluate(struct unwind_cursor *c, uint64_t block, bool push_initial,
			  uint64_t initial, uint64_t *value)
{
	struct stack s = {c->work->expression_stack, 0, false};
	struct dwarf_reader r;
	if (!unwind_memory_open_block(c, block, &r))
		return false;
	if (push_initial)
		push(&s, initial);
	while (r.p < r.end)
		if (!step(c, &s, &r) || r.bad)
			return false;
	*value = pop(&s);
	return !s.bad;
}

/* The registers of a frame. They are followed lazily: a saved one costs (and the result depends on)
 * a stack word only when its value is asked for. */

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
