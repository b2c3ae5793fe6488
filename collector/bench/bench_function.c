// SPDX-License-Identifier: GPL-3.0-or-later
/* A function of a shared library: loaded, found, and called in loops. The constructors of its
 * library are user code, too, so even loading happens in the child. */
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "collector/bench/bench_subject.h"

/* Loops by the number of arguments: passing fourteen where the function takes one would cost more
 * than many functions do. Which function is called is known only when the program runs, so that no
 * call can be optimised away. */

#define I1 a->integer[0]
#define I2 I1, a->integer[1]
#define I3 I2, a->integer[2]
#define I4 I3, a->integer[3]
#define I5 I4, a->integer[4]
#define I6 I5, a->integer[5]
#define R2 a->real[0], a->real[1]
#define R8 R2, a->real[2], a->real[3], a->real[4], a->real[5], a->real[6], a->real[7]

#define TI1 long
#define TI2 TI1, long
#define TI3 TI2, long
#define TI4 TI3, long
#define TI5 TI4, long
#define TI6 TI5, long
#define TR2 double, double
#define TR8 TR2, double, double, double, double, double, double

#define LOOP(name, types, ...)                                                                     \
	static void name(bench_function *f, const struct bench_arguments *a, uint64_t calls)       \
	{                                                                                          \
		long(*typed) types = (long(*) types)f;                                             \
                                                                                                   \
		(void)a;                                                                           \
		for (uint64_t i = 0; i < calls; i++)                                               \
			typed(__VA_ARGS__);                                                        \
	}

LOOP(loop_0, (void))
LOOP(loop_1, (TI1), I1)
LOOP(loop_2, (TI2), I2)
LOOP(loop_3, (TI3), I3)
LOOP(loop_4, (TI4), I4)
LOOP(loop_5, (TI5), I5)
LOOP(loop_6, (TI6), I6)
LOOP(loop_0_2, (TR2), R2)
LOOP(loop_1_2, (TI1, TR2), I1, R2)
LOOP(loop_2_2, (TI2, TR2), I2, R2)
LOOP(loop_3_2, (TI3, TR2), I3, R2)
LOOP(loop_6_2, (TI6, TR2), I6, R2)
LOOP(loop_0_8, (TR8), R8)
LOOP(loop_6_8, (TI6, TR8), I6, R8)

bench_loop *bench_function_loop(const struct bench_arguments *a)
{
	static bench_loop *const without_reals[] = {loop_0, loop_1, loop_2, loop_3,
						    loop_4, loop_5, loop_6};
	static bench_loop *const with_two[] = {loop_0_2, loop_1_2, loop_2_2, loop_3_2,
					       loop_6_2, loop_6_2, loop_6_2};

	if (a->reals > 2)
		return a->integers ? loop_6_8 : loop_0_8;
	return (a->reals ? with_two : without_reals)[a->integers];
}

/* 16 bytes apart, as functions lie: four places in a line, in two lines. The
 * numbers keep the compiler from making one function of them. */
#define EMPTY(number)                                                                              \
	static __attribute__((noinline, aligned(16))) void empty_##number(void)                    \
	{                                                                                          \
		__asm__ volatile("# " #number);                                                    \
	}

EMPTY(0)
EMPTY(1)
EMPTY(2)
EMPTY(3)
EMPTY(4)
EMPTY(5)
EMPTY(6)
EMPTY(7)

bench_function *bench_function_empty(unsigned int turn)
{
	static bench_function *const empty[] = {empty_0, empty_1, empty_2, empty_3,
						empty_4, empty_5, empty_6, empty_7};

	return empty[turn % (sizeof(empty) / sizeof(*empty))];
}

static int run(struct bench_subject *s, uint64_t calls)
{
	s->loop(s->function, s->plan->arguments, calls);
	return 0;
}

static int run_empty(struct bench_subject *s, uint64_t calls, unsigned int turn)
{
	s->loop(bench_function_empty(turn), s->plan->arguments, calls);
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

int bench_function_open(struct bench_subject *s)
{
	const struct bench_plan *plan = s->plan;
	const char *said, *hint = "";

	void *library = dlopen(plan->library, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		/* the loader's message, with a hint where the name may be the mistake */
		said = dlerror();
		if (!strchr(plan->library, '/') && !access(plan->library, F_OK))
			hint = "; a library of this folder is written with ./";
		else if (!strchr(plan->library, '/') && !strstr(plan->library, ".so"))
			hint = "; write its whole name, as in libz.so.1, or its path";
		return bench_measure_refuse(s->record, BENCH_BAD, "cannot load the library: %s%s",
					    said ? said : plan->library, hint);
	}
	dlerror();
	void *address = dlsym(library, plan->function);
	said = dlerror();
	if (said || !address)
		return bench_measure_refuse(s->record, BENCH_BAD, "no function '%s': %s",
					    plan->function, said ? said : "its address is 0");
	if (is_data(address))
		return bench_measure_refuse(s->record, BENCH_BAD,
					    "'%s' of %s is data, not a function", plan->function,
					    plan->library);
	memcpy(&s->function, &address, sizeof(address));
	s->loop = bench_function_loop(plan->arguments);
	s->run = run;
	s->run_empty = run_empty;
	s->rusage_who = RUSAGE_SELF;
	return 0;
}
