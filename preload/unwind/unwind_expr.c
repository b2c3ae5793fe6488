// SPDX-License-Identifier: Apache-2.0
/* DWARF expressions (DWARF 5, section 2.5) as call-frame information uses them:
 * procedure linkage tables, signal trampolines, realigned frames. */
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

static uint64_t pick(struct stack *s, uint64_t depth)
{
	if (depth >= s->n) {
		s->bad = true;
		return 0;
	}
	return s->v[s->n - 1 - depth];
}

/* DW_OP_div and DW_OP_mod, which alone may have no result. */
static bool divide(uint8_t op, uint64_t a, uint64_t b, uint64_t *out)
{
	int64_t sa = (int64_t)a, sb = (int64_t)b;
	if (!b || (op == DW_OP_div && sa == INT64_MIN && sb == -1))
		return false;
	*out = op == DW_OP_div ? (uint64_t)(sa / sb) : a % b;
	return true;
}

/* DW_OP_eq ... DW_OP_ne: of signed values. */
static uint64_t compare(uint8_t op, int64_t a, int64_t b)
{
	switch (op) {
	case DW_OP_eq:
		return a == b;
	case DW_OP_ge:
		return a >= b;
	case DW_OP_gt:
		return a > b;
	case DW_OP_le:
		return a <= b;
	case DW_OP_lt:
		return a < b;
	default:
		return a != b;
	}
}

/* Operators that take two values: DW_OP_and ... DW_OP_xor, and those above. */
static bool binary(uint8_t op, uint64_t a, uint64_t b, uint64_t *out)
{
	switch (op) {
	case DW_OP_and:
		*out = a & b;
		return true;
	case DW_OP_div:
	case DW_OP_mod:
		return divide(op, a, b, out);
	case DW_OP_minus:
		*out = a - b;
		return true;
	case DW_OP_mul:
		*out = a * b;
		return true;
	case DW_OP_or:
		*out = a | b;
		return true;
	case DW_OP_plus:
		*out = a + b;
		return true;
	case DW_OP_shl:
		*out = b < 64 ? a << b : 0;
		return true;
	case DW_OP_shr:
		*out = b < 64 ? a >> b : 0;
		return true;
	case DW_OP_shra:
		*out = (uint64_t)((int64_t)a >> (b < 63 ? b : 63));
		return true;
	case DW_OP_xor:
		*out = a ^ b;
		return true;
	default:
		if (op < DW_OP_eq || op > DW_OP_ne)
			return false;
		*out = compare(op, (int64_t)a, (int64_t)b);
		return true;
	}
}

/* Operators without an operand that change the stack in other ways. */
static bool rearrange(struct stack *s, uint8_t op)
{
	uint64_t a, b, t;
	switch (op) {
	case DW_OP_dup:
		push(s, pick(s, 0));
		return true;
	case DW_OP_drop:
		pop(s);
		return true;
	case DW_OP_over:
		push(s, pick(s, 1));
		return true;
	case DW_OP_swap:
		a = pop(s), b = pop(s);
		push(s, a), push(s, b);
		return true;
	case DW_OP_rot:
		a = pop(s), b = pop(s), t = pop(s);
		push(s, a), push(s, t), push(s, b);
		return true;
	case DW_OP_abs:
		a = pop(s);
		push(s, (int64_t)a < 0 ? -a : a);
		return true;
	case DW_OP_neg:
		push(s, -pop(s));
		return true;
	case DW_OP_not:
		push(s, ~pop(s));
		return true;
	case DW_OP_nop:
		return true;
	default:
		return false;
	}
}

/* Constants and register-relative values. */
static bool literal(struct unwind_cursor *c, struct stack *s, struct dwarf_reader *r, uint8_t op)
{
	uint64_t value, reg;
	if (op >= DW_OP_lit0 && op <= DW_OP_lit31) {
		push(s, (uint64_t)(op - DW_OP_lit0));
		return true;
	}
	if ((op >= DW_OP_breg0 && op <= DW_OP_breg31) || op == DW_OP_bregx) {
		reg = op == DW_OP_bregx ? dwarf_uleb(r) : (uint64_t)(op - DW_OP_breg0);
		int64_t offset = dwarf_sleb(r);
		if (!unwind_register_get(c, reg, &value))
			return false;
		push(s, value + (uint64_t)offset);
		return true;
	}
	if (op >= DW_OP_const1u && op <= DW_OP_const8s) {
		unsigned bytes = 1u << (op - DW_OP_const1u) / 2;
		bool is_signed = (op - DW_OP_const1u) % 2 != 0;
		push(s, is_signed ? (uint64_t)dwarf_signed(r, bytes) : dwarf_bytes(r, bytes));
		return true;
	}
	switch (op) {
	case DW_OP_addr:
		push(s, dwarf_bytes(r, 8));
		return true;
	case DW_OP_constu:
		push(s, dwarf_uleb(r));
		return true;
	case DW_OP_consts:
		push(s, (uint64_t)dwarf_sleb(r));
		return true;
	case DW_OP_pick:
		push(s, pick(s, dwarf_bytes(r, 1)));
		return true;
	case DW_OP_plus_uconst:
		push(s, pop(s) + dwarf_uleb(r));
		return true;
	default:
		return false;
	}
}

/* Loads and jumps. */
static bool access_or_jump(struct unwind_cursor *c, struct stack *s, struct dwarf_reader *r,
			   const uint8_t *start, uint8_t op)
{
	uint64_t value;
	if (op == DW_OP_deref) {
		if (!unwind_memory_read(c, pop(s), &value))
			return false;
		push(s, value);
		return true;
	}
	if (op != DW_OP_bra && op != DW_OP_skip)
		return false;
	int64_t by = dwarf_signed(r, 2);
	if (op == DW_OP_bra && !pop(s))
		return true;
	if (by < start - r->p || by > r->end - r->p)
		return false;
	r->p += by;
	return true;
}

bool unwind_expr_evaluate(struct unwind_cursor *c, uint64_t block, bool push_initial,
			  uint64_t initial, uint64_t *value)
{
	struct stack s = {c->work->expression_stack, 0, false};
	struct dwarf_reader r;
	if (!unwind_memory_open_block(c, block, &r))
		return false;
	const uint8_t *start = r.p;
	if (push_initial)
		push(&s, initial);
	for (unsigned steps = 0; r.p < r.end; steps++) {
		uint8_t op = (uint8_t)dwarf_bytes(&r, 1);
		uint64_t out;
		if (steps > 1000)
			return false;
		if ((op >= DW_OP_and && op <= DW_OP_mul) ||
		    (op >= DW_OP_or && op <= DW_OP_xor && op != DW_OP_plus_uconst) ||
		    (op >= DW_OP_eq && op <= DW_OP_ne)) {
			uint64_t b = pop(&s), a = pop(&s);
			if (!binary(op, a, b, &out))
				return false;
			push(&s, out);
		} else if (!literal(c, &s, &r, op) && !rearrange(&s, op) &&
			   !access_or_jump(c, &s, &r, start, op)) {
			return false;
		}
		if (s.bad || r.bad)
			return false;
	}
	*value = pop(&s);
	return !s.bad;
}
