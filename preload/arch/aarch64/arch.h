// SPDX-License-Identifier: Apache-2.0
/* What differs between processors: AArch64. One file of this name for each
 * architecture; the build picks the folder. Registers carry DWARF numbers
 * (DWARF for the Arm 64-bit Architecture, table 1). */
#pragma once

#include <asm/hwcap.h>
#include <stdint.h>
#include <sys/auxv.h>

#define ARCH_MACHINE	  183 /* EM_AARCH64 */
#define ARCH_REGS	  32
#define ARCH_FP		  29
#define ARCH_SP		  31
#define ARCH_RA		  30
#define ARCH_VG		  46 /* the length of SVE vectors, in units of 8 bytes */
#define ARCH_STRIP_RA(ra) arch_strip_ra(ra)
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

/* In the thread's control block: where the blocks of thread-local variables are (glibc). */
#define ARCH_DTV 0

static inline uintptr_t arch_thread_pointer(void)
{
	return (uintptr_t)__builtin_thread_pointer();
}

/* xpaclri: without the code that pointer authentication keeps above the address bits, however many
 * these are here. It changes no address without a code, and is no operation on processors that
 * have no such codes. */
static inline uint64_t arch_strip_ra(uint64_t ra)
{
	register uint64_t x30 __asm__("x30") = ra;
	__asm__("hint #7" : "+r"(x30));
	return x30;
}

/* Frames with such vectors have a size that depends on it. 0: there are none. */
static inline uint64_t arch_vector_granules(void)
{
	register uint64_t x0 __asm__("x0");
	if (!(getauxval(AT_HWCAP) & HWCAP_SVE))
		return 0;
	__asm__(".inst 0x04e0e3e0 /* cntd x0 */" : "=r"(x0));
	return x0;
}

/* Only the slow steps change vector registers, and save the first 128 bits of eight of them, as
 * the dynamic linker does when it binds a call: the tool selects no function that takes or keeps
 * more of them (STO_AARCH64_VARIANT_PCS). */
static inline uint32_t arch_vectors_in_use(void)
{
	return 0;
}

/* Where arguments may lie besides the stack and the vector registers, for the original of a
 * selected function: the trampoline knows the order. */
struct arch_arguments {
	uint64_t x[8];
	uint64_t x8; /* where a large result is to go */
	uint64_t unused;
};
_Static_assert(sizeof(struct arch_arguments) == 80, "known to the assembly");

/* What comes before is done before anything that follows begins: ISB, as the Arm Architecture
 * Reference Manual asks for before the counter is read (D11.2.1). */
static inline void arch_order(void)
{
	__asm__ volatile("isb" ::: "memory");
}

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

/* A request to valgrind, of six words; without valgrind it does nothing ("The Client Request
 * mechanism", Valgrind User Manual, 3.1). */
static inline void arch_ask_valgrind(const uint64_t *request)
{
	register uint64_t result __asm__("x3") = 0;
	register const uint64_t *of __asm__("x4") = request;
	__asm__ volatile("ror x12, x12, #3\n\tror x12, x12, #13\n\tror x12, x12, #51\n\tror x12, "
			 "x12, #61\n\t"
			 "orr x10, x10, x10"
			 : "+r"(result)
			 : "r"(of)
			 : "cc", "memory");
}

static inline void arch_relax(void)
{
	__asm__ volatile("yield");
}
