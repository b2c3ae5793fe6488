// SPDX-License-Identifier: Apache-2.0
/* Selected functions: their originals, and their records in the profile. */

#include <dlfcn.h>
#include <link.h>

#include "preload/function/selected.h"
#include "preload/process/file.h"
#include "preload/process/process.h"
#include "preload/process/symbols.h"
#include "preload/system/sys.h"
#include "include/scprof_format.h"
#include "preload/unwind/unwind.h"
#include "preload/process/libc.h"

extern char scprof_chosen_table[] __attribute__((weak, visibility("default")));
const struct scp_selected_table *selected_now = (const void *)scprof_chosen_table;

struct scp_selected *selected_find(uint32_t function)
{
	const struct scp_selected_table *t = selected_table();
	if (function < SELECTED_FIRST || !t || !t->count)
		return NULL;
	struct scp_selected *first = selected_symbol(t, 0);
	uint32_t i = function - selected_id(first);
	return i < t->count ? first + i : NULL;
}

uint32_t selected_slot(uint32_t function)
{
	const struct scp_selected_table *t = selected_table();
	if (function < SELECTED_FIRST)
		return function;
	uint32_t i = t && t->count ? function - selected_id(selected_symbol(t, 0)) : UINT32_MAX;
	return t && i < t->count ? SELECTED_FIRST + i : PROCESS_FUNCTIONS;
}

/* For the assembly; NULL until it is known. */
HIDDEN void *selected_libc_dlsym;

/* In a program without dlsym, where ours stands nevertheless: nobody opens anything there. */
static void *find_next(void *handle, const char *name)
{
	(void)handle;
	return libc_find_next(name, NULL);
}

/* Not by dlsym, which is ours. */
COLD void *selected_real_dlsym(void)
{
	static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"};
	for (unsigned i = 0; dlvsym && i < 3 && !selected_libc_dlsym; i++)
		selected_libc_dlsym = dlvsym(libc_scope(), "dlsym", versions[i]);
	if (!selected_libc_dlsym)
		selected_libc_dlsym = libc_find_next("dlsym", NULL);
	if (!selected_libc_dlsym)
		selected_libc_dlsym = (void *)find_next;
	return selected_libc_dlsym;
}

static void *libc_dlsym(void *handle, const char *name)
{
	return ((void *(*)(void *, const char *))selected_real_dlsym())(handle, name);
}

/* In this thread dlsym is at work, so many times inside one another. It calls resolvers of IFUNCs,
 * which call selected functions; and it allocates and frees the text of its errors, through our
 * stubs, if those are selected: that must end somewhere. */
static __thread uint32_t looking;
#define LOOKING_MOST 4u

/* Is `a` in an object before that of `b` (or NULL), one that knows no versions? */
static bool is_unversioned_before(void *a, void *b)
{
	struct link_map *first = NULL, *other = NULL;
	Dl_info info;
	if (!dladdr1(a, &info, (void **)&first, RTLD_DL_LINKMAP) || !first ||
	    (b && !dladdr1(b, &info, (void **)&other, RTLD_DL_LINKMAP)))
		return false;
	for (const ElfW(Dyn) *d = first->l_ld; d->d_tag != DT_NULL; d++)
		if (d->d_tag == DT_VERDEF)
			return false;
	while (first && first != other)
		first = first->l_next;
	return first == other;
}

/* To the loader, a definition in an object without versions has any version; to dlvsym none. */
static void *look_up_version(const char *name, const char *version, void *handle)
{
	if (!dlvsym || !dladdr1)
		return selected_real_dlsym() == (void *)find_next ? libc_find_next(name, version)
								  : libc_dlsym(handle, name);
	void *exact = dlvsym(handle, name, version);
	void *any = libc_dlsym(handle, name);
	if (exact && !any)
		libc_forget_error();
	return any && any != exact && is_unversioned_before(any, exact) ? any : exact;
}

