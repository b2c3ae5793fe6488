// SPDX-License-Identifier: GPL-3.0-or-later
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
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

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static bool begins_so(const char *text, const char *const *with, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (begins(text, with[i]))
			return true;
	return false;
}

/* libc.so.6, and libc-2.31.so of older releases. */
static bool is_glibc(const char *name)
{
	return !strcmp(name, "libc.so.6") || begins(name, "libc-2.");
}

static bool is_sanitizer(const char *name)
{
	static const char *const names[] = {"libasan.so", "libtsan.so", "libhwasan.so",
					    "liblsan.so", "libclang_rt."};

	return begins_so(name, names, sizeof(names) / sizeof(*names));
}

static bool is_wake(const char *name)
{
	size_t length = strlen(name);

	return begins(name, "scprof.") && length > 5 && !strcmp(name + length - 5, ".wake");
}

static void note_file(struct refusal_maps *m, const char *path, uint64_t from, uint64_t offset)
{
	const char *name = base_name(path);

	if (is_glibc(name) && !offset && !m->libc)
		m->libc = from;
	else if (begins(name, "ld-musl-") || begins(name, "libc.musl-"))
		m->musl = true;
	else if (!strcmp(name, "libscprof.so"))
		m->preloaded = true;
	else if (!*m->sanitizer && is_sanitizer(name))
		snprintf(m->sanitizer, sizeof(m->sanitizer), "%.60s", name);
	else
		m->wake |= is_wake(name);
}

/* Names in it are the process's own to choose: they decide what is said, and no file is opened by
 * them but below the process's root and with its owner's rights. */
void refusal_program_parse_maps(FILE *maps, struct refusal_maps *m)
{
	struct proc_mapping p;

	*m = (struct refusal_maps){0};
	while (proc_maps_next(maps, &p)) {
		if (!m->readable && p.readable)
			m->readable = p.start;
		/* a deleted page is one that nobody else can open */
		if (*p.path == '/' && !(p.deleted && is_wake(base_name(p.path))))
			note_file(m, p.path, p.start, p.offset);
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

/* What runs the program instead of the processor, or NULL. qemu-system and its like are programs as
 * others are. */
static const char *emulator(const char *exe)
{
	static const char *const qemu[] = {"x86_64", "i386", "aarch64", "arm",	 "riscv",
					   "ppc",    "s390", "mips",	"sparc", "loongarch"};
	const char *name = base_name(exe);

	if (strstr(exe, "/valgrind/") || begins(name, "memcheck-"))
		return "valgrind";
	if (begins(name, "qemu-") &&
	    begins_so(name + strlen("qemu-"), qemu, sizeof(qemu) / sizeof(*qemu)))
		return "qemu";
	return begins(name, "rosetta")		? "Rosetta"
	       : begins(name, "FEXInterpreter") ? "FEX"
	       : begins(name, "box64")		? "Box64"
						: NULL;
}

static const char *sanitizer_symbol(Elf *elf, const GElf_Shdr *header, Elf_Data *data)
{
	static const char *const names[] = {"__asan_init", "__tsan_init", "__msan_init",
					    "__hwasan_init"};
	GElf_Sym symbol;

	for (int i = 0; i < MOST_SYMBOLS && data && gelf_getsym(data, i, &symbol); i++) {
		const char *name = symbol.st_shndx == SHN_UNDEF
					   ? NULL
					   : elf_strptr(elf, header->sh_link, symbol.st_name);

		for (size_t n = 0; name && n < sizeof(names) / sizeof(*names); n++)
			if (!strcmp(name, names[n]))
				return names[n];
	}
	return NULL;
}

/* clang links its sanitizers into the program; gcc's are libraries. */
static const char *sanitizer_inside(int fd)
{
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	const char *found = NULL;

	while (elf && !found && (section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_DYNSYM)
			found = sanitizer_symbol(elf, &header, elf_getdata(section, NULL));
	elf_end(elf);
	return found;
}

static int say_foreign(const struct refusal_process *p, const struct elf_facts *facts,
		       struct profile_error *err)
{
	return refusal_say(p, err,
			   "it is a %d-bit program%s, and scprof was built for another kind: use a "
			   "scprof that was built for that",
			   facts->class == ELFCLASS32 ? 32 : 64,
			   facts->machine == MACHINE ? "" : " of another architecture");
}

static int say_no_loader(const struct refusal_process *p, const struct elf_facts *facts,
			 struct profile_error *err)
{
	return refusal_say(
		p, err,
		"it is %s and has no dynamic linker that could take the library in: link "
		"it dynamically, or use perf, which needs none",
		facts->is_go ? "a static Go program" : "a static program");
}

static int say_other_libc(const struct refusal_process *p, const struct elf_facts *facts,
			  struct profile_error *err)
{
	bool musl = strstr(facts->interpreter, "musl") || !*facts->interpreter;

	return refusal_say(p, err,
			   "it runs with %s%.100s, and scprof needs glibc: run the program in an "
			   "image with glibc (Debian, Ubuntu, Fedora, ...)",
			   musl ? "musl, " : "",
			   *facts->interpreter ? facts->interpreter : "mapped");
}

static bool is_glibc_loader(const char *path)
{
	const char *name = base_name(path);

	return begins(name, "ld-linux") || begins(name, "ld-2.") || begins(name, "ld.so") ||
	       begins(name, "ld64.so");
}

static int say_sanitizer(const struct refusal_process *p, const char *what,
			 struct profile_error *err)
{
	return refusal_say(p, err,
			   "it was built with a sanitizer (%s), which watches the same functions: "
			   "attach to a build without",
			   what);
}

static int judge_file(const struct refusal_process *p, const struct refusal_maps *m,
		      const struct elf_facts *facts, int fd, struct profile_error *err)
{
	const char *inside;

	if (facts->machine != MACHINE || facts->class != ELFCLASS64)
		return say_foreign(p, facts, err);
	if (m->musl)
		return say_other_libc(p, facts, err);
	if (*m->sanitizer || *facts->asan)
		return say_sanitizer(p, *m->sanitizer ? m->sanitizer : facts->asan, err);
	if ((inside = sanitizer_inside(fd)))
		return say_sanitizer(p, inside, err);
	if (m->libc)
		return 0;
	if (facts->is_static)
		return say_no_loader(p, facts, err);
	if (*facts->interpreter && !is_glibc_loader(facts->interpreter))
		return say_other_libc(p, facts, err);
	return 0;
}

static int open_program(pid_t pid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode))) {
		close(fd);
		return -1;
	}
	return fd;
}

enum refusal_program refusal_program_judge(const struct refusal_process *p,
					   const struct refusal_maps *m, const char *exe,
					   struct profile_error *err)
{
	const char *runs_it = emulator(exe);
	struct elf_facts facts;
	int fd, failed = 0;

	if (runs_it) {
		refusal_say(p, err,
			    "it runs in %s, whose threads are not the program's: start it without, "
			    "or use `scprof run` inside",
			    runs_it);
		return REFUSAL_PROGRAM_REFUSED;
	}
	fd = open_program(p->pid);
	if (fd >= 0) {
		if (!elf_facts_read(fd, &facts))
			failed = judge_file(p, m, &facts, fd, err);
		close(fd);
	}
	if (failed)
		return REFUSAL_PROGRAM_REFUSED;
	if (m->libc)
		return REFUSAL_PROGRAM_FINE;
	refusal_say(
		p, err,
		"it has not loaded glibc (libc.so.6) yet, because it is being executed just now, "
		"or it has none: try again later");
	return REFUSAL_PROGRAM_LOADING;
}
