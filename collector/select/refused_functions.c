// SPDX-License-Identifier: GPL-3.0-or-later
/* By name: a function's binary code does not tell what it does to its caller. */
#include "collector/select/selection.h"

#include <fnmatch.h>
#include <string.h>

static const char twice[] = "it returns twice, or not to where it was called from";
static const char caller[] = "it looks at its caller, which would be scprof";
static const char never[] = "it never returns, so it has no duration";
static const char special[] = "it is called in a special way, by the linker or the compiler";

static const struct {
	const char *glob;
	const char *why;
} refused[] = {
	{"setjmp", twice},
	{"_setjmp", twice},
	{"sigsetjmp", twice},
	{"__sigsetjmp", twice},
	{"savectx", twice},
	{"vfork", twice},
	{"__vfork", twice},
	{"getcontext", twice},
	{"makecontext", twice},
	{"swapcontext", twice},
	{"setcontext", twice},
	{"clone", twice},
	{"__clone", twice},
	{"clone3", twice},
	{"__clone2", twice},
	{"sigreturn", twice},
	{"__sigreturn", twice},
	{"_Unwind_*", caller},
	{"__gcc_personality_*", caller},
	{"__gxx_personality_*", caller},
	{"__cxa_throw", never},
	{"__cxa_rethrow", never},
	{"_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE", never},
	{"backtrace", caller},
	{"__backtrace", caller},
	{"unw_*", caller},
	{"_Ux86_64_*", caller},
	{"_ULx86_64_*", caller},
	{"dlopen", caller},
	{"dlmopen", caller},
	{"dlsym", caller},
	{"dlvsym", caller},
	{"__libc_dl*", caller},
	{"_dl_*", special},
	{"__tls_get_addr", special},
	{"___tls_get_addr", special},
	{"mcount", special},
	{"_mcount", special},
	{"__fentry__", special},
	{"__cyg_profile_func_*", special},
	{"__morestack*", special},
	{"__libc_start_main", never},
	{"__libc_start_call_main", never},
	{"__pthread_register_cancel*", caller},
	{"__pthread_unregister_cancel*", caller},
	{"__pthread_unwind*", never},
	{"longjmp", never},
	{"_longjmp", never},
	{"siglongjmp", never},
	{"__longjmp_chk", never},
	{"__libc_longjmp", never},
	{"__libc_siglongjmp", never},
	{"exit", never},
	{"quick_exit", never},
	{"abort", never},
	{"pthread_exit", never},
	{"thrd_exit", never},
	{"__stack_chk_fail", never},
	{"__chk_fail", never},
	{"__fortify_fail", never},
	{"__assert*", never},
	{"_ZSt9terminatev", never},
	{"_ZSt10unexpectedv", never},
	{"_init", special},
	{"_fini", special},
	{"__gmon_start__", special},
	{"_ITM_*", special},
	{"__cxa_finalize", special},
	{"scprof_*", "it is scprof's own"},
};

const char *refused_functions_reason(const char *name, const struct exports *own)
{
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		if (!fnmatch(refused[i].glob, name, 0))
			return refused[i].why;
	for (size_t i = 0; i < own->functions; i++)
		if (!strcmp(own->function[i].name, name))
			return "scprof interposes it already: the groups of -g record it, "
			       "where it can be timed";
	for (size_t i = 0; i < own->imports; i++)
		if (!strcmp(own->import[i], name))
			return "scprof itself calls it while it records";
	return NULL;
}
