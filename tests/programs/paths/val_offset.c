// SPDX-License-Identifier: GPL-3.0-or-later
/* main, keeps_pointer, borrows_pointer, write_one, each calls the next. borrows_pointer uses the
 * frame pointer for something else and says by DW_CFA_val_offset what it was: an instruction that
 * libunwind passes over, so that it takes `fake` for a frame, of which decoy seems the caller. */
#include <unistd.h>

#ifdef __x86_64__
long keeps_pointer(void);
long write_one(void);

__attribute__((noinline, used)) long write_one(void)
{
	return write(1, "x", 1) - 1;
}

__asm__(".text\n"
	"keeps_pointer:\n"
	".cfi_startproc\n"
	"	pushq %rbp\n"
	".cfi_def_cfa_offset 16\n"
	".cfi_offset 6, -16\n"
	"	movq %rsp, %rbp\n"
	".cfi_def_cfa_register 6\n"
	"	call borrows_pointer\n"
	"	popq %rbp\n"
	".cfi_def_cfa 7, 8\n"
	"	ret\n"
	".cfi_endproc\n"
	"borrows_pointer:\n"
	".cfi_startproc\n"
	"	subq $8, %rsp\n"
	".cfi_def_cfa_offset 16\n"
	"	leaq fake(%rip), %rbp\n"
	".cfi_escape 0x14, 6, 0\n" /* DW_CFA_val_offset: rbp is the CFA + 0 */
	"	call write_one\n"
	"	leaq 16(%rsp), %rbp\n"
	"	addq $8, %rsp\n"
	".cfi_def_cfa_offset 8\n"
	".cfi_restore 6\n"
	"	ret\n"
	".cfi_endproc\n"
	"decoy:\n"
	".cfi_startproc\n"
	"	call write_one\n"
	"decoy_return:\n"
	"	ret\n"
	".cfi_endproc\n"
	".data\n"
	".balign 16\n"
	"fake:	.quad 0, decoy_return, 0\n" /* the caller's frame pointer, the return address */
	".text\n");

int main(void)
{
	return (int)keeps_pointer();
}
#else
int main(void)
{
	return 77;
}
#endif
