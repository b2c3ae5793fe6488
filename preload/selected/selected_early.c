// SPDX-License-Identifier: Apache-2.0
/* What a stub does while its object is not relocated: an IFUNC resolver of another library,
 * which is relocated before, may call a selected function. libscprof.so cannot be reached
 * then; the original is looked up here as the loader would, and called.
 *
 * In libscprof.so this code only lies, as the section .scprof_early. The tool puts a copy into
 * every stub object as it is, so it has neither data nor relocations: scripts/embed_code.sh.
 * It is entered at its beginning with the stub's record, or 0 for dlsym, in %r11 (x16), and jumps
 * to the original with all registers that may hold an argument as they were. */
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stddef.h>
#include <sys/syscall.h>

#include "arch.h"
#include "include/scprof_selected.h"

#ifdef __x86_64__
__asm__(".text\n"
	"	endbr64\n"
	"	pushq	%rbp\n"
	"	movq	%rsp, %rbp\n"
	"	pushq	%rdi\n	pushq	%rsi\n	pushq	%rdx\n	pushq	%rcx\n"
	"	pushq	%r8\n	pushq	%r9\n	pushq	%rax\n	pushq	%r10\n"
	"	subq	$128, %rsp\n"
	"	andq	$-16, %rsp\n"
	"	movups	%xmm0, (%rsp)\n	movups	%xmm1, 16(%rsp)\n"
	"	movups	%xmm2, 32(%rsp)\n	movups	%xmm3, 48(%rsp)\n"
	"	movups	%xmm4, 64(%rsp)\n	movups	%xmm5, 80(%rsp)\n"
	"	movups	%xmm6, 96(%rsp)\n	movups	%xmm7, 112(%rsp)\n"
	"	movq	%r11, %rdi\n"
	"	call	early_find\n"
	"	movq	%rax, %r11\n"
	"	movups	(%rsp), %xmm0\n	movups	16(%rsp), %xmm1\n"
	"	movups	32(%rsp), %xmm2\n	movups	48(%rsp), %xmm3\n"
	"	movups	64(%rsp), %xmm4\n	movups	80(%rsp), %xmm5\n"
	"	movups	96(%rsp), %xmm6\n	movups	112(%rsp), %xmm7\n"
	"	leaq	-64(%rbp), %rsp\n"
	"	popq	%r10\n	popq	%rax\n	popq	%r9\n	popq	%r8\n"
	"	popq	%rcx\n	popq	%rdx\n	popq	%rsi\n	popq	%rdi\n"
	"	popq	%rbp\n"
	"	jmp	*%r11\n");
#define OWN_ADDRESS "leaq early_find(%%rip), %0"
#else
__asm__(".text\n"
	"	stp	x29, x30, [sp, #-224]!\n"
	"	mov	x29, sp\n"
	"	stp	x0, x1, [sp, #16]\n	stp	x2, x3, [sp, #32]\n"
	"	stp	x4, x5, [sp, #48]\n	stp	x6, x7, [sp, #64]\n"
	"	str	x8, [sp, #80]\n"
	"	stp	q0, q1, [sp, #96]\n	stp	q2, q3, [sp, #128]\n"
	"	stp	q4, q5, [sp, #160]\n	stp	q6, q7, [sp, #192]\n"
	"	mov	x0, x16\n"
	"	bl	early_find\n"
	"	mov	x16, x0\n"
	"	ldp	q0, q1, [sp, #96]\n	ldp	q2, q3, [sp, #128]\n"
	"	ldp	q4, q5, [sp, #160]\n	ldp	q6, q7, [sp, #192]\n"
	"	ldr	x8, [sp, #80]\n"
	"	ldp	x6, x7, [sp, #64]\n	ldp	x4, x5, [sp, #48]\n"
	"	ldp	x2, x3, [sp, #32]\n	ldp	x0, x1, [sp, #16]\n"
	"	ldp	x29, x30, [sp], #224\n"
	"	br	x16\n");
