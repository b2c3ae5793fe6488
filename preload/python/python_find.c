// SPDX-License-Identifier: Apache-2.0
/* Which object is an interpreter, of which version, and which of its code is what. */

#include <link.h>

#include "preload/process/process.h"
#include "preload/process/settings.h"
#include "preload/process/symbols.h"
#include "preload/python/python.h"
#include "preload/python/python_private.h"
#include "preload/unwind/unwind.h"

#define LOOP	      "_PyEval_EvalFrameDefault"
#define EXAMINED      1024u
#define RUNTIME_BYTES 512u /* that are read of _PyRuntime */

enum state { NONE, BUSY, FOUND, REFUSED };

static struct python_interpreter interpreter;
static uint32_t state;
static uint32_t told;	 /* SCP_PYTHON */
static uint32_t closers; /* threads that close a library */
/* Page and generation of objects that are none, or are known, in one word. */
static LARGE uint64_t examined[EXAMINED];

/* An object's dynamic symbols; false: it has none. */
static bool read_symbols(const struct unwind_object *o, struct symbols *s)
{
	uint32_t count = 0;
	const ElfW(Phdr) *p = unwind_object_headers(o, &count);
	const Elf64_Dyn *d = p ? symbols_dynamic(o->base, p, count) : NULL;
	if ((uint64_t)d < o->start || (uint64_t)d >= o->end)
		return false;
	*s = symbols_read(o->base, d);
	return s->symbol && s->string && (s->gnu_hash || s->hash);
}

static const Elf64_Sym *find_symbol(const struct symbols *s, const char *name)
{
	return symbols_find(s, name, symbols_hash(name), NULL, NULL);
}

static uint64_t find(const struct symbols *s, const char *name)
{
	const Elf64_Sym *found = find_symbol(s, name);
	return found ? s->base + found->st_value : 0;
}

/* Before 3.11, by what there is since when. */
static uint32_t find_minor(const struct symbols *s)
{
	uint64_t version = find(s, "Py_Version");
	if (version)
		return *(const uint64_t *)version >> 16 & 255;
	return find(s, "PyGC_Enable")		      ? 10
	       : find(s, "PyFrame_GetBack")	      ? 9
	       : find(s, "PyCode_NewWithPosOnlyArgs") ? 8
						      : 7;
}

/* False: there is one that is not exported. */
static bool find_objects(struct python_interpreter *p, const struct symbols *s,
			 const Elf64_Sym **runtime)
{
	struct python_layout *l = &p->layout;
	*runtime = find_symbol(s, "_PyRuntime");
	p->own_state = (uint64_t(*)(void))find(s, "PyGILState_GetThisThreadState");
	l->code_type = find(s, "PyCode_Type");
	l->frame_type = find(s, "PyFrame_Type");
	l->text_type = find(s, "PyUnicode_Type");
	l->bytes_type = find(s, "PyBytes_Type");
	return *runtime && (*runtime)->st_size >= RUNTIME_BYTES && p->own_state && l->code_type &&
	       l->frame_type && l->text_type && l->bytes_type;
}

static enum scp_python_state describe(struct python_interpreter *p, const struct symbols *s)
{
	const Elf64_Sym *runtime;
	bool free_threaded = false;
	uint32_t minor = find_minor(s);
	const struct python_layout *layout = python_layout_of(minor);
	p->layout.minor = minor;
	if (!layout)
		return SCP_PYTHON_VERSION;
	p->layout = *layout;
	if (!find_objects(p, s, &runtime))
		return SCP_PYTHON_SYMBOLS;
	uint64_t at = s->base + runtime->st_value;
	if (minor >= 13 && !python_layout_take(&p->layout, (const void *)at, &free_threaded))
		return free_threaded ? SCP_PYTHON_FREE_THREADED : SCP_PYTHON_LAYOUT;
	p->finalizing = at + p->layout.finalizing;
	return p->layout.finalizing + 8u <= runtime->st_size ? SCP_PYTHON_READ : SCP_PYTHON_LAYOUT;
}

/* An object that holds more than the interpreter has frames that are the program's own. */
static bool is_named_so(const char *name)
{
	name = text_basename(*name ? name : settings.exe); /* the program may have either */
	return text_begins_with(name, "libpython") || text_begins_with(name, "python");
}

static void become(enum state to, uint32_t minor, enum scp_python_state why)
{
	__atomic_store_n(&told, SCP_PYTHON(minor, why), __ATOMIC_RELAXED);
	__atomic_store_n(&state, to, __ATOMIC_RELEASE);
	process_next_generation();
}

static void take(const struct unwind_object *o, const struct symbols *s, const Elf64_Sym *loop)
{
	struct python_interpreter *p = &interpreter;
	uint32_t none = NONE;
	if (!__atomic_compare_exchange_n(&state, &none, BUSY, false, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED))
		return;
	*p = (struct python_interpreter){.start = o->start,
					 .end = o->end,
					 .base = o->base,
					 .loop = s->base + loop->st_value,
					 .is_module = is_named_so(o->name),
					 .is_program = !*o->name};
	p->loop_end = p->loop + loop->st_size;
	enum scp_python_state why = describe(p, s);
	p->generation = process_epoch.now.generation + 1; /* what follows raises it */
	become(why == SCP_PYTHON_READ ? FOUND : REFUSED, p->layout.minor, why);
}

