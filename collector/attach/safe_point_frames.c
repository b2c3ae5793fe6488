// SPDX-License-Identifier: GPL-3.0-or-later
#include "collector/attach/safe_point_frames.h"

#include <stdlib.h>
#include <string.h>

#include "collector/attach/safe_point_expression.h"
#include "collector/attach/safe_point_symbols.h"

#define ROWS_HELD 4096u	     /* a power of two */
#define WORK	  (1u << 20) /* bytes of unwind tables read for one stack */
#define SIGNALS	  16

enum row_kind { ROW_NONE, ROW_PLAIN, ROW_SIGNAL, ROW_MISSING };

struct held_row {
	uint64_t at; /* 0: none */
	enum row_kind kind;
	bool after_call;
	struct safe_point_row row;
};

struct safe_point_rows {
	struct held_row row[ROWS_HELD];
};

struct safe_point_rows *safe_point_frames_rows(void)
{
	return calloc(1, sizeof(struct safe_point_rows));
}

void safe_point_frames_forget(struct safe_point_rows *rows)
{
	memset(rows, 0, sizeof(*rows));
}

static bool at_restorer(pid_t pid, uint64_t pc)
{
	uint8_t code[SAFE_POINT_RESTORER_MOST];
	size_t bytes = safe_point_machine_restorer_bytes;
	return safe_point_memory_read(pid, pc, code, bytes) &&
	       memcmp(code, safe_point_machine_restorer, bytes) == 0;
}

/* `pc`: of the frame; `inner`: it was stopped there, and has not called. */
static const struct held_row *row_of(struct safe_point_rows *rows, pid_t pid,
				     const struct safe_point_object *object, uint64_t pc,
				     bool inner, size_t *work)
{
	uint64_t at = inner ? pc : pc - 1, key = 2 * at + inner;
	struct held_row *r = &rows->row[key * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (ROWS_HELD - 1)];
	if (r->at == key && object != NULL) /* generated code may be other code by now */
		return r;
	r->at = key;
	r->after_call = inner || safe_point_machine_after_call(pid, pc);
	if (at_restorer(pid, pc))
		r->kind = ROW_SIGNAL;
	else if (object != NULL && safe_point_cfi_row(object, pid, at, work, &r->row))
		r->kind = ROW_PLAIN;
	else
		r->kind = ROW_MISSING;
	return r;
}

static bool value_of(struct safe_point_stack *s, const struct safe_point_row *row, unsigned reg,
		     uint64_t cfa, uint64_t *value)
{
	const struct safe_point_rule *rule = &row->of[reg];
	const uint64_t *of = s->innermost.of;
	uint64_t at;
	switch (rule->how) {
	case SAFE_POINT_AT:
		return safe_point_memory_word(&s->window, cfa + (uint64_t)rule->value, value);
	case SAFE_POINT_IS:
		*value = cfa + (uint64_t)rule->value;
		return true;
	case SAFE_POINT_IN:
		*value = of[(uint64_t)rule->value % SAFE_POINT_REGISTERS];
		return true;
	case SAFE_POINT_COMPUTED:
		return safe_point_expression_compute(&s->window, rule, of, cfa, value);
	case SAFE_POINT_COMPUTED_AT:
		return safe_point_expression_compute(&s->window, rule, of, cfa, &at) &&
		       safe_point_memory_word(&s->window, at, value);
	default:
		*value = reg == safe_point_machine_sp ? cfa : of[reg];
		return true;
	}
}

