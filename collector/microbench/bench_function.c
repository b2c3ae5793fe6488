// SPDX-License-Identifier: GPL-3.0-or-later
/* A function of a shared library: loaded, found, and called in loops. The constructors of its
 * library are user code, too, so even loading happens in the child. */
#include "collector/microbench/bench_subject.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static int run(struct bench_subject *s, uint64_t calls)
{
	s->loop(s->function, s->plan->arguments, calls);
	return 0;
}

static int run_empty(struct bench_subject *s, uint64_t calls, unsigned int turn)
{
	s->loop(bench_call_empty(turn), s->plan->arguments, calls);
	return 0;
}

/* A symbol of data would be executed. Indirect functions resolve to others, of
 * which the loader may know nothing: only what is surely data is refused. */
static bool is_data(void *address)
{
	const ElfW(Sym) *symbol = NULL;
	Dl_info info;

	if (!dladdr1(address, &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol ||
	    info.dli_saddr != address)
		return false;
	/* the type is in the low four bits, whatever the class of the file */
	return ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT;
}

/* The loader's message, with a hint where the name may be the mistake. */
static int refuse_library(struct bench_subject *s)
{
	const char *name = s->plan->library, *said = dlerror(), *hint = "";

	if (!strchr(name, '/') && !access(name, F_OK))
		hint = "; a library of this folder is written with ./";
	else if (!strchr(name, '/') && !strstr(name, ".so"))
		hint = "; write its whole name, as in libz.so.1, or its path";
	return bench_subject_refuse(s->record, BENCH_BAD, "cannot load the library: %s%s",
				    said ? said : name, hint);
}

int bench_function_open(struct bench_subject *s)
{
	const struct bench_plan *plan = s->plan;
	void *library, *address;
	const char *said;

	library = dlopen(plan->library, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return refuse_library(s);
	dlerror();
	address = dlsym(library, plan->function);
	said = dlerror();
	if (said || !address)
		return bench_subject_refuse(s->record, BENCH_BAD, "no function '%s': %s",
					    plan->function, said ? said : "its address is 0");
	if (is_data(address))
		return bench_subject_refuse(s->record, BENCH_BAD,
					    "'%s' of %s is data, not a function", plan->function,
					    plan->library);
	memcpy(&s->function, &address, sizeof(address));
	s->loop = bench_call_loop_for(plan->arguments);
	s->run = run;
	s->run_empty = run_empty;
	s->rusage_who = RUSAGE_SELF;
	s->record->empty_known = true;
	return 0;
}
