// SPDX-License-Identifier: Apache-2.0
/* DWARF expressions (DWARF 5, section 2.5) as call-frame information uses them:
 * procedure linkage tables, signal trampolines, realigned frames. */
#include "preload/unwind/unwind.h"
#include "preload/unwind/dwarf_read.h"
#include "preload/system/util.h"

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

/* DW_OP_div 0x1b and DW_OP_mod 0x1d, which alone may have no result. */
static bool divide(uint8_t op, uint64_t a, uint64_t b, uint64_t *out)
{
	int64_t sa = (int64_t)a, sb = (int64_t)b;
	if (!b || (op == 0x1b && sa == INT64_MIN && sb == -1))
		return false;
	*out = op == 0x1b ? (uint64_t)(sa / sb) : a % b;
	return true;
}

/* DW_OP_eq 0x29 ... DW_OP_ne 0x2e: of signed values. */
static uint64_t compare(uint8_t op, int64_t a, int64_t b)
{
	switch (op) {
	case 0x29:
		return a == b;
	case 0x2a:
		return a >= b;
	case 0x2b:
		return a > b;
	case 0x2c:
		return a <= b;
	case 0x2d:
		return a < b;
	default:
		return a != b;
	}
}

/* Operators that take two values: DW_OP_and 0x1a ... DW_OP_xor 0x27, and those above. */
static bool binary(uint8_t op, uint64_t a, uint64_t b, uint64_t *out)
{
	switch (op) {
	case 0x1a:
		*out = a & b;
		return true;
	case 0x1b:
	case 0x1d:
		return divide(op, a, b, out);
	case 0x1c:
		*out = a - b;
		return true;
	case 0x1e:
		*out = a * b;
		return true;
	case 0x21:
		*out = a | b;
		return true;
	case 0x22:
		*out = a + b;
		return true;
	case 0x24:
		*out = b < 64 ? a << b : 0;
		return true;
	case 0x25:
		*out = b < 64 ? a >> b : 0;
		return true;
	case 0x26:
		*out = (uint64_t)((int64_t)a >> (b < 63 ? b : 63));
		return true;
	case 0x27:
		*out = a ^ b;
		return true;
	default:
		if (op < 0x29 || op > 0x2e)
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
	case 0x12:
		push(s, pick(s, 0));
		return true; /* dup */
	case 0x13:
		pop(s);
		return true; /* drop */
	case 0x14:
		push(s, pick(s, 1));
		return true; /* over */
	case 0x16:	     /* swap */
		a = pop(s), b = pop(s);
		push(s, a), push(s, b);
		return true;
	case 0x17: /* rot */
		a = pop(s), b = pop(s), t = pop(s);
		push(s, a), push(s, t), push(s, b);
		return true;
	case 0x19: /* abs */
		a = pop(s);
		push(s, (int64_t)a < 0 ? -a : a);
		return true;
	case 0x1f:
		push(s, -pop(s));
		return true; /* neg */
	case 0x20:
		push(s, ~pop(s));
		return true; /* not */
	case 0x96:
		return true; /* nop */
	default:
		return false;
	}
}

/* Constants and register-relative values. */
static bool literal(struct unwind_cursor *c, struct stack *s, struct dwarf_reader *r, uint8_t op)
{
	uint64_t value, reg;
	if (op >= 0x30 && op <= 0x4f) { /* lit0 ... lit31 */
		push(s, op - 0x30u);
		return true;
	}
	if ((op >= 0x70 && op <= 0x8f) || op == 0x92) { /* breg0 ... breg31, bregx */
		reg = op == 0x92 ? dwarf_uleb(r) : op - 0x70u;
		int64_t offset = dwarf_sleb(r);
		if (!unwind_get(c, reg, &value))
			return false;
		push(s, value + (uint64_t)offset);
		return true;
	}
	switch (op) {
	case 0x03:
		push(s, dwarf_bytes(r, 8));
		return true;
	case 0x08:
		push(s, dwarf_bytes(r, 1));
		return true;
	case 0x09:
		push(s, (uint64_t)dwarf_signed(r, 1));
		return true;
	case 0x0a:
		push(s, dwarf_bytes(r, 2));
		return true;
	case 0x0b:
		push(s, (uint64_t)dwarf_signed(r, 2));
		return true;
	case 0x0c:
		push(s, dwarf_bytes(r, 4));
		return true;
	case 0x0d:
		push(s, (uint64_t)dwarf_signed(r, 4));
		return true;
	case 0x0e:
	case 0x0f:
		push(s, dwarf_bytes(r, 8));
		return true;
	case 0x10:
		push(s, dwarf_uleb(r));
		return true;
	case 0x11:
		push(s, (uint64_t)dwarf_sleb(r));
		return true;
	case 0x15:
		push(s, pick(s, dwarf_bytes(r, 1)));
		return true;
	case 0x23:
		push(s, pop(s) + dwarf_uleb(r));
		return true; /* plus_uconst */
	default:
		return false;
	}
}

/* clang-format on */

/* Loads and jumps. */
static bool access_or_jump(struct unwind_cursor *c, struct stack *s, struct dwarf_reader *r,
			   const uint8_t *start, uint8_t op)
{
	uint64_t value;
	if (op == 0x06) { /* deref */
		if (!unwind_read(c, pop(s), &value))
			return false;
		push(s, value);
		return true;
	}
	if (op != 0x28 && op != 0x2f) /* bra, skip */
		return false;
	int64_t by = dwarf_signed(r, 2);
	if (op == 0x28 && !pop(s))
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
	struct dwarf_reader r = {(const uint8_t *)block, (const uint8_t *)block + 10, false};
	uint64_t length = dwarf_uleb(&r);
	const uint8_t *start = r.p;
	r.end = r.p + length;
	if (push_initial)
		push(&s, initial);
	for (unsigned steps = 0; r.p < r.end; steps++) {
		uint8_t op = (uint8_t)dwarf_bytes(&r, 1);
		uint64_t out;
		if (steps > 1000)
			return false;
		if ((op >= 0x1a && op <= 0x1e) || (op >= 0x21 && op <= 0x27 && op != 0x23) ||
		    (op >= 0x29 && op <= 0x2e)) {
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
