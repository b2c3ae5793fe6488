// SPDX-License-Identifier: GPL-3.0-or-later
#include "collector/attach/safe_point/safe_point_private.h"

#include <stdlib.h>
#include <string.h>

#define ROWS_HELD 4096u	     /* a power of two */
#define WORK	  (1u << 20) /* bytes of unwind tables read for one stack: memory.c */
#define SIGNALS	  16
#define SCAN	  (UINT64_C(1) << 16) /* of a stack, for a caller */
#define FRAME	  (UINT64_C(1) << 20) /* a larger one is taken for none */
#define FUNCTION  (UINT64_C(1) << 16)
#define GENERATED (UINT64_C(1) << 28) /* runtimes reserve one range for code */

enum row_kind { ROW_NONE, ROW_PLAIN, ROW_SIGNAL, ROW_MISSING };

struct held_row {
	uint64_t at; /* 0: none */
	enum row_kind kind;
	bool after_call, signal;
	uint64_t return_column, start;
	struct unwind_row row;
};

struct safe_point_rows {
	struct held_row row[ROWS_HELD];
};

struct safe_point_rows *frames_rows(void)
{
	return calloc(1, sizeof(struct safe_point_rows));
}

void frames_forget(struct safe_point_rows *rows)
{
	memset(rows, 0, sizeof(*rows));
}

static bool at_restorer(pid_t pid, uint64_t pc)
{
	uint8_t code[SAFE_POINT_RESTORER_MOST];
	size_t bytes = machine_restorer_bytes;
	return memory_read(pid, pc, code, bytes) && memcmp(code, machine_restorer, bytes) == 0;
}

/* A walk in progress. */
struct walk {
	const struct safe_point_objects *objects;
	struct safe_point_rows *rows;
	bool loose, searches, heuristic; /* how far it may go; how the present frame was found */
	struct safe_point_stack *stack;
	struct unwind_cursor cursor;
	struct unwind_work work;
	struct unwind_memory memory;
};

static void set_registers(struct walk *w, const struct safe_point_registers *r)
{
	struct unwind_cursor *c = &w->cursor;
	unwind_register_begin(c, r->pc, r->of[ARCH_SP], r->of[ARCH_FP]);
	for (unsigned i = 0; i < ARCH_REGS; i++)
		c->reg[i] = (struct unwind_register){r->of[i], UNWIND_VALUE};
	/* of x86-64 the program counter is one of them */
	if (ARCH_REGS == ARCH_RA + 1)
		c->reg[ARCH_RA].place = UNWIND_UNKNOWN;
	c->exact = true;
}

/* The row of the frame that the cursor is at. */
static const struct held_row *row_of(struct walk *w)
{
	struct unwind_cursor *c = &w->cursor;
	pid_t pid = w->stack->window.pid;
	uint64_t key = 2 * (c->pc - !c->exact) + c->exact;
	struct held_row *r =
		&w->rows->row[key * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (ROWS_HELD - 1)];
	if (r->at == key && w->memory.object != NULL) /* generated code may be other code by now */
		return r;
	r->at = key;
	r->after_call = c->exact || machine_after_call(pid, c->pc);
	if (at_restorer(pid, c->pc))
		r->kind = ROW_SIGNAL;
	else if (unwind_cfi_find_row(c, &r->signal, &r->return_column) && !c->uncalled)
		r->kind = ROW_PLAIN;
	else
		r->kind = ROW_MISSING;
	if (!w->memory.work) /* unknown this time only */
		r->at = 0;
	r->row = w->work.row;
	r->start = c->start;
	return r;
}

/* One frame outwards. */
static enum unwind_result step(struct walk *w, const struct held_row *r)
{
	struct unwind_cursor *c = &w->cursor;
	uint64_t before = c->cfa;
	w->work.row = r->row;
	enum unwind_result result = unwind_row_apply(c, r->signal, r->return_column);
	/* A leaf of AArch64 has its caller's stack pointer. */
	if (result == UNWIND_STEPPED && c->cfa <= before &&
	    (c->cfa < before || r->row.rule[ARCH_RA].kind != RULE_SAME))
		return UNWIND_CUT;
	return result;
}

static void hold(struct walk *w)
{
	struct safe_point_held *h = &w->stack->held[w->stack->helds++];
	*h = (struct safe_point_held){.frame = w->stack->count, .start = w->stack->rest};
	for (unsigned i = 0; i < ARCH_REGS; i++)
		if (!unwind_register_get(&w->cursor, i, &h->of[i]))
			h->of[i] = 0;
}

static void note_frame(struct walk *w, uint64_t at)
{
	const struct safe_point_object *object = w->memory.object;
	struct safe_point_stack *s = w->stack;
	if (s->helds > 0 && s->held[s->helds - 1].frame + 1 == s->count)
		s->held[s->helds - 1].end = s->rest;
	if ((at - s->watched[0].address < s->watched[0].bytes ||
	     at - s->watched[1].address < s->watched[1].bytes) &&
	    s->helds < SAFE_POINT_HELD)
		hold(w);
	w->stack->frame[w->stack->count++] =
		(struct safe_point_frame){.at = at,
					  .object = object,
					  .stopped = w->cursor.exact,
					  .heuristic = w->heuristic,
					  .symbol = object != NULL ? symbols_at(object, at) : NULL};
}

