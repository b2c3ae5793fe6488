// SPDX-License-Identifier: GPL-3.0-or-later
/* Frames that only AArch64 has: with return addresses that are signed, and told to be so in each
 * way of call-frame information; with one in a register; with vectors of a length that the
 * processor chooses. One send() under each. */
#include <arm_sve.h>
#include <sys/auxv.h>

#include "target.h"

static int pair[2];

/* x19 is saved here: it holds a return address. */
NOINLINE static void send_one(void)
{
	__asm__ volatile("" ::: "x19", "memory");
	if (send(pair[0], "x", 1, 0) != 1)
		die("send");
	NO_TAIL_CALL();
}

/* A function that signs its return address, says so by `told`, and calls its argument. */
#define SIGNING(name, before, sign, told, authenticate)                                            \
	__asm__("	.text\n"                                                                         \
		"	.type " #name ", %function\n" #name ":\n"                                  \
		"	.cfi_startproc\n" before "	" sign "\n" told                           \
		"	stp	x29, x30, [sp, #-16]!\n"                                                     \
		"	.cfi_def_cfa_offset 16\n	.cfi_offset 29, -16\n	.cfi_offset 30, "                 \
		"-8\n"                                                                             \
		"	mov	x29, sp\n"                                                                   \
		"	blr	x0\n"                                                                        \
		"	ldp	x29, x30, [sp], #16\n"                                                       \
		"	.cfi_def_cfa_offset 0\n	.cfi_restore 29\n	.cfi_restore 30\n" told    \
		"	" authenticate "\n	ret\n"                                                  \
		"	.cfi_endproc\n	.size " #name ", . - " #name "\n");                        \
	void name(void (*)(void))

SIGNING(key_a, "", "hint #25", "	.cfi_negate_ra_state\n", "hint #29");
SIGNING(key_b, "	.cfi_b_key_frame\n", "hint #27", "	.cfi_negate_ra_state\n",
	"hint #31");
/* The linker knows neither these two instructions nor the augmentation 'G' (tagged memory): the
 * test writes them over DW_CFA_GNU_args_size here, and over the 'B' of key_b in a copy. */
SIGNING(with_pc, "", "hint #25", "	.cfi_escape 0x2e, 0x7d\n", "hint #29");
SIGNING(set_state, "", "hint #25", "	.cfi_escape 0x2e, 0x7c, 0\n", "hint #29");
SIGNING(not_told, "", "hint #25", "", "hint #29");

__asm__("	.type in_register, %function\n"
	"in_register:\n"
	"	.cfi_startproc\n"
	"	hint	#25\n	.cfi_negate_ra_state\n"
	"	str	x19, [sp, #-16]!\n"
	"	.cfi_def_cfa_offset 16\n	.cfi_offset 19, -16\n"
	"	mov	x19, x30\n"
	"	.cfi_register 30, 19\n"
	"	blr	x0\n"
	"	mov	x30, x19\n"
	"	.cfi_restore 30\n"
	"	ldr	x19, [sp], #16\n"
	"	.cfi_def_cfa_offset 0\n	.cfi_restore 19\n"
	"	hint	#29\n	.cfi_negate_ra_state\n"
	"	ret\n"
	"	.cfi_endproc\n	.size in_register, . - in_register\n");
void in_register(void (*)(void));

#pragma GCC push_options
#pragma GCC target("+sve")
/* A vector lies in its frame. */
__attribute__((noinline, optimize("omit-frame-pointer"))) static void vectors(void (*f)(void))
{
	svfloat64_t v = svdup_f64(1);

	__asm__ volatile("" : "+m"(v));
	f();
	__asm__ volatile("" : "+m"(v));
}
#pragma GCC pop_options

int main(void)
{
	static void (*const each[])(void (*)(void)) = {key_a,	 key_b,	      with_pc, set_state,
						       not_told, in_register, vectors};

	make_pair(pair);
	for (size_t i = 0; i < sizeof each / sizeof *each; i++)
		if (each[i] != vectors || getauxval(AT_HWCAP) & HWCAP_SVE)
			each[i](send_one);
	say("done\n");
	expect_calls("send", 7);
	return 0;
}