static void *look_up(const struct scp_selected *s, void *handle)
{
	const char *name = selected_text(s, s->name);
	const char *version = s->version ? selected_text(s, s->version) : NULL;
	/* All that is loaded until we begin is for all to see. */
	if (process_groups == GROUPS_UNSET && handle == libc_scope() && libc_dlsym_calls())
		return libc_find_next(name, version);
	looking++;
	void *p = version ? look_up_version(name, version, handle) : libc_dlsym(handle, name);
	looking--;
	return p;
}

/* Nothing is freed, and there is no memory: dlsym copes with both. */
static COLD void *selected_nothing(void)
{
	return NULL;
}

static bool is_stub(const void *p)
{
	const struct scp_selected_table *t = selected_table();
	return t && (const char *)p >= selected_stub(t, 0) &&
	       (const char *)p < selected_stub(t, t->count);
}

/* Stands in for a function that no object defines: a program that calls one would not have started,
 * or would have called address 0. */
static COLD void selected_absent(void)
{
	__builtin_trap();
}

bool selected_is_memory(const struct scp_selected *s)
{
	static const char *const names[] = {"free", "malloc", "calloc", "realloc"};
	return text_index(selected_text(s, s->name), names, 4) < 4;
}

/* So that nothing else that dlsym does not find can ask for them. */
static void resolve_memory(const struct scp_selected_table *t)
{
	for (uint32_t i = 0; i < t->count; i++) {
		struct scp_selected *s = selected_symbol(t, i);
		if (!s->real && selected_is_memory(s) && !(s->flags & SCP_SELECTED_SPARE))
			s->real = look_up(s, libc_scope());
	}
}

/* The stub object comes before us: what is next after us is the original. */
void selected_resolve_all(void)
{
	const struct scp_selected_table *t = selected_table();
	bool failed = false;
	if (!t)
		return;
	resolve_memory(t);
	for (uint32_t i = 0; i < t->count; i++) {
		struct scp_selected *s = selected_symbol(t, i);
		if ((!s->real || libc_opened_later) && !(s->flags & SCP_SELECTED_SPARE))
			s->real = look_up(s, libc_scope());
		failed |= !s->real;
	}
	if (failed)
		libc_forget_error();
}

/* In an object that is loaded already, and what that one needs. */
static void *look_up_in(const struct scp_selected *s, const char *object)
{
	void *handle = *object && dlopen ? dlopen(object, RTLD_LAZY | RTLD_NOLOAD) : NULL;
	void *p = handle ? look_up(s, handle) : NULL;
	if (handle && !p && s->version) /* a library opened later may have none */
		p = libc_dlsym(handle, selected_text(s, s->name));
	if (handle)
		((int (*)(void *))function_resolve(FN_dlclose))(handle);
	return p && !is_stub(p) ? p : NULL;
}

struct only {
	const struct scp_selected *symbol;
	void *found;
	bool several;
};

static int look_in(struct dl_phdr_info *info, size_t size, void *context)
{
	struct only *o = context;
	const struct scp_selected *s = o->symbol;
	const char *name = selected_text(s, s->name);
	const ElfW(Dyn) *d = symbols_dynamic(info->dlpi_addr, info->dlpi_phdr, info->dlpi_phnum);
	const struct symbols symbols = d ? symbols_read(info->dlpi_addr, d) : (struct symbols){0};
	bool several;
	const Elf64_Sym *found =
		symbols_find(&symbols, name, symbols_hash(name),
			     s->version ? selected_text(s, s->version) : NULL, &several);
	void *at = found ? (void *)(symbols.base + found->st_value) : NULL;
	(void)size;
	if (!at || is_stub(at))
		return 0;
	o->several = several || o->found || ELF64_ST_TYPE(found->st_info) == STT_GNU_IFUNC;
	o->found = at;
	return o->several;
}

/* What all callers are bound to where only one object defines it. Without the lock that dlsym
 * takes: a constructor may run under that, and wait for this thread. */
static void *look_up_only(const struct scp_selected *s)
{
	struct only o = {.symbol = s};
	dl_iterate_phdr(look_in, &o);
	return o.several ? NULL : o.found;
}