/* To what a signal interrupted: struct ucontext holds flags, link, the alternate stack (start,
 * flags, bytes) and, further on, the registers. */
static bool step_signal(struct walk *w)
{
	struct safe_point_stack *s = w->stack;
	uint64_t context = s->rest + machine_context, at = context + machine_saved_at;
	struct safe_point_registers r = {.pc = 0};
	if (!memory_word(&s->window, context + 16, &s->alternate.start) ||
	    !memory_word(&s->window, context + 32, &s->alternate.bytes))
		return false;
	for (unsigned i = 0; i < sizeof(machine_saved); i++, at += 8)
		if (!memory_word(&s->window, at, &r.of[machine_saved[i]]))
			return false;
	if (!memory_word(&s->window, at, &r.pc))
		return false;
	set_registers(w, &r);
	return s->signal = true;
}

/* To a caller's frame, of which nothing is known but where it lies, and perhaps where its frame
 * pointer was saved. */
static bool move_to(struct walk *w, uint64_t pc, uint64_t sp, uint64_t frame_pointer_at)
{
	struct unwind_cursor *c = &w->cursor;
	for (unsigned i = 0; i < ARCH_REGS; i++)
		c->reg[i] = (struct unwind_register){0, UNWIND_UNKNOWN};
	c->reg[ARCH_SP] = (struct unwind_register){sp, UNWIND_VALUE};
	if (frame_pointer_at != 0)
		c->reg[ARCH_FP] = (struct unwind_register){frame_pointer_at, UNWIND_MEMORY};
	c->cfa = sp;
	c->pc = ARCH_STRIP_RA(pc);
	c->exact = false;
	return w->heuristic = true;
}

/* The return address that follows a call of the very function that the cursor is in; else, where
 * the function has a frame pointer, the first one beside what looks like the caller's. */
static bool go_by_call(struct walk *w, bool has_frame_pointer)
{
	struct unwind_cursor *c = &w->cursor;
	uint64_t word, before = 0, likely_at = 0, likely_pc = 0;
	pid_t pid = w->stack->window.pid;
	for (uint64_t at = w->stack->rest; at < w->stack->rest + SCAN; at += 8, before = word) {
		if (!unwind_memory_read(c, at, &word))
			break;
		const struct safe_point_object *o = objects_find(w->objects, word - 1);
		bool may_be = has_frame_pointer && before % 8 == 0 && before - at < FRAME;
		if ((o == NULL && !may_be) || !machine_after_call(pid, word))
			continue;
		uint64_t called = o != NULL ? machine_called(pid, word) : 0;
		if (called != 0 && called <= c->pc && c->pc - called < FUNCTION &&
		    objects_find(w->objects, called) == w->memory.object)
			return move_to(w, word, at + 8, has_frame_pointer ? at - 8 : 0);
		if (likely_at == 0 && may_be) {
			likely_at = at;
			likely_pc = word;
		}
	}
	return likely_at != 0 && move_to(w, likely_pc, likely_at + 8, likely_at - 8);
}

/* By the frame's size, where only its frame pointer is missing, and a call lies where that leads:
 * a caller without a frame pointer of its own would not be found. A wrapper of ours has a known
 * size, and another function is called where that jumps to it, or where its slot was put back
 * since. */
static bool go_by_size(struct walk *w, const struct held_row *r)
{
	struct unwind_cursor *c = &w->cursor;
	pid_t pid = w->stack->window.pid;
	uint64_t word, bytes = machine_frame_bytes(pid, r->start), cfa = w->stack->rest + bytes;
	int64_t lowest = 0;
	for (unsigned i = 0; i < ARCH_REGS; i++)
		if (r->row.rule[i].kind == RULE_OFFSET && r->row.rule[i].v < lowest)
			lowest = r->row.rule[i].v;
	cfa -= (uint64_t)lowest;
	if (bytes == 0 || !unwind_memory_read(c, cfa - 8, &word) || !machine_after_call(pid, word))
		return false;
	uint64_t called = machine_called(pid, word);
	if (called != 0 && w->memory.object->kind != SAFE_POINT_OURS &&
	    objects_find(w->objects, called) != w->memory.object)
		return false;
	c->reg[ARCH_FP] = (struct unwind_register){cfa - (uint64_t)r->row.cfa_offset, UNWIND_VALUE};
	return w->heuristic = step(w, r) == UNWIND_STEPPED;
}

/* What can be a return address here: interpreters of generated code push some themselves. */
static bool can_return_to(const struct walk *w, uint64_t pc)
{
	uint64_t far = pc > w->cursor.pc ? pc - w->cursor.pc : w->cursor.pc - pc;
	return machine_after_call(w->stack->window.pid, pc) ||
	       (far < GENERATED && objects_find(w->objects, pc) == NULL);
}

