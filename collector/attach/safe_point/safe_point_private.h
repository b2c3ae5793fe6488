// SPDX-License-Identifier: GPL-3.0-or-later
/* The parts of safe_points.h. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#include "profile/base/proc_maps.h"
#include "preload/unwind/unwind.h"

/* Memory of another process: all of it may be crafted, and may change between two readings. */

/* What this thread reads instead of a process's memory: what was copied of it before. NULL: the
 * memory itself. */
struct memory_copy {
	size_t (*some)(const struct memory_copy *from, uint64_t at, void *to, size_t bytes);
};
void memory_read_from(const struct memory_copy *from);

/* Read up to `bytes`. How many came, from the first on; 0: none can be read. */
size_t memory_some(pid_t pid, uint64_t at, void *to, size_t bytes);

/* All of them, or false. */
bool memory_read(pid_t pid, uint64_t at, void *to, size_t bytes);

/* The same into memory to be freed; NULL: they cannot be read, or no memory. */
void *memory_copy(pid_t pid, uint64_t at, size_t bytes);

/* Of what was read: the word of eight bytes at that place, and that of four. */
static inline uint64_t word_at(const void *bytes, size_t at)
{
	uint64_t word;

	memcpy(&word, (const uint8_t *)bytes + at, sizeof(word));
	return word;
}

static inline uint32_t half_at(const void *bytes, size_t at)
{
	uint32_t half;

	memcpy(&half, (const uint8_t *)bytes + at, sizeof(half));
	return half;
}

/* Words of a stack, which are read by windows: neighbours cost one system call. */
#define SAFE_POINT_WINDOW 32768u

struct safe_point_window {
	pid_t pid;
	uint64_t start;
	size_t bytes; /* 0: nothing read yet */
	uint8_t data[SAFE_POINT_WINDOW];
};

bool memory_word(struct safe_point_window *w, uint64_t at, uint64_t *word);

/* The objects (program, libraries, vdso) that a process has mapped, read from its memory: what is
 * mapped counts, not what lies under the name meanwhile. An upgraded library, another mount
 * namespace and a stripped file are nothing special then. */

enum safe_point_kind {
	SAFE_POINT_PLAIN,
	SAFE_POINT_PROGRAM,
	SAFE_POINT_LOADER,
	SAFE_POINT_LIBC,
	SAFE_POINT_PTHREAD, /* of its own before glibc 2.34 */
	SAFE_POINT_DL,	    /* the same */
	SAFE_POINT_OURS,
	SAFE_POINT_VDSO
};

/* What an exported function of libc means to a thread inside. */
enum safe_point_meaning {
	SAFE_POINT_NOTHING,
	SAFE_POINT_BLOCKS,    /* may block, and allocators call it as well */
	SAFE_POINT_WAITS,     /* may block for long, and allocators do not call it */
	SAFE_POINT_OUTERMOST, /* threads begin in it */
	SAFE_POINT_HOLDS,     /* may hold what dlopen wants */
	SAFE_POINT_ALLOCATES  /* the same: an allocator */
};

struct safe_point_symbol {
	uint64_t start, end;
	enum safe_point_meaning meaning;
};

#define SAFE_POINT_CODES     8
#define SAFE_POINT_SIGNATURE 1024

struct safe_point_object {
	enum safe_point_kind kind;
	uint64_t base, bias, end; /* end: of the last segment */
	struct {
		uint64_t start, end;
	} code[SAFE_POINT_CODES];
	size_t codes;
	bool allocator; /* it exports malloc, and is not libc */
	bool base_namespace;
	uint64_t symbols, strings, string_bytes, versions, gnu_hash, sysv_hash, soname, debug;
	/* Exported functions by address: of libc and libpthread only. */
	struct safe_point_symbol *function;
	size_t functions;
	/* The search table of .eh_frame_hdr: pairs of offsets from its address. */
	uint64_t frame_header;
	int32_t *frame;
	size_t frames;
	/* Its first bytes: another object in its place differs in them. */
	size_t signature_bytes;
	uint8_t signature[SAFE_POINT_SIGNATURE];
};

struct safe_point_objects {
	pid_t pid;
	struct safe_point_object *object; /* by address */
	size_t count;
};

/* The tables of symbols alone, of the object that is mapped at `base`. False: there are none. */
bool objects_read_tables(struct safe_point_object *o, pid_t pid, uint64_t base);

/* All zero at first. False: no memory, or nothing could be read. */
bool objects_read(struct safe_point_objects *o, pid_t pid, const struct proc_map_list *maps);
void objects_free(struct safe_point_objects *o);

/* The object whose code holds an address; NULL: none. */
const struct safe_point_object *objects_find(const struct safe_point_objects *o, uint64_t at);

/* The build id in the memory of an object, SCP_BUILD_ID_MAX bytes at most. Its length; 0: none. */
uint32_t objects_build_id(const struct safe_point_object *o, pid_t pid, uint8_t *id);

/* It is still what lies there. */
bool objects_same(const struct safe_point_objects *o, const struct safe_point_object *object);

/* Exported symbols of an object of a process, from its memory. */

/* The address of a function, or of data, in its default version where it has several; 0: none. */
uint64_t symbols_find(const struct safe_point_object *o, pid_t pid, const char *name);

/* The same, with its length in bytes; {0, 0}: there is none. */
struct safe_point_place {
	uint64_t address, bytes;
};
struct safe_point_place symbols_find_place(const struct safe_point_object *o, pid_t pid,
					   const char *name);

/* Fill in o->function. False: no memory, or the tables cannot be read. */
bool symbols_read(struct safe_point_object *o, pid_t pid);

/* The function that holds an address; NULL: none that is exported. */
const struct safe_point_symbol *symbols_at(const struct safe_point_object *o, uint64_t at);