static void examine(const struct unwind_object *o)
{
	struct symbols s;
	uint32_t generation = process_epoch.now.generation;
	uint64_t key = o->start << 16 | (generation & 0xfffffffu);
	uint64_t *at = &examined[(o->start >> 12) * UINT64_C(0x9e3779b97f4a7c15) >> 54];
	if (__atomic_load_n(at, __ATOMIC_RELAXED) == key)
		return;
	const Elf64_Sym *loop = read_symbols(o, &s) ? find_symbol(&s, LOOP) : NULL;
	if (loop && loop->st_size)
		take(o, &s, loop);
	__atomic_store_n(at, key, __ATOMIC_RELAXED);
}

void python_find_refuse(enum scp_python_state why)
{
	if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) == FOUND)
		become(REFUSED, interpreter.layout.minor, why);
}

void python_find_forget(void)
{
	if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) == BUSY)
		__atomic_store_n(&state, NONE, __ATOMIC_RELEASE);
	closers = 0;
}

/* The program itself is never closed. In a child that a destructor forked nobody has begun. */
void python_note_closing(bool begins)
{
	if (!begins) {
		if (__atomic_load_n(&closers, __ATOMIC_RELAXED))
			__atomic_sub_fetch(&closers, 1, __ATOMIC_RELEASE);
		return;
	}
	__atomic_add_fetch(&closers, 1, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) < FOUND || interpreter.is_program ||
	    !process_epoch.now.generation)
		return;
	process_next_generation();
	thread_state_await_others(thread_self);
}

bool python_is_closing(void)
{
	return __atomic_load_n(&closers, __ATOMIC_ACQUIRE) && !interpreter.is_program;
}

bool python_is_inside(uint64_t pc)
{
	return pc - interpreter.start < interpreter.end - interpreter.start;
}

void python_find_tell(void)
{
	struct scp_header *h = process.file->header;
	uint32_t found = __atomic_load_n(&told, __ATOMIC_RELAXED);
	if (h && h->python != found)
		h->python = found;
}

/* Is what lies there now the same, by its symbols? */
static bool is_same(const struct python_interpreter *p, const struct unwind_object *o)
{
	struct symbols s;
	struct python_interpreter now = {.start = o->start};
	if (o->start != p->start || o->end != p->end || o->base != p->base || !read_symbols(o, &s))
		return false;
	describe(&now, &s);
	return now.layout.minor == p->layout.minor && now.own_state == p->own_state &&
	       now.finalizing == p->finalizing && find(&s, LOOP) == p->loop;
}

/* Code was unloaded since it was last seen: was it that? */
static COLD bool is_still_loaded(struct python_interpreter *p, uint32_t generation)
{
	struct unwind_object o;
	if (unwind_object_find_object(p->loop, &o) && is_same(p, &o)) {
		p->generation = generation;
		return true;
	}
	__atomic_store_n(&state, NONE, __ATOMIC_RELEASE);
	return false;
}

struct python_interpreter *python_find_interpreter(void)
{
	struct python_interpreter *p = &interpreter;
	uint32_t generation = process_epoch.now.generation;
	uint32_t now = __atomic_load_n(&state, __ATOMIC_ACQUIRE);
	if (now != FOUND && now != REFUSED)
		return NULL;
	if (unlikely(p->generation != generation) && !is_still_loaded(p, generation))
		return NULL;
	return now == FOUND ? p : NULL;
}

bool python_is_there(void)
{
	return __atomic_load_n(&state, __ATOMIC_ACQUIRE) == FOUND;
}

static bool is_in_loop(struct python_interpreter *p, uint64_t pc)
{
	uint64_t start, end;
	if (pc - p->loop < p->loop_end - p->loop || pc - p->cold < p->cold_bytes)
		return true;
	if (p->cold_bytes || !unwind_cfi_find_range(pc, &start, &end) || start < p->start ||
	    end > p->end ||
	    !python_layout_jumps((const uint8_t *)start, end - start, start, p->loop,
				 p->loop_end - p->loop))
		return false;
	__atomic_store_n(&p->cold, start, __ATOMIC_RELAXED);
	__atomic_store_n(&p->cold_bytes, end - start, __ATOMIC_RELEASE);
	return true;
}

enum python_kind python_kind_of(uint64_t pc)
{
	struct unwind_object o;
	struct python_interpreter *p;
	pc--; /* the call */
	if (!unwind_object_find_object(pc, &o) || (python_is_closing() && !python_is_inside(pc)))
		return PYTHON_NONE;
	python_find_interpreter(); /* one that was unloaded is to take no place */
	examine(&o);
	python_find_tell(); /* of one that is refused nobody reads frames */
	p = python_find_interpreter();
	if (!p || o.start != p->start || o.base != p->base)
		return PYTHON_NONE;
	if (is_in_loop(p, pc))
		return PYTHON_LOOP;
	return p->is_module ? PYTHON_OWN : PYTHON_NONE;
}
