// SPDX-License-Identifier: GPL-3.0-or-later
/* Where this program begins there is no unwind table, as with glibc before 2.33 on AArch64. */
#include <unistd.h>

__asm__(".text\n"
	".globl _start\n"
	".type _start, %function\n"
	"_start:\n"
#ifdef __x86_64__
	"	xorl	%ebp, %ebp\n"
	"	movq	%rdx, %r9\n"
	"	popq	%rsi\n"
	"	movq	%rsp, %rdx\n"
	"	andq	$-16, %rsp\n"
	"	pushq	%rax\n	pushq	%rsp\n"
	"	xorl	%r8d, %r8d\n	xorl	%ecx, %ecx\n"
	"	leaq	main(%rip), %rdi\n"
	"	call	*__libc_start_main@GOTPCREL(%rip)\n	hlt\n"
#else
	"	mov	x29, #0\n	mov	x30, #0\n"
	"	mov	x5, x0\n"
	"	ldr	x1, [sp]\n	add	x2, sp, #8\n"
	"	mov	x6, sp\n"
	"	adrp	x0, main\n	add	x0, x0, :lo12:main\n"
	"	mov	x3, #0\n	mov	x4, #0\n"
	"	bl	__libc_start_main\n	brk	#0\n"
#endif
	".size _start, . - _start\n");

int main(void)
{
	return write(1, "x", 1) - 1;
}
