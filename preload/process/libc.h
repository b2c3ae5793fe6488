// SPDX-License-Identifier: Apache-2.0
/* Functions that not every libc has, or has in another library. libscprof.so needs no library, and
 * none of its references has a version: one file loads into glibc 2.17 and later, and into musl.
 * The weak ones here are NULL where the process has none; see libc.c for the rest. */
#pragma once

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>

#include "preload/system/util.h"

/* Before glibc 2.34 these are libdl.so.2's, which a program may go without. */
#pragma weak dlsym
#pragma weak dlvsym
#pragma weak dlopen
#pragma weak dlerror
#pragma weak dladdr1
/* And libpthread.so.0's. */
#pragma weak pthread_getspecific
#pragma weak pthread_setcanceltype

/* This library was opened when the program ran already: it is in no scope that callers are bound
 * by, and comes after all that they are bound to. */
extern HIDDEN bool libc_opened_later;
/* Finds that out, when this process begins; before anything is looked up. */
HIDDEN void libc_note_scope(void);

/* Where originals are looked for: RTLD_NEXT, or RTLD_DEFAULT. */
HIDDEN void *libc_scope(void);

/* The same without libc: what `dlsym` itself is, where a stub stands before it. `version`: NULL for
 * the default one. */
HIDDEN void *libc_find_next(const char *name, const char *version);

/* Before glibc 2.34 dlsym allocates, and begins by a lock: who asks may be what it calls. */
HIDDEN bool libc_dlsym_calls(void);

/* The first definition behind libscprof.so in the order in which objects were loaded, as
 * dlsym(RTLD_NEXT) finds it. libc_scope's where that is not the next. NULL: there is none. No
 * text is left for dlerror. Cold: it may take the loader's lock. */
HIDDEN void *libc_find(const char *name);

/* Take away the text that a failed look-up of ours left for dlerror. */
HIDDEN void libc_forget_error(void);

/* Thread-specific data, which is libpthread.so.0's before glibc 2.34. -1: the process has none; it
 * has one thread then. */
HIDDEN int libc_key_create(pthread_key_t *key, void (*destroy)(void *));
HIDDEN void libc_key_set(pthread_key_t key, const void *value);

/* Is there one thread only? False: not known. */
HIDDEN bool libc_is_single_threaded(void);

/* Called in a child that libc's fork has made, before fork returns; and before it begins. */
HIDDEN void libc_at_fork(void (*before)(void), void (*in_child)(void));

HIDDEN void libc_at_quick_exit(void (*function)(void));
