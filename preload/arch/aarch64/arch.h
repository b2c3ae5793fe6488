// SPDX-License-Identifier: Apache-2.0
/* What differs between processors: AArch64. One file of this name for each
 * architecture; the build picks the folder. Registers carry DWARF numbers
 * (DWARF for the Arm 64-bit Architecture, table 1). */
#ifndef SCPROF_PRELOAD_ARCH_AARCH64_ARCH_H
#define SCPROF_PRELOAD_ARCH_AARCH64_ARCH_H

#include <stdint.h>

#define ARCH_MACHINE 183 /* EM_AARCH64 */
#define ARCH_REGS    32
#define ARCH_FP	     29
#define ARCH_SP	     31
#define ARCH_RA	     30
/* Pointer authentication keeps its code above the 48 address bits. */
#define ARCH_STRIP_RA(ra) ((ra) & ((UINT64_C(1) << 48) - 1))
#define ARCH_PAGE_MAX	  65536 /* the largest page of any kernel */
/* The kernel's signal trampoline has no call-frame information. Its code is
 * mov x8, #139; svc #0; the offsets are those of struct rt_sigframe's registers
 * x0 ... x30, sp and pc (arch/arm64/kernel/signal.c). */
#define ARCH_SIGNAL_CODE UINT64_C(0xd4000001d2801168)
#define ARCH_SIGNAL_REGS 312
#define ARCH_SIGNAL_SP	 560
#define ARCH_SIGNAL_PC	 568

#define ARCH_CALLER_SP()      ((uintptr_t)__builtin_dwarf_cfa())
#define ARCH_CALLER_FP()      (*(uintptr_t *)__builtin_frame_address(0))
#define ARCH_RETURN_ADDRESS() ((uintptr_t)ARCH_STRIP_RA((uintptr_t)__builtin_return_address(0)))

#define ARCH_RSEQ_SIGNATURE 0xd428bc00u /* RSEQ_SIG of sys/rseq.h, which libc registers */

static inline uint64_t arch_counter(void)
{
	uint64_t v;
	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(v));
	return v;
}

static inline int arch_counter_is_invariant(void)
{
	return 1; /* the generic timer is, by architecture */
}

static inline long arch_syscall(long n, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = n;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;
	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
}

static inline void arch_relax(void)
{
	__asm__ volatile("yield");
}

#endif