/* Out of a frame that the tables do not lead out of. */
static bool go_loosely(struct walk *w, const struct held_row *row)
{
	struct unwind_cursor *c = &w->cursor;
	uint64_t fp, word, from = w->stack->rest;
	if (!w->loose)
		return false;
	if (row->kind == ROW_MISSING && unwind_register_get(c, ARCH_FP, &fp) && fp % 8 == 0 &&
	    fp >= from && fp - from < FRAME && unwind_memory_read(c, fp + 8, &word) &&
	    can_return_to(w, ARCH_STRIP_RA(word)))
		return move_to(w, word, fp + 16, fp);
	bool has_frame_pointer = row->kind == ROW_PLAIN && row->row.cfa_expression == 0 &&
				 row->row.cfa_register == ARCH_FP;
	return w->searches && w->memory.object != NULL &&
	       ((has_frame_pointer && go_by_size(w, row)) || go_by_call(w, has_frame_pointer));
}

static enum safe_point_end follow(const struct safe_point_objects *o, struct walk *w)
{
	struct safe_point_stack *s = w->stack;
	struct unwind_cursor *c = &w->cursor;
	unsigned signals = 0;
	while (s->count < SAFE_POINT_FRAMES && unwind_register_get(c, ARCH_SP, &s->rest)) {
		uint64_t at = c->exact ? c->pc : c->pc - 1;
		w->memory.object = objects_find(o, at);
		const struct held_row *row = row_of(w);
		if (!w->memory.work)
			return SAFE_POINT_ASTRAY;
		if (row->kind == ROW_SIGNAL) {
			if (signals++ == SIGNALS || !step_signal(w))
				return SAFE_POINT_ASTRAY;
			continue;
		}
		if (!row->after_call && !w->heuristic)
			return SAFE_POINT_ASTRAY;
		note_frame(w, at);
		if (row->kind == ROW_MISSING && !go_loosely(w, row))
			return c->exact ? SAFE_POINT_ASTRAY : SAFE_POINT_GENERATED;
		if (row->kind == ROW_MISSING)
			continue;
		c->no_row = w->heuristic = false;
		enum unwind_result result = step(w, row);
		if (result == UNWIND_CUT && c->no_row && go_loosely(w, row))
			continue;
		if (result != UNWIND_STEPPED)
			return result == UNWIND_END ? SAFE_POINT_WHOLE : SAFE_POINT_ASTRAY;
	}
	return SAFE_POINT_ASTRAY;
}

bool frames_libc(const struct safe_point_object *o)
{
	return o != NULL && (o->kind == SAFE_POINT_LIBC || o->kind == SAFE_POINT_PTHREAD);
}

static void note_entered(const struct safe_point_objects *o, struct safe_point_stack *s)
{
	size_t i = 0;
	s->entered = NULL;
	while (i < s->count && frames_libc(s->frame[i].object) && s->frame[i].symbol == NULL)
		i++;
	if (i == 0 || i >= s->count || s->frame[i].object == NULL ||
	    frames_libc(s->frame[i].object))
		return;
	uint64_t at = machine_called(o->pid, s->frame[i].at + 1);
	const struct safe_point_object *object = objects_find(o, at);
	const struct safe_point_symbol *f = frames_libc(object) ? symbols_at(object, at) : NULL;
	s->entered = f != NULL && f->start == at ? f : NULL;
}

/* `known`: all registers, or the stack pointer alone. */
static void walk(struct walk *w, bool known)
{
	struct safe_point_stack *s = w->stack;
	struct unwind_cursor *c = &w->cursor;
	w->memory = (struct unwind_memory){.window = &s->window, .work = WORK};
	c->work = &w->work;
	c->context = &w->memory;
	set_registers(w, &s->innermost);
	for (unsigned i = 0; !known && i < ARCH_REGS; i++)
		if (i != ARCH_SP)
			c->reg[i].place = UNWIND_UNKNOWN;
	s->count = s->helds = 0;
	s->signal = false;
	s->alternate.bytes = 0;
	s->window.pid = w->objects->pid;
	s->end = follow(w->objects, w);
}

bool frames_walk(const struct safe_point_objects *o, struct safe_point_rows *rows, pid_t tid,
		 struct safe_point_stack *s)
{
	struct walk w = {.objects = o, .rows = rows, .stack = s};
	if (!machine_registers(tid, &s->innermost))
		return false;
	s->window.bytes = 0;
	walk(&w, true);
	note_entered(o, s);
	return true;
}

void frames_walk_loosely(const struct safe_point_objects *o, struct safe_point_rows *rows, bool all,
			 struct safe_point_stack *s)
{
	struct walk w = {.objects = o, .rows = rows, .stack = s, .loose = true, .searches = true};
	walk(&w, all);
	note_entered(o, s);
}

void frames_walk_copy(const struct safe_point_objects *o, struct safe_point_rows *rows,
		      struct safe_point_stack *s)
{
	struct walk w = {.objects = o, .rows = rows, .stack = s, .loose = true};
	walk(&w, true);
}
