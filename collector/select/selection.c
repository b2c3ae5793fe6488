// SPDX-License-Identifier: GPL-3.0-or-later
/* Each exported function of each library is compared with the patterns, in the order in which the
 * loader looks symbols up: a call reaches the first of two equals, so its stub stands for both. */
#include "collector/select/selection.h"

#include <errno.h>
#include <fnmatch.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/demangle.h"
#include "include/scprof_selected.h"
#include "profile/base/error.h"
#include "profile/base/array.h"
#include "profile/base/words.h"

char *selection_demangle(const char *name, bool parameters)
{
	if (strncmp(name, "_Z", 2) != 0)
		return strdup(name);
	return parameters ? demangle_full(name) : demangle_brief(name);
}

/* A library that cannot be read, or is another processor's, has nothing to select; the loader will
 * say why. */
static int add_library(struct selection *c, const char *path)
{
	struct exports *library = ARRAY_APPEND(c->library, c->libraries);

	if (!library)
		return -1;
	if (!exports_read(path, library) && library->machine == c->program.machine)
		return 0;
	int error = errno;
	exports_free(library);
	c->libraries--;
	return error == ENOMEM ? -1 : 0;
}

static int read_both(struct selection *c, const char *program, const char *own_library,
		     struct profile_error *err)
{
	*c = (struct selection){0};
	if (exports_read(program, &c->program) || exports_read(own_library, &c->own))
		return error_set(err, "cannot read the symbols of %.200s: %s",
				 c->program.soname ? own_library : program, strerror(errno));
	if (c->program.machine == c->own.machine)
		return 0;
	return error_set(
		err,
		"%.200s is for another processor than %.200s.\n"
		"Set SCPROF_LIB to the library for that one; scprof symbols --sysroot reads\n"
		"programs that cannot run here",
		program, own_library);
}

static int add_libraries(struct selection *c, struct profile_error *err)
{
	for (size_t i = 0; i < c->needed.count; i++)
		if (add_library(c, c->needed.name[i]))
			return error_set(err, "out of memory");
	return 0;
}

int selection_open(struct selection *c, const char *program, const char *own_library,
		   const char *root, struct profile_error *err)
{
	if (read_both(c, program, own_library, err) ||
	    (root ? library_closure_find_needed(program, root, &c->needed, err)
		  : library_closure_find(program, &c->needed, err)))
		return -1;
	return add_libraries(c, err);
}

int selection_open_mapped(struct selection *c, const char *program, const char *own_library,
			  struct names *needed, struct profile_error *err)
{
	int failed = read_both(c, program, own_library, err);

	c->needed = *needed;
	*needed = (struct names){0};
	return failed ? -1 : add_libraries(c, err);
}

void selection_close(struct selection *c)
{
	for (size_t i = 0; i < c->count; i++)
		free(c->symbol[i].shown);
	for (size_t i = 0; i < c->libraries; i++)
		exports_free(&c->library[i]);
	PROF_FREE(c, symbol, library);
	exports_free(&c->program);
	exports_free(&c->own);
	exports_free_names(&c->needed);
	*c = (struct selection){0};
}

/* Functions that cannot be called through a stub. */
static const struct {
	const char *why, *globs;
} refused[] = {
	{"it returns twice, or not to where it was called from",
	 " setjmp _setjmp sigsetjmp __sigsetjmp savectx vfork __vfork getcontext makecontext "
	 "swapcontext setcontext clone __clone clone3 __clone2 sigreturn __sigreturn"},
	{"it looks at its caller, which would be scprof",
	 " _Unwind_* __gcc_personality_* __gxx_personality_* backtrace __backtrace unw_* "
	 "_Ux86_64_* _ULx86_64_* dlopen dlmopen dlsym dlvsym __libc_dl* __pthread_register_cancel* "
	 "__pthread_unregister_cancel*"},
	{"it never returns, so it has no duration",
	 " __cxa_throw __cxa_rethrow _ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE "
	 "__libc_start_main __libc_start_call_main __pthread_unwind* longjmp _longjmp siglongjmp "
	 "__longjmp_chk __libc_longjmp __libc_siglongjmp exit quick_exit abort pthread_exit "
	 "thrd_exit __stack_chk_fail __chk_fail __fortify_fail __assert* _ZSt9terminatev "
	 "_ZSt10unexpectedv"},
	{"it is called in a special way, by the linker or the compiler",
	 " _dl_* __tls_get_addr ___tls_get_addr mcount _mcount __fentry__ __cyg_profile_func_* "
	 "__morestack* _init _fini __gmon_start__ _ITM_* __cxa_finalize"},
	{"it is scprof's own", " scprof_*"},
};

