// SPDX-License-Identifier: GPL-3.0-or-later
/* Expressions of unwind tables, as linkers write them for their stubs and people for assembly:
 * arithmetic and reading of memory. */
#include "collector/attach/safe_point_expression.h"

#include "collector/attach/safe_point_bytes.h"

struct stack {
	uint64_t word[32];
	unsigned count;
	bool bad;
};

static void push(struct stack *s, uint64_t value)
{
	if (s->count < sizeof(s->word) / sizeof(s->word[0]))
		s->word[s->count++] = value;
	else
		s->bad = true;
}

static uint64_t pop(struct stack *s)
{
	if (s->count == 0)
		return s->bad = true, 0;
	return s->word[--s->count];
}

static uint64_t operate(uint8_t op, uint64_t a, uint64_t b, bool *bad)
{
	switch (op) {
	case 0x1a:
		return a & b;
	case 0x1c:
		return a - b;
	case 0x1e:
		return a * b;
	case 0x21:
		return a | b;
	case 0x22:
		return a + b;
	case 0x24:
		return b < 64 ? a << b : 0;
	case 0x25:
		return b < 64 ? a >> b : 0;
	case 0x27:
		return a ^ b;
	case 0x29:
		return a == b;
	case 0x2a:
		return (int64_t)a >= (int64_t)b;
	case 0x2b:
		return (int64_t)a > (int64_t)b;
	case 0x2c:
		return (int64_t)a <= (int64_t)b;
	case 0x2d:
		return (int64_t)a < (int64_t)b;
	case 0x2e:
		return a != b;
	default:
		*bad = true;
		return 0;
	}
}

/* No jumps: so many operations as there are bytes at most. */
static void compute_one(struct safe_point_window *w, struct safe_point_bytes *r, struct stack *s,
			const uint64_t *registers)
{
	uint8_t op = *safe_point_bytes_take(r, 1);
	uint64_t value = 0;
	if (op >= 0x30 && op <= 0x4f) { /* lit */
		push(s, op - 0x30u);
	} else if (op >= 0x70 && op <= 0x8f) { /* breg */
		push(s, registers[op - 0x70] + safe_point_bytes_leb(r, true));
	} else if (op >= 0x08 && op <= 0x0f) { /* const1u, 1s, 2u, ... 8s */
		push(s, safe_point_bytes_fixed(r, (size_t)1 << ((op - 0x08) / 2), (op & 1) != 0));
	} else if (op == 0x10 || op == 0x11) { /* constu, consts */
		push(s, safe_point_bytes_leb(r, op == 0x11));
	} else if (op == 0x23) { /* plus_uconst */
		value = safe_point_bytes_leb(r, false);
		push(s, pop(s) + value);
	} else if (op == 0x12) { /* dup */
		value = pop(s);
		push(s, value);
		push(s, value);
	} else if (op == 0x06) { /* deref */
		s->bad |= !safe_point_memory_word(w, pop(s), &value);
		push(s, value);
	} else {
		uint64_t b = pop(s), a = pop(s);
		push(s, operate(op, a, b, &s->bad));
	}
}

bool safe_point_expression_compute(struct safe_point_window *w, const struct safe_point_rule *rule,
				   const uint64_t *registers, uint64_t first, uint64_t *value)
{
	uint8_t code[128];
	struct stack s = {.word = {first}, .count = 1};
	if (rule->bytes > sizeof(code) ||
	    !safe_point_memory_read(w->pid, (uint64_t)rule->value, code, rule->bytes))
		return false;
	struct safe_point_bytes r = {.at = code, .end = code + rule->bytes};
	while (r.at < r.end && !r.bad && !s.bad)
		compute_one(w, &r, &s, registers);
	if (r.bad || s.bad || s.count == 0)
		return false;
	*value = s.word[s.count - 1];
	return true;
}
