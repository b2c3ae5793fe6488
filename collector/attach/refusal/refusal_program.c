// SPDX-License-Identifier: GPL-3.0-or-later
#include <elf.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

#include "collector/attach/refusal/refusal_private.h"
#include "collector/launch/elf_facts.h"
#include "collector/machine/proc_maps.h"

#ifdef __x86_64__
#define MACHINE EM_X86_64
#else
#define MACHINE EM_AARCH64
#endif
#define MOST_SYMBOLS 1000000

/* Names in it are the process's own to choose: they decide what is said, and no file is opened by
 * them but below the process's root and with its owner's rights. */
void refusal_program_parse_maps(FILE *maps, struct refusal_maps *m)
{
	struct proc_mapping p;

	*m = (struct refusal_maps){0};
	while (proc_maps_next(maps, &p)) {
		if (!m->readable && p.readable)
			m->readable = p.start;
		const char *name = *p.path == '/' ? basename(p.path) : "";
		if ((!strcmp(name, "libc.so.6") || !fnmatch("libc-2.*", name, 0)) && !p.offset &&
		    !m->libc)
			m->libc = p.start;
		else if (!strcmp(name, "libscprof.so"))
			m->preloaded = true;
	}
}

int refusal_program_read_maps(pid_t pid, struct refusal_maps *m)
{
	FILE *maps = proc_maps_open(pid);

	*m = (struct refusal_maps){0};
	if (!maps)
		return -1;
	refusal_program_parse_maps(maps, m);
	int failed = ferror(maps) ? -1 : 0;
	fclose(maps);
	return failed;
}

/* Other programs than these run by their own threads, qemu-system among them. */
static bool is_emulator(const char *exe)
{
	static const char *const patterns[] = {
		"*/valgrind/*",	     "*/qemu-x86_64*", "*/qemu-i386*",	"*/qemu-aarch64*",
		"*/qemu-arm*",	     "*/qemu-riscv*",  "*/qemu-ppc*",	"*/qemu-s390*",
		"*/qemu-mips*",	     "*/qemu-sparc*",  "*/qemu-loong*", "*/rosetta*",
		"*/FEXInterpreter*", "*/box64*"};

	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++)
		if (!fnmatch(patterns[i], exe, 0))
			return true;
	return false;
}

/* clang links its sanitizers into the program, gcc's are libraries: both names are dynamic. */
static bool is_sanitized(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Sym symbol;
	bool found = false;

	while (!found && (section = elf_nextscn(elf, section))) {
		Elf_Data *data = gelf_getshdr(section, &header) && header.sh_type == SHT_DYNSYM
					 ? elf_getdata(section, NULL)
					 : NULL;

		for (int i = 0; !found && i < MOST_SYMBOLS && data && gelf_getsym(data, i, &symbol);
		     i++) {
			const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);

			found = name && !fnmatch("__*san_init", name, 0);
		}
	}
	return found;
}

/* Why the executable's file speaks against it; NULL: it does not. */
static const char *judge_file(pid_t pid)
{
	char path[64];
	const char *why = NULL;
	GElf_Ehdr header;
	struct elf_facts facts;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	Elf *elf = fd >= 0 && elf_version(EV_CURRENT) ? elf_begin(fd, ELF_C_READ, NULL) : NULL;

	if (elf && gelf_getehdr(elf, &header)) {
		if (header.e_machine != MACHINE || header.e_ident[EI_CLASS] != ELFCLASS64)
			why = "it is a 32-bit program, or of another architecture: use a scprof "
			      "that was built for that";
		else if (is_sanitized(elf))
			why = "it was built with a sanitizer, which watches the same functions: "
			      "attach to a build without";
		else if (!elf_facts_read(fd, &facts) && elf_facts_is_musl(facts.interpreter))
			why = "its C library is musl, which opens no library with static "
			      "thread-local storage once the program runs: " REFUSAL_DORMANT
			      ", or use `scprof run`";
	}
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	return why;
}

enum refusal_program refusal_program_judge(const struct refusal_process *p,
					   const struct refusal_maps *m, const char *exe,
					   struct profile_error *err)
{
	const char *why = is_emulator(exe)
				  ? "it runs in an emulator, whose threads are not the program's: "
				    "start it without, or use `scprof run` inside"
				  : judge_file(p->pid);

	if (!why && m->libc)
		return REFUSAL_PROGRAM_FINE;
	refusal_say(p, err, "%s",
		    why ? why
			: "it has no glibc (libc.so.6): it is a static program, uses another libc "
			  "(musl), or is being executed just now: link it with glibc, dynamically, "
			  "or try again later");
	return why ? REFUSAL_PROGRAM_REFUSED : REFUSAL_PROGRAM_LOADING;
}
