// SPDX-License-Identifier: Apache-2.0
/* What differs between processors: x86-64. One file of this name for each architecture; the build
 * picks the folder. Registers carry DWARF numbers (System V ABI, AMD64 supplement, figure 3.36). */
#pragma once

#include <stdint.h>

#define ARCH_MACHINE	  62 /* EM_X86_64 */
#define ARCH_REGS	  17
#define ARCH_FP		  6	     /* rbp */
#define ARCH_SP		  7	     /* rsp */
#define ARCH_RA		  16	     /* rip */
#define ARCH_VG		  UINT64_MAX /* no register tells the length of vectors */
#define ARCH_STRIP_RA(ra) (ra)
#define ARCH_PAGE_MAX	  4096 /* the largest page of any kernel */
/* The signal trampoline has call-frame information: no need to know its code. */
#define ARCH_SIGNAL_CODE UINT64_C(0)
#define ARCH_SIGNAL_REGS 0
#define ARCH_SIGNAL_SP	 0
#define ARCH_SIGNAL_PC	 0

/* The caller's registers as they are when the function that uses this returns. */
#define ARCH_CALLER_SP()      ((uintptr_t)__builtin_frame_address(0) + 16)
#define ARCH_CALLER_FP()      (*(uintptr_t *)__builtin_frame_address(0))
#define ARCH_RETURN_ADDRESS() ((uintptr_t)__builtin_return_address(0))

#define ARCH_RSEQ_SIGNATURE 0x53053053u /* RSEQ_SIG of sys/rseq.h, which libc registers */

/* In the thread's control block: where the blocks of thread-local variables are (glibc). */
#define ARCH_DTV 8

/* Word 0 of the thread's control block is its address (System V ABI, AMD64 supplement, TLS). */
static inline uintptr_t arch_thread_pointer(void)
{
	uintptr_t address;
	__asm__("mov %%fs:0, %0" : "=r"(address));
	return address;
}

/* What comes before is done before anything that follows begins: LFENCE (Intel 64 and IA-32
 * Architectures Software Developer's Manual, volume 2, LFENCE and RDTSC). On processors of AMD
 * Linux makes it so. */
static inline void arch_order(void)
{
	__asm__ volatile("lfence" ::: "memory");
}

static inline uint64_t arch_counter(void)
{
	uint32_t low, high;
	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}

static inline uint64_t arch_vector_granules(void)
{
	return 0;
}

/* CPUID 80000007H, EDX bit 8: the counter runs at a constant rate in all states. */
static inline int arch_counter_is_invariant(void)
{
	uint32_t a = 0x80000000u, b, c, d;
	__asm__ volatile("cpuid" : "+a"(a), "=b"(b), "=c"(c), "=d"(d));
	if (a < 0x80000007u)
		return 0;
	a = 0x80000007u;
	__asm__ volatile("cpuid" : "+a"(a), "=b"(b), "=c"(c), "=d"(d));
	return (d >> 8) & 1;
}

/* How wide the vector registers are of which anything is in use now: 0 the lower 128 bits
 * only, 1 256, 2 512. To write to the rest of them would slow down what runs after us. */
static inline uint32_t arch_vectors_in_use(void)
{
	static uint32_t asked; /* 1: this processor cannot tell what is in use; 2: it can */
	uint32_t a = 1, b, c = 0, d, inside;
	if (!asked) {
		__asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
		inside = c >> 27 & 1; /* OSXSAVE */
		a = 13, c = 1;
		if (inside)
			__asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
		asked = !inside ? 3 : a & 4 ? 2 : 1; /* CPUID.0DH.1: XGETBV with ECX = 1 */
	}
	if (asked == 3)
		return 0;
	__asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(asked - 1));
	return a & 0x40 ? 2 : a & 4 ? 1 : 0; /* ZMM_Hi256, AVX */
}

/* Where arguments may lie besides the stack and the vector registers, for the original of a
 * selected function: the trampoline knows the order. */
struct arch_arguments {
	uint64_t rdi, rsi, rdx, rcx, r8, r9;
	uint64_t rax; /* its lower byte: how many vector registers a variadic call uses */
	uint64_t r10; /* static chain */
};
_Static_assert(sizeof(struct arch_arguments) == 64, "known to the assembly");

static inline long arch_syscall(long n, long a, long b, long c, long d, long e, long f)
{
	long ret;
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
}

/* A request to valgrind, of six words; without valgrind it does nothing ("The Client Request
 * mechanism", Valgrind User Manual, 3.1). */
static inline void arch_ask_valgrind(const uint64_t *request)
{
	uint64_t result = 0;
	__asm__ volatile(
		"rolq $3, %%rdi\n\trolq $13, %%rdi\n\trolq $61, %%rdi\n\trolq $51, %%rdi\n\t"
		"xchgq %%rbx, %%rbx"
		: "+d"(result)
		: "a"(request)
		: "cc", "memory");
}

static inline void arch_relax(void)
{
	__asm__ volatile("pause");
}
