// SPDX-License-Identifier: Apache-2.0
#include "preload/process/libc.h"

#include <errno.h>
#include <sys/auxv.h>

#include "preload/process/modules.h"
#include "preload/process/symbols.h"
#include "preload/unwind/unwind.h"

#pragma weak pthread_key_create
#pragma weak pthread_setspecific
#pragma weak pthread_atfork
/* Not by stdlib.h: some have functions of real numbers in it, which this library is compiled
 * without. */
extern int at_quick_exit(void (*)(void)) __attribute__((weak));
extern char __libc_single_threaded __attribute__((weak));
struct dl_find_object;
extern int _dl_find_object(void *, struct dl_find_object *) __attribute__((weak)); /* glibc 2.35 */
/* Those of glibc, whose pthread_atfork and at_quick_exit lie in an archive, and call these with the
 * object that they are linked to: what it registers goes when it does. */
extern int __register_atfork(void (*)(void), void (*)(void), void (*)(void), void *)
	__attribute__((weak));
extern int __cxa_at_quick_exit(void (*)(void *), void *) __attribute__((weak));
extern HIDDEN void *__dso_handle;

bool libc_opened_later;

/* Ours before libc's: it was preloaded. A library that a running program opens comes last. */
static int find_order(struct dl_phdr_info *info, size_t size, void *found)
{
	uint64_t libc = (uint64_t)&__errno_location, start, end;
	(void)size;
	unwind_object_extent(info->dlpi_phdr, info->dlpi_phnum, info->dlpi_addr, &start, &end);
	*(bool *)found |= libc - start < end - start;
	return modules_is_ours(start);
}

COLD void libc_note_scope(void)
{
	bool behind_libc = false;
	libc_opened_later = dl_iterate_phdr(find_order, &behind_libc) && behind_libc;
}

void *libc_scope(void)
{
	return libc_opened_later ? RTLD_DEFAULT : RTLD_NEXT;
}

struct search {
	const char *name, *version;
	bool behind; /* libscprof.so has been passed, or is the last one */
	void *found;
};

static int look_in(struct dl_phdr_info *info, size_t size, void *context)
{
	struct search *s = context;
	const ElfW(Dyn) *d = symbols_dynamic(info->dlpi_addr, info->dlpi_phdr, info->dlpi_phnum);
	(void)size;
	if (!d || modules_is_ours((uint64_t)d)) {
		s->behind |= d != NULL;
		return 0;
	}
	if (!s->behind)
		return 0;
	struct symbols symbols = symbols_read(info->dlpi_addr, d);
	const Elf64_Sym *symbol =
		symbols_find(&symbols, s->name, symbols_hash(s->name), s->version, NULL);
	if (!symbol)
		return 0;
	uint64_t at = symbols.base + symbol->st_value;
	s->found = ELF64_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC
			   ? symbols_resolve(at, getauxval(AT_HWCAP), getauxval(AT_HWCAP2))
			   : (void *)at;
	return 1;
}

void *libc_find_next(const char *name, const char *version)
{
	struct search s = {.name = name, .version = version, .behind = libc_opened_later};
	dl_iterate_phdr(look_in, &s);
	return s.found;
}

bool libc_dlsym_calls(void)
{
	return !_dl_find_object && !libc_opened_later;
}

void *libc_find(const char *name)
{
	if (!dlsym || libc_dlsym_calls())
		return libc_find_next(name, NULL);
	void *found = dlsym(libc_scope(), name);
	if (!found)
		libc_forget_error();
	return found;
}

void libc_forget_error(void)
{
	if (dlerror)
		dlerror();
}

/* libpthread.so.0 may have come with a library that was opened later. */
int libc_key_create(pthread_key_t *key, void (*destroy)(void *))
{
	int (*create)(pthread_key_t *, void (*)(void *)) = pthread_key_create;
	if (!create)
		create =
			(int (*)(pthread_key_t *, void (*)(void *)))libc_find("pthread_key_create");
	return create ? create(key, destroy) : -1;
}

void libc_key_set(pthread_key_t key, const void *value)
{
	static int (*set)(pthread_key_t, const void *);
	if (!set)
		set = pthread_setspecific ? pthread_setspecific
					  : (int (*)(pthread_key_t, const void *))libc_find(
						    "pthread_setspecific");
	if (set)
		set(key, value);
}

bool libc_is_single_threaded(void)
{
	return &__libc_single_threaded && __libc_single_threaded;
}

void libc_at_fork(void (*before)(void), void (*in_child)(void))
{
	if (__register_atfork)
		__register_atfork(before, NULL, in_child, __dso_handle);
	else if (pthread_atfork)
		pthread_atfork(before, NULL, in_child);
}

void libc_at_quick_exit(void (*function)(void))
{
	if (__cxa_at_quick_exit) /* it passes an argument, which is not looked at */
		__cxa_at_quick_exit((void (*)(void *))(void *)function, __dso_handle);
	else if (at_quick_exit)
		at_quick_exit(function);
}
