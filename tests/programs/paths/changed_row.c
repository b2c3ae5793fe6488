// SPDX-License-Identifier: GPL-3.0-or-later
/* main calls steps_out twice, which calls write in a frame of 24 bytes. In between, the program
 * changes what its call-frame information says of that frame, which leads to another return
 * address, that of `decoy`, the outermost function: a row that is remembered is no longer what the
 * tables say. */
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#ifdef __x86_64__
long steps_out(void);

__asm__(".text\n"
	"steps_out:\n"
	".cfi_startproc\n"
	"	subq $24, %rsp\n"
	".cfi_escape 0x0e, 0xa0, 0x80, 0x80, 0x00\n" /* DW_CFA_def_cfa_offset 32, in four bytes */
	"	leaq decoy_return(%rip), %rax\n"
	"	movq %rax, 16(%rsp)\n"
	"	movl $1, %edi\n"
	"	leaq steps_out(%rip), %rsi\n"
	"	movl $1, %edx\n"
	"	call write\n"
	"	addq $24, %rsp\n"
	".cfi_def_cfa_offset 8\n"
	"	ret\n"
	".cfi_endproc\n"
	"decoy:\n"
	".cfi_startproc\n"
	".cfi_undefined rip\n"
	"	call steps_out\n"
	"decoy_return:\n"
	"	ret\n"
	".cfi_endproc\n");

static const uint8_t instruction[] = {0x0e, 0xa0, 0x80, 0x80, 0x00};

/* Where .eh_frame_hdr begins, which .eh_frame follows. */
static int find_tables(struct dl_phdr_info *info, size_t size, void *tables)
{
	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
			*(uint8_t **)tables =
				(uint8_t *)info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
	return 1;
}

static int change_row(void)
{
	uint8_t *tables = NULL, *at;
	dl_iterate_phdr(find_tables, &tables);
	at = tables ? memmem(tables, 1024, instruction, sizeof instruction) : NULL;
	if (!at || mprotect((void *)((uintptr_t)(at + 1) & ~(uintptr_t)4095), 4096,
			    PROT_READ | PROT_WRITE))
		return -1;
	at[1] = 0x98; /* 24 */
	return 0;
}

int main(void)
{
	if (steps_out() != 1 || change_row() != 0)
		return 1;
	return steps_out() != 1;
}
#else
int main(void)
{
	return 77;
}
#endif