/* The lock that dlopen takes, and holds while it runs constructors: its address in a process of
 * this loader; 0: it cannot be told now. */
uint64_t symbols_find_lock(const struct safe_point_object *loader, pid_t pid);
bool symbols_lock_is_held(uint64_t lock, pid_t pid);

/* What following a stack needs to know of the processor: one file an architecture. */

struct safe_point_registers {
	uint64_t of[ARCH_REGS]; /* by DWARF's numbers */
	uint64_t pc;
	bool system_call; /* stopped in one, or at its end */
};

/* Of a thread that is stopped by ptrace. */
bool machine_registers(pid_t tid, struct safe_point_registers *r);

/* The registers that a sample of the kernel's is to have, as bits, and how many those are; and the
 * same from one. */
extern const uint64_t machine_sampled;
#define SAFE_POINT_SAMPLED (ARCH_REGS + (ARCH_REGS != ARCH_RA + 1))
void machine_take_sampled(const uint64_t value[SAFE_POINT_SAMPLED], struct safe_point_registers *r);

/* Code that lies before an address: what a call leaves as return address follows a call. */
bool machine_after_call(pid_t pid, uint64_t pc);

/* The function that was called before an address, also by a stub of the linker's. 0: not known. */
uint64_t machine_called(pid_t pid, uint64_t pc);

/* What a function takes of the stack below the registers that it saves, as its first instructions
 * say. 0: they do not. */
uint64_t machine_frame_bytes(pid_t pid, uint64_t function);

/* The code by which signal handlers return. */
#define SAFE_POINT_RESTORER_MOST 16
extern const uint8_t machine_restorer[];
extern const size_t machine_restorer_bytes;

/* In a frame that returns by it, from the stack pointer on: where struct ucontext lies; and in that
 * the registers, by DWARF's numbers, with the program counter behind them. */
extern const uint16_t machine_context, machine_saved_at;
extern const uint8_t machine_saved[SAFE_POINT_SAMPLED - 1];

/* What the unwinder (preload/unwind/unwind.h) reads of another process, as the context of its
 * cursor. All of it may be crafted: `work` bounds what is read of tables and the stack, and with it
 * the expressions that are evaluated. Nothing is left once more is asked for. */

#define UNWIND_MEMORY_BLOCK 128 /* of an expression, with its length */

struct unwind_memory {
	struct safe_point_window *window;
	const struct safe_point_object *object; /* that holds the code */
	size_t work;				/* bytes */
	uint8_t block[UNWIND_MEMORY_BLOCK];
};

/* The stack of a stopped thread. */

#define SAFE_POINT_FRAMES 1024

enum safe_point_end {
	SAFE_POINT_WHOLE,     /* down to where the thread, or coroutine, began */
	SAFE_POINT_GENERATED, /* a caller is code without unwind tables: made at run time, or so
				 built */
	SAFE_POINT_ASTRAY     /* cannot be followed */
};

struct safe_point_frame {
	uint64_t at; /* within the call, not behind it */
	const struct safe_point_object *object;
	const struct safe_point_symbol *symbol; /* of libc; NULL: it is not exported */
	bool stopped;				/* there, or by a signal: it has not called */
	bool heuristic;				/* no unwind table led to it */
};

/* What a walk found in a frame of the function that is watched: its registers, 0 where they are not
 * known, and its piece of the stack, up to its caller's. */
#define SAFE_POINT_HELD 64

struct safe_point_held {
	size_t frame; /* which one it is */
	uint64_t start, end, of[ARCH_REGS];
};

struct safe_point_stack {
	struct safe_point_registers innermost;
	struct safe_point_place watched[2]; /* bytes 0: none */
	struct safe_point_held held[SAFE_POINT_HELD];
	size_t helds;
	struct safe_point_frame frame[SAFE_POINT_FRAMES];
	size_t count;
	/* What of libc was called, where none of the innermost frames has a name: libc's functions
	 * often end in a jump to such a one. NULL: not known. */
	const struct safe_point_symbol *entered;
	enum safe_point_end end;
	bool signal; /* a handler is on it */
	struct {
		uint64_t start, bytes; /* of the alternate signal stack; bytes 0: there is none */
	} alternate;
	uint64_t rest; /* the stack pointer where following it ended */
	struct safe_point_window window;
};

/* The object is libc, or libpthread. */
bool frames_libc(const struct safe_point_object *o);

struct safe_point_rows;

/* Rows once computed. NULL: no memory. They belong to these objects as they are now. */
struct safe_point_rows *frames_rows(void);
void frames_forget(struct safe_point_rows *rows);

/* Fill in *s. False: the registers cannot be had. */
bool frames_walk(const struct safe_point_objects *o, struct safe_point_rows *rows, pid_t tid,
		 struct safe_point_stack *s);

/* From the registers in s->innermost, of which `all` or just the stack pointer and pc are known,
 * and with what s->window holds. Where tables end it goes on by frame pointers, and by what called
 * the function: such frames are heuristic. For reading alone. */
void frames_walk_loosely(const struct safe_point_objects *o, struct safe_point_rows *rows, bool all,
			 struct safe_point_stack *s);

/* From all registers over a stack of which a piece was copied, by tables and frame pointers. */
void frames_walk_copy(const struct safe_point_objects *o, struct safe_point_rows *rows,
		      struct safe_point_stack *s);

/* What a thread is inside of. */

/* The first frame, from the innermost on, that forbids a call of dlopen: a text, static. NULL:
 * none. */
const char *inside_what(const struct safe_point_stack *k);

/* The thread is blocked in a function of libc that no allocator calls. */
bool inside_wait(const struct safe_point_stack *k);

/* It began where threads begin: its stack is what the system made for it. */
bool inside_thread_stack(const struct safe_point_stack *k);
