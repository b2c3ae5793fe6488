// SPDX-License-Identifier: Apache-2.0
/* A DWARF call-frame unwinder that notes everything its result depends on. It reads memory and
 * computes; nothing else (ARCHITECTURE.md says why it is not libunwind).
 *
 * Specification: DWARF 5, section 6.4; Linux Standard Base, section 10.6
 * (.eh_frame, .eh_frame_hdr).
 *
 * Thread rules: all state is in the caller's struct; async-signal-safe.
 * Memory: reads unwind tables of loaded objects, and the stack only where `readable` has agreed to
 * the page. */
#pragma once

#include <link.h>
#include <stddef.h>

#include "arch.h"
#include "preload/unwind/dwarf_read.h"

/* Where a register's value is, at a given frame. */
enum unwind_place { UNWIND_UNKNOWN = 0, UNWIND_VALUE, UNWIND_MEMORY };

struct unwind_register {
	uint64_t v; /* the value, or the address it was saved at */
	uint64_t place;
};

enum unwind_rule_kind {
	RULE_SAME = 0, /* the default of both ABIs for what no instruction mentions */
	RULE_UNDEFINED,
	RULE_OFFSET,
	RULE_VAL_OFFSET,
	RULE_REGISTER,
	RULE_EXPRESSION,
	RULE_VAL_EXPRESSION
};

/* How to find a register of the calling frame. An expression is its address,
 * at a block that begins with its ULEB128 length. */
struct unwind_rule {
	int64_t v;
	uint32_t kind;
};

struct unwind_row {
	struct unwind_rule rule[ARCH_REGS];
	int64_t cfa_offset;
	uint64_t cfa_expression; /* 0: register + offset */
	uint32_t cfa_register;
};

#define UNWIND_STATE_DEPTH 4 /* of DW_CFA_remember_state */

/* Scratch memory, kept off the target's stack, which may be a small one. */
struct unwind_work {
	struct unwind_row row, initial, remembered[UNWIND_STATE_DEPTH];
	struct unwind_register next[ARCH_REGS];
	uint64_t expression_stack[24];
};

struct unwind_cursor {
	struct unwind_register reg[ARCH_REGS];
	uint64_t pc;
	bool exact; /* pc was interrupted: look it up as it is, not as a return address */
	uint64_t cfa;
	uint64_t start; /* of the code that the latest row was found for */
	struct unwind_work *work;
	/* Called for each stack word before it is used; false ends the unwind. */
	bool (*note)(void *context, uint64_t address, uint64_t value);
	/* May these eight bytes be read? */
	bool (*readable)(void *context, uint64_t address);
	void *context;
	bool used_fp;	  /* the result depends on the frame pointer at the start */
	bool fp_is_start; /* reg[ARCH_FP] is still the one of the start */
	bool no_row;	  /* unwind_step was cut for want of a row, or of a register that it needs;
			     all else is as it was before */
	bool uncalled;	  /* the row is of a function's first byte, to which no call returns */
	bool heuristic;	  /* unwind_chain_step found this frame without a table */
	uint64_t generated; /* see unwind_chain.c: met last outside of all objects; 0: none */
};

/* What covers a code address. */
struct unwind_object {
	uint64_t start, end;   /* mapped range */
	uint64_t base;	       /* load bias */
	uint64_t eh_frame_hdr; /* 0: none */
	const char *name;      /* as the loader knows it; "" for the main program */
};

enum unwind_result {
	UNWIND_STEPPED = 1, /* pc is the return address of the next frame */
	UNWIND_END = 0,	    /* the outermost frame: the return address is undefined */
	UNWIND_CUT = -1	    /* no usable unwind information, or memory that must not be read */
};

/* Find the loaded object at `pc`. Lock-free where libc has _dl_find_object. */
bool unwind_object_find_object(uint64_t pc, struct unwind_object *object);

/* Who is asked where libc has none: process/object_index.c. NULL: nobody. */
extern bool (*unwind_object_index)(uint64_t pc, struct unwind_object *object)
	__attribute__((visibility("hidden")));

/* Its program headers; NULL: its first page is not its ELF header. */
const ElfW(Phdr) * unwind_object_headers(const struct unwind_object *object, uint32_t *count);

/* From the first of its segments to the last. */
void unwind_object_extent(const ElfW(Phdr) * p, uint64_t count, uint64_t base, uint64_t *start,
			  uint64_t *end);

/* Begin at the caller of a function: `pc` its return address, `sp` and `fp` as
 * they are after it has returned. Other registers are unknown. The fields
 * work, note, readable and context are the caller's to fill. */
void unwind_register_begin(struct unwind_cursor *c, uint64_t pc, uint64_t sp, uint64_t fp);

/* As unwind_cfi_find_row. Where the program begins is outermost, with tables or without. */
bool unwind_find_row(struct unwind_cursor *c, bool *signal_frame, uint64_t *ra);

enum unwind_result unwind_step(struct unwind_cursor *c);

/* The same, but where there is no table it follows the frame pointer, if what that leads to passes
 * for a caller: c->heuristic says so of the frame that was reached. It goes back to the tables as
 * soon as there are some. Where nobody called a function, what the table says must pass, too. */
enum unwind_result unwind_chain_step(struct unwind_cursor *c);

/* What was found out about code without tables: in a process that begins, all is new. */
void unwind_chain_forget(void);

/* Shared between the parts of the unwinder. */

/* Find the row that holds at c->pc; false where there is none. *signal_frame:
 * the frame was entered by a signal. *ra: the return address column. */
bool unwind_cfi_find_row(struct unwind_cursor *c, bool *signal_frame, uint64_t *ra);

/* The code that one entry of the tables covers: a function, or a part of one. */
bool unwind_cfi_find_range(uint64_t pc, uint64_t *start, uint64_t *end);

/* Value of a register at this frame; reads and notes memory where it must. */
bool unwind_register_get(struct unwind_cursor *c, uint64_t reg, uint64_t *value);

/* Step to the calling frame by the row in c->work. */
enum unwind_result unwind_row_apply(struct unwind_cursor *c, bool signal_frame, uint64_t ra_column);

/* Evaluate a DWARF expression block over the present registers; `initial` is
 * pushed first when push is set. */
bool unwind_expr_evaluate(struct unwind_cursor *c, uint64_t block, bool push, uint64_t initial,
			  uint64_t *value);

/* How the parts above (unwind_cfi.c, unwind_expr.c, unwind_row.c) reach memory. The tool has these
 * parts, too, to walk threads of other processes, and three functions of its own below them. */

/* Readers over an entry of .eh_frame, behind its pointer to the common entry, and over that. */
struct unwind_entry {
	struct dwarf_reader fde, cie;
};

/* The entry that begins last at or before `pc`. */
bool unwind_memory_find_entry(struct unwind_cursor *c, uint64_t pc, struct unwind_entry *e);

/* A reader over a block that begins with its length. */
bool unwind_memory_open_block(struct unwind_cursor *c, uint64_t block, struct dwarf_reader *r);

/* Read a stack word, noted. */
bool unwind_memory_read(struct unwind_cursor *c, uint64_t address, uint64_t *value);