/* One frame outwards by its row. s->innermost holds the registers of the frame walked to. */
static bool step(struct safe_point_stack *s, const struct safe_point_row *row)
{
	struct safe_point_registers *r = &s->innermost;
	struct safe_point_registers caller = {.pc = 0};
	uint64_t cfa = r->of[row->cfa.bytes % SAFE_POINT_REGISTERS] + (uint64_t)row->cfa.value;
	if (row->cfa.how != SAFE_POINT_IN &&
	    !safe_point_expression_compute(&s->window, &row->cfa, r->of, 0, &cfa))
		return false;
	for (unsigned i = 0; i < SAFE_POINT_REGISTERS; i++)
		if (!value_of(s, row, i, cfa, &caller.of[i]))
			return false;
	caller.pc = safe_point_machine_code(caller.of[row->return_column]);
	bool outwards = caller.of[safe_point_machine_sp] > r->of[safe_point_machine_sp];
	/* A leaf of AArch64 has its caller's stack pointer. */
	outwards |= caller.of[safe_point_machine_sp] == r->of[safe_point_machine_sp] &&
		    row->of[row->return_column].how == SAFE_POINT_SAME && caller.pc != r->pc;
	*r = caller;
	return outwards;
}

static void note_frame(struct safe_point_stack *s, const struct safe_point_object *object,
		       uint64_t at, bool stopped)
{
	s->frame[s->count++] = (struct safe_point_frame){
		.at = at,
		.object = object,
		.stopped = stopped,
		.symbol = object != NULL ? safe_point_symbols_at(object, at) : NULL};
}

static enum safe_point_end follow(const struct safe_point_objects *o, struct safe_point_rows *rows,
				  struct safe_point_stack *s)
{
	struct safe_point_registers *r = &s->innermost;
	size_t work = WORK;
	bool inner = true;
	unsigned signals = 0;
	while (s->count < SAFE_POINT_FRAMES) {
		uint64_t at = inner ? r->pc : r->pc - 1;
		const struct safe_point_object *object = safe_point_objects_find(o, at);
		const struct held_row *row = row_of(rows, o->pid, object, r->pc, inner, &work);
		s->rest = r->of[safe_point_machine_sp];
		if (row->kind == ROW_SIGNAL) {
			if (signals++ == SIGNALS ||
			    !safe_point_machine_signal(&s->window, r, &s->alternate))
				return SAFE_POINT_ASTRAY;
			s->signal = inner = true;
			continue;
		}
		if (!row->after_call)
			return SAFE_POINT_ASTRAY;
		note_frame(s, object, at, inner);
		if (row->kind == ROW_MISSING)
			return inner ? SAFE_POINT_ASTRAY : SAFE_POINT_GENERATED;
		if (row->row.of[row->row.return_column].how == SAFE_POINT_UNDEFINED)
			return SAFE_POINT_WHOLE;
		inner = row->row.signal;
		if (!step(s, &row->row))
			return SAFE_POINT_ASTRAY;
		if (r->pc == 0)
			return SAFE_POINT_WHOLE;
	}
	return SAFE_POINT_ASTRAY;
}

bool safe_point_frames_libc(const struct safe_point_object *o)
{
	return o != NULL && (o->kind == SAFE_POINT_LIBC || o->kind == SAFE_POINT_PTHREAD);
}

static void note_entered(const struct safe_point_objects *o, struct safe_point_stack *s)
{
	size_t i = 0;
	s->entered = NULL;
	while (i < s->count && safe_point_frames_libc(s->frame[i].object) &&
	       s->frame[i].symbol == NULL)
		i++;
	if (i == 0 || i >= s->count || s->frame[i].object == NULL ||
	    safe_point_frames_libc(s->frame[i].object))
		return;
	uint64_t at = safe_point_machine_called(o->pid, s->frame[i].at + 1);
	const struct safe_point_object *object = safe_point_objects_find(o, at);
	const struct safe_point_symbol *f =
		safe_point_frames_libc(object) ? safe_point_symbols_at(object, at) : NULL;
	s->entered = f != NULL && f->start == at ? f : NULL;
}

bool safe_point_frames_walk(const struct safe_point_objects *o, struct safe_point_rows *rows,
			    pid_t tid, struct safe_point_stack *s)
{
	struct safe_point_registers innermost;
	if (!safe_point_machine_registers(tid, &innermost))
		return false;
	s->innermost = innermost;
	s->count = 0;
	s->signal = false;
	s->alternate.bytes = 0;
	s->window.pid = o->pid;
	s->window.bytes = 0;
	s->end = follow(o, rows, s);
	s->innermost = innermost;
	note_entered(o, s);
	return true;
}