#define OWN_ADDRESS "adr %0, early_find"
#endif

#include "preload/process/symbols.h" /* its functions lie behind the entry */

/* What the kernel told the program. */
struct early_kernel {
	uint64_t loader; /* where it is mapped */
	uint64_t hwcap, hwcap2;
};

static void early_ask(struct early_kernel *k)
{
	/* "/proc/self/auxv" as numbers: a string would be data. */
	volatile uint64_t path[2] = {0x65732f636f72702fu, 0x00767875612f666cu};
	volatile uint64_t aux[80];
	uint64_t headers = 0;
	k->loader = k->hwcap = k->hwcap2 = 0;
	long fd = arch_syscall(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0);
	if (fd < 0)
		return;
	long n = arch_syscall(SYS_read, fd, (long)aux, sizeof aux, 0, 0, 0);
	arch_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
	for (long i = 0; 8 * (i + 2) <= n && aux[i] != AT_NULL; i += 2) {
		if (aux[i] == AT_BASE)
			k->loader = aux[i + 1];
		else if (aux[i] == AT_PHDR)
			headers = aux[i + 1];
		else if (aux[i] == AT_HWCAP)
			k->hwcap = aux[i + 1];
		else if (aux[i] == AT_HWCAP2)
			k->hwcap2 = aux[i + 1];
	}
	if (!k->loader && headers)
		k->loader = headers - sizeof(Elf64_Ehdr); /* it was run as a command */
}

static const struct r_debug *early_debug(uint64_t base)
{
	volatile uint64_t name[2] = {0x67756265645f725fu, 0}; /* "_r_debug" */
	const char *text = (const char *)name;
	if (!base)
		return NULL;
	const Elf64_Ehdr *e = (const Elf64_Ehdr *)base;
	const Elf64_Dyn *d =
		symbols_dynamic(base, (const Elf64_Phdr *)(base + e->e_phoff), e->e_phnum);
	if (!d)
		return NULL;
	const struct symbols loader = symbols_read(base, d);
	const Elf64_Sym *s = symbols_find(&loader, text, symbols_hash(text), NULL, NULL);
	return s ? (const struct r_debug *)(base + s->st_value) : NULL;
}

/* The first definition in the objects after the stub object, which `own` is in. */
static void *early_search(const struct link_map *m, const struct early_kernel *k, uint64_t own,
			  const char *name, const char *version)
{
	const struct link_map *stubs = NULL;
	for (const struct link_map *l = m; l; l = l->l_next)
		if (l->l_addr <= own && (!stubs || l->l_addr > stubs->l_addr))
			stubs = l;
	for (m = stubs ? stubs->l_next : NULL; m; m = m->l_next) {
		const struct symbols o = symbols_read(m->l_addr, m->l_ld);
		const Elf64_Sym *s = symbols_find(&o, name, symbols_hash(name), version, NULL);
		if (!s)
			continue;
		uint64_t at = o.base + s->st_value;
		if (ELF64_ST_TYPE(s->st_info) == STT_GNU_IFUNC)
			return symbols_resolve(at, k->hwcap, k->hwcap2);
		return (void *)at;
	}
	return NULL;
}

/* NULL, and the call goes to address 0, as it would have without us: no object defines it. */
__attribute__((used)) static void *early_find(const struct scp_selected *s)
{
	volatile uint64_t name = 0x0000006d79736c64u; /* "dlsym" */
	struct early_kernel kernel;
	uint64_t own;
	early_ask(&kernel);
	const struct r_debug *debug = early_debug(kernel.loader);
	__asm__(OWN_ADDRESS : "=r"(own));
	if (!debug)
		return NULL;
	if (!s)
		return early_search(debug->r_map, &kernel, own, (const char *)&name, NULL);
	const char *table = (const char *)(s - s->id) - sizeof *s;
	return early_search(debug->r_map, &kernel, own, table + s->name,
			    s->version ? table + s->version : NULL);
}