static bool is_refused(const char *globs, const char *name)
{
	char glob[64];

	while (words_next(&globs, " ", glob, sizeof(glob)))
		if (!fnmatch(glob, name, 0))
			return true;
	return false;
}

/* Most of a program's many thousand names begin otherwise. */
static bool is_same(const char *a, const char *b)
{
	return *a == *b && !strcmp(a, b);
}

/* Why `name` cannot be selected, or NULL; static text. By name: a function's binary code does not
 * tell what it does to its caller. `own`: what libscprof.so exports and imports. */
static const char *reason_of(const char *name, const struct exports *own)
{
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		if (is_refused(refused[i].globs, name))
			return refused[i].why;
	for (size_t i = 0; i < own->functions; i++)
		if (is_same(own->function[i].name, name))
			return "scprof interposes it already: the groups of -g record it, where it "
			       "can be timed";
	for (size_t i = 0; i < own->import.count; i++)
		if (is_same(own->import.name[i], name))
			return "scprof itself calls it while it records";
	return NULL;
}

const char *selection_reason(const struct selection *c, const struct export *e)
{
	const char *name = e->name;

	if (e->variant_call)
		return "it passes vectors in a way of its own (vector or SVE calls), which only "
		       "\nthe function itself knows";
	for (size_t i = 0; i < c->program.functions; i++)
		if (is_same(c->program.function[i].name, name))
			return "the program defines it itself: calls reach that, not a library's";
	return reason_of(name, &c->own);
}

static bool is_selected(const struct selection *c, const struct export *e, uint32_t h)
{
	for (size_t i = 0; i < c->count; i++) {
		const char *version = c->symbol[i].version;

		if (c->symbol[i].hash == h && !strcmp(c->symbol[i].name, e->name) &&
		    (version && e->version ? !strcmp(version, e->version) : version == e->version))
			return true;
	}
	return false;
}

/* An old version is another function, and is shown with its version. */
static char *show(const struct export *e)
{
	char *plain = selection_demangle(e->name, true), *whole = NULL;

	if (!plain || !e->version || e->is_default)
		return plain;
	if (asprintf(&whole, "%s@%s", plain, e->version) < 0)
		whole = NULL;
	free(plain);
	return whole;
}

static int add_symbol(struct selection *c, const struct export *e, const struct exports *library,
		      bool needed, struct profile_error *err)
{
	uint32_t h = (uint32_t)elf_gnu_hash(e->name);

	if (is_selected(c, e, h))
		return 0;
	c->records += needed ? 1 : 1 + SELECTION_SPARES;
	if (c->records > SCP_SELECTED_MAX)
		return error_set(err,
				 "-s chooses too many functions: more than %u.\n"
				 "Choose fewer",
				 SCP_SELECTED_MAX / (needed ? 1 : 1 + SELECTION_SPARES));
	struct selected_symbol *s = ARRAY_APPEND(c->symbol, c->count);
	if (!s)
		return error_set(err, "out of memory");
	*s = (struct selected_symbol){.is_later = !needed, .hash = h, .shown = show(e)};
	PROF_SET(s, e, name, version, is_default, address);
	s->library = library;
	return s->shown ? 0 : error_set(err, "out of memory");
}

static void leave_out(struct selection *c, const char *name)
{
	for (size_t i = 0; i < 4 && i < c->left_out; i++)
		if (!strcmp(c->left_out_names[i], name)) /* another version of it */
			return;
	if (c->left_out < 4)
		c->left_out_names[c->left_out] = name;
	c->left_out++;
}

