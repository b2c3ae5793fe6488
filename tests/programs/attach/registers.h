// SPDX-License-Identifier: GPL-3.0-or-later
/* Fills the vector registers, stays a while (computing, or inside a system call), and looks what is
 * in them then. No compiler's code runs meanwhile. */
#ifndef REGISTERS_H
#define REGISTERS_H

#include "tried.h"

#ifdef __x86_64__

#define VECTOR_BYTES	    (32 * 64)
#define SIXTEEN		    "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15"
#define THIRTY_TWO	    SIXTEEN ",16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31"
#define EACH(NUMBERS, TEXT) ".irp n," NUMBERS "\n\t" TEXT "\n\t.endr\n\t"
#define STAY                                                                                       \
	"mov %[spins], %%rbx\n"                                                                    \
	"1:\tdec %%rbx\n\t"                                                                        \
	"jnz 1b\n\t"                                                                               \
	"mov %[number], %%rax\n\t"                                                                 \
	"test %%rax, %%rax\n\t"                                                                    \
	"js 2f\n\t"                                                                                \
	"mov %[nap], %%rdi\n\t"                                                                    \
	"xor %%esi, %%esi\n\t"                                                                     \
	"syscall\n"                                                                                \
	"2:\tmov %%rax, %[result]\n\t"
#define VECTORS_CLOBBERED                                                                          \
	"memory", "cc", "rax", "rbx", "rcx", "rdi", "rsi", "r11", "xmm0", "xmm1", "xmm2", "xmm3",  \
		"xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",         \
		"xmm13", "xmm14", "xmm15"

/* number: of the system call (nanosleep), or -1 for none. */
static inline long hold_wide(const unsigned char *in, unsigned char *out, uint64_t *masks,
			     long spins, long number, const struct timespec *nap)
{
	long result;

	__asm__ volatile(EACH(THIRTY_TWO, "vmovdqu64 \\n*64(%[in]), %%zmm\\n")
				 EACH("1,2,3,4,5,6,7", "kmovw \\n*8(%[masks]), %%k\\n") STAY EACH(
					 THIRTY_TWO, "vmovdqu64 %%zmm\\n, \\n*64(%[out])")
					 EACH("1,2,3,4,5,6,7",
					      "kmovw %%k\\n, 64+\\n*8(%[masks])") "vzeroupper"
			 : [result] "=&r"(result)
			 : [in] "r"(in), [out] "r"(out), [masks] "r"(masks), [spins] "r"(spins),
			   [number] "r"(number), [nap] "r"(nap)
			 : VECTORS_CLOBBERED);
	return result;
}

static inline long hold_narrow(const unsigned char *in, unsigned char *out, long spins, long number,
			       const struct timespec *nap)
{
	long result;

	__asm__ volatile(EACH(SIXTEEN, "movdqu \\n*64(%[in]), %%xmm\\n")
				 STAY EACH(SIXTEEN, "movdqu %%xmm\\n, \\n*64(%[out])")
			 : [result] "=&r"(result)
			 : [in] "r"(in), [out] "r"(out), [spins] "r"(spins), [number] "r"(number),
			   [nap] "r"(nap)
			 : VECTORS_CLOBBERED);
	return result;
}

static inline void check_vectors(const char *where, unsigned seed, int nap_ms, long spins)
{
	unsigned char in[VECTOR_BYTES], out[VECTOR_BYTES];
	struct timespec nap = {nap_ms / 1000, nap_ms % 1000 * 1000000L};
	int wide = __builtin_cpu_supports("avx512f");
	uint64_t masks[16] = {0};
	uint32_t control = 0x1f80 | 0x2000, found; /* round down */
	long result;

	for (int i = 0; i < VECTOR_BYTES; i++)
		in[i] = (unsigned char)(seed * 31 + (unsigned)i * 7 + ((unsigned)i >> 6));
	for (int i = 1; i < 8; i++)
		masks[i] = (seed * 77u + (unsigned)i * 1001u) & 0xffff;
	memset(out, 0, sizeof out);
	__asm__ volatile("ldmxcsr %0" : : "m"(control));
	result = wide ? hold_wide(in, out, masks, spins, nap_ms ? SYS_nanosleep : -1, &nap)
		      : hold_narrow(in, out, spins, nap_ms ? SYS_nanosleep : -1, &nap);
	__asm__ volatile("stmxcsr %0" : "=m"(found));
	control = 0x1f80;
	__asm__ volatile("ldmxcsr %0" : : "m"(control));
	if (nap_ms && result)
		wrong(where, "nanosleep with held registers: %ld", result);
	if (found != (0x1f80 | 0x2000))
		wrong(where, "mxcsr is %x", found);
	for (int i = 0; i < (wide ? 32 : 16); i++)
		if (memcmp(in + 64 * i, out + 64 * i, wide ? 64 : 16))
			wrong(where, "vector register %d is another", i);
	for (int i = 1; wide && i < 8; i++)
		if (masks[i] != (masks[8 + i] & 0xffff))
			wrong(where, "mask register %d is another", i);
}

#else

static inline void check_vectors(const char *where, unsigned seed, int nap_ms, long spins)
{
	(void)where, (void)seed, (void)nap_ms, (void)spins;
}

#endif
#endif