/* A library that was opened later, perhaps with RTLD_LOCAL: each caller finds the original
 * in its own scope. A caller that has none was handed a pointer by one that has. */
static void *look_up_for_caller(const struct scp_selected *s, uint64_t ra)
{
	struct unwind_object caller;
	void *p = look_up_only(s);
	if (p)
		return p;
	p = look_up(s, libc_scope()); /* opened with RTLD_GLOBAL */
	if (!p && unwind_object_find_object(ra - 1, &caller))
		p = look_up_in(s, caller.name);
	if (!p && !sys_sandboxed) /* may look for a file */
		p = look_up_in(s, selected_text(s, s->soname));
	libc_forget_error();
	return p;
}

/* Where it is called, or found: at any other time another thread may close it. */
static void note_library(const struct scp_selected *s, void *real)
{
	struct scp_function *f = selected_record(selected_id(s));
	struct unwind_object object;
	if (f && !*f->library && unwind_object_find_object((uint64_t)real, &object))
		text_append(f->library, sizeof f->library, 0, text_basename(object.name));
}

COLD void *selected_find_real(struct scp_selected *s, uint64_t ra, void **of_caller)
{
	if (!s->real && looking >= LOOKING_MOST)
		return (void *)selected_nothing;
	if (process_groups == GROUPS_UNSET && !s->real) /* called by another one's constructor */
		s->real = look_up(s, libc_scope());
	if (s->real) {
		note_library(s, s->real);
		return s->real;
	}
	void *known = of_caller ? *of_caller : NULL;
	if (known)
		return known;
	void *p = look_up_for_caller(s, ra);
	if (!p)
		return (void *)selected_absent;
	note_library(s, p);
	if (of_caller)
		*of_caller = p;
	return p;
}

/* Make this spare one the stub of `real`, if it is already, is free, or its library is gone. */
static bool bind_spare(struct scp_selected *s, void *real)
{
	struct unwind_object object;
	void *old = __atomic_load_n(&s->real, __ATOMIC_ACQUIRE);
	if (old == real)
		return true;
	if ((old && unwind_object_find_object((uint64_t)old, &object)) ||
	    !__atomic_compare_exchange_n(&s->real, &old, real, false, __ATOMIC_RELEASE,
					 __ATOMIC_RELAXED))
		return false;
	note_library(s, real);
	return true;
}

COLD void *selected_dlsym(void *handle, const char *name)
{
	void *p = libc_dlsym(handle, name);
	const struct scp_selected_table *t = selected_table();
	for (uint32_t i = 0; p && t && i < t->count; i++) {
		struct scp_selected *s = selected_symbol(t, i);
		if (!text_equal(selected_text(s, s->name), name))
			continue;
		if (s->flags & SCP_SELECTED_SPARE ? bind_spare(s, p) : s->real == p)
			return selected_stub(t, i);
	}
	return p;
}

static const char *shown(const struct scp_selected *s)
{
	return selected_text(s, s->shown);
}

const char *selected_name(uint32_t id)
{
	const struct scp_selected *s = selected_find(id);
	return s ? shown(s) : NULL;
}

bool selected_write_records(void)
{
	const struct scp_selected_table *t = selected_table();
	struct file_chunk chunk = {0};
	uint64_t room = sizeof(struct scp_chunk);
	for (uint32_t i = 0; t && i < t->count; i++)
		room += function_record_bytes(shown(selected_symbol(t, i)));
	if (!selected_count() || !file_chunk(process.file, &chunk, room, SCP_CHUNK_PROCESS, 0))
		return !selected_count();
	for (uint32_t i = 0; i < t->count; i++) {
		const struct scp_selected *s = selected_symbol(t, i);
		uint64_t bytes = function_record_bytes(shown(s));
		struct scp_function *record = file_next_record(&chunk, bytes);
		record->rec = (struct scp_record){SCP_REC_FUNCTION, (uint32_t)bytes};
		function_fill_record(record, selected_id(s), SCP_GROUP_SELECTED, shown(s));
		process.function[selected_slot(selected_id(s))] = record;
		file_publish_record(&chunk, bytes);
	}
	return true;
}