static bool has_library(const struct symbol_pattern *p, const struct exports *library)
{
	return symbol_pattern_has_library(p, library->path_within, library->soname);
}

/* The pattern that decides, or NULL. */
static struct symbol_pattern *decide(struct symbol_patterns *patterns, const struct export *e,
				     const struct exports *library, bool needed)
{
	char *full = NULL, *brief = NULL;
	struct symbol_pattern *last = NULL;

	if (patterns->demangled && !strncmp(e->name, "_Z", 2)) {
		full = selection_demangle(e->name, true);
		brief = selection_demangle(e->name, false);
	}
	for (struct symbol_pattern *p = patterns->list; p < patterns->list + patterns->count; p++) {
		if (!(needed || p->library || p->takes_out) ||
		    !symbol_pattern_has_name(p, e->name, full, brief) || !has_library(p, library))
			continue;
		p->matches++;
		last = p;
	}
	free(full);
	free(brief);
	return last && !last->takes_out ? last : NULL;
}

static int take_library(struct selection *c, struct symbol_patterns *patterns,
			const struct exports *library, bool needed, struct profile_error *err)
{
	for (size_t i = 0; i < library->functions; i++) {
		const struct export *e = &library->function[i];
		const struct symbol_pattern *p = decide(patterns, e, library, needed);
		const char *reason = p ? selection_reason(c, e) : NULL;

		if (reason && p->is_exact && !p->is_optional)
			return error_set(err, "-s: %.100s cannot be chosen: %s", e->name, reason);
		if (reason)
			leave_out(c, e->name);
		else if (p && add_symbol(c, e, library, needed, err))
			return -1;
	}
	return 0;
}

/* Libraries that patterns name and the program does not need: it may open them. */
static int add_later_ones(struct selection *c, const struct symbol_patterns *patterns)
{
	int failed = 0;

	for (size_t i = 0; i < patterns->count && !failed; i++) {
		const struct symbol_pattern *p = &patterns->list[i];
		struct names found;

		if (p->matches || p->takes_out || !p->library)
			continue;
		failed = library_closure_search(p->library, &c->needed, &found);
		for (size_t f = 0; f < found.count && !failed; f++)
			failed = add_library(c, found.name[f]);
		exports_free_names(&found);
	}
	return failed;
}

static int say_unmatched(struct selection *c, const struct symbol_pattern *p,
			 struct profile_error *err)
{
	bool own = false;

	for (size_t i = 0; !p->library && i < c->program.functions; i++)
		own |= symbol_pattern_has_name(p, c->program.function[i].name, NULL, NULL);
	c->unmatched = p;
	return error_set(err, "-s: '%.150s' matches no function %s", p->text,
			 own ? "of a library: the program has it itself, and dynamic linking does "
			       "not resolve the program's own calls"
			 : p->library ? "in a library of that name"
				      : "in the libraries that the program needs");
}

static bool all_optional(const struct symbol_patterns *patterns)
{
	for (size_t i = 0; i < patterns->count; i++)
		if (!patterns->list[i].is_optional && !patterns->list[i].takes_out)
			return false;
	return true;
}

int selection_resolve(struct selection *c, struct symbol_patterns *patterns,
		      struct profile_error *err)
{
	size_t needed = c->libraries;

	/* All libraries first: symbols point into the list. */
	for (size_t i = 0; i < patterns->count; i++)
		for (size_t l = 0; l < needed && !patterns->list[i].matches; l++)
			patterns->list[i].matches = has_library(&patterns->list[i], &c->library[l]);
	if (add_later_ones(c, patterns))
		return error_set(err, "out of memory");
	for (size_t i = 0; i < patterns->count; i++)
		patterns->list[i].matches = 0;
	for (size_t l = 0; l < c->libraries; l++)
		if (take_library(c, patterns, &c->library[l], l < needed, err))
			return -1;
	for (size_t i = 0; i < patterns->count; i++)
		if (!patterns->list[i].matches && !patterns->list[i].takes_out &&
		    !patterns->list[i].is_optional)
			return say_unmatched(c, &patterns->list[i], err);
	if (c->count || all_optional(patterns))
		return 0;
	return error_set(err, "-s: none of the functions that match can be chosen");
}
