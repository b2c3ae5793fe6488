// SPDX-License-Identifier: GPL-3.0-or-later
/* See symbolize_module.h. Every candidate is opened in a session of its own, and
 * kept if its build-id is the one that the profile recorded. */
#include "report/symbols/symbolize_module.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/symbols/base_name.h"

/* libdwfl keeps a pointer to this. Empty: beside the file. */
static char *debug_path;

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
	.debuginfo_path = &debug_path,
};

static const char *extra_directories(void)
{
	const char *directories = getenv("SCPROF_DEBUG_PATH");

	return directories ? directories : "";
}

static void set_debug_path(void)
{
	if (!debug_path &&
	    asprintf(&debug_path, ":.debug:/usr/lib/debug:%s", extra_directories()) < 0)
		debug_path = NULL; /* libdwfl's own default, then */
}

/* Files of /proc are regular and empty, and to read one may have effects, too. */
static bool is_safe(const struct stat *st, bool guarded)
{
	return S_ISREG(st->st_mode) && st->st_size > 0 &&
	       (!guarded || !st->st_uid || st->st_uid == geteuid());
}

/* Looked at before it is opened (O_PATH), and then the very same file is: a path may lead to
 * another one by then, and to open a device or a pipe has effects. */
static int open_regular(const char *path, bool guarded)
{
	int place = open(path, O_PATH | O_CLOEXEC), fd = -1;
	struct stat st;
	char name[64];

	if (place < 0)
		return -1;
	if (fstat(place, &st) == 0 && is_safe(&st, guarded)) {
		snprintf(name, sizeof(name), "/proc/self/fd/%d", place);
		fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	}
	close(place);
	return fd;
}

static bool same_build(Dwfl_Module *module, const struct prof_module *want)
{
	const unsigned char *bits;
	GElf_Addr where;
	int bytes;

	if (!want->build_id_bytes)
		return true; /* nothing to compare with */
	bytes = dwfl_module_build_id(module, &bits, &where);
	return bytes == (int)want->build_id_bytes && !memcmp(bits, want->build_id, (size_t)bytes);
}

void symbolize_module_close(struct symbolize_module *m)
{
	symbol_table_free(m->table);
	m->table = NULL;
	if (m->dwfl)
		dwfl_end(m->dwfl);
	m->dwfl = NULL;
	m->module = NULL;
}

/* Takes the descriptor. A file of another build leaves the state at STALE. */
static bool take(struct symbolize_module *m, const struct prof_module *want, const char *name,
		 int fd)
{
	m->dwfl = dwfl_begin(&callbacks);
	if (m->dwfl) {
		dwfl_report_begin(m->dwfl);
		m->module = dwfl_report_offline(m->dwfl, "", name, fd);
		dwfl_report_end(m->dwfl, NULL, NULL);
	}
	if (!m->module)
		close(fd); /* it is the library's only when the call succeeds */
	if (m->module && dwfl_module_getelf(m->module, &m->bias)) {
		if (same_build(m->module, want)) {
			m->state = SYMBOLIZE_LOADED;
			return true;
		}
		m->state = SYMBOLIZE_STALE;
	}
	symbolize_module_close(m);
	return false;
}

static bool try_file(struct symbolize_module *m, const struct prof_module *want, const char *path)
{
	int fd = open_regular(path, m->guarded);

	return fd >= 0 && take(m, want, path, fd);
}

/* The state that a file elsewhere leaves does not matter: only the recorded path
 * may hold another build of the module. */
__attribute__((format(printf, 3, 4))) static bool try_elsewhere(struct symbolize_module *m,
								const struct prof_module *want,
								const char *format, ...)
{
	enum symbolize_state state = m->state;
	char *path = NULL;
	va_list args;
	bool found;

	va_start(args, format);
	if (vasprintf(&path, format, args) < 0)
		path = NULL;
	va_end(args);
	found = path && try_file(m, want, path);
	if (!found)
		m->state = state;
	free(path);
	return found;
}

/* The loader gives it a name without a folder, which the recorder takes for a file of the
 * working directory. */
static bool is_vdso(const struct prof_module *want)
{
	const char *slash = strrchr(want->path, '/'), *base = slash ? slash + 1 : want->path;

	return !strcmp(base, "[vdso]") || !strncmp(base, "linux-vdso.so", 13) ||
	       !strncmp(base, "linux-gate.so", 13);
}

/* The kernel that ran is this one, if the vDSO has the same build-id. */
static bool try_vdso(struct symbolize_module *m, const struct prof_module *want)
{
	const GElf_Ehdr *elf = (const GElf_Ehdr *)getauxval(AT_SYSINFO_EHDR);
	size_t bytes;
	int fd;

	if (!elf || !want->build_id_bytes)
		return false;
	bytes = elf->e_shoff + (size_t)elf->e_shnum * elf->e_shentsize;
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd < 0)
		return false;
	if (write(fd, elf, bytes) == (ssize_t)bytes)
		return take(m, want, "[vdso]", fd);
	close(fd);
	return false;
}

#define PROCESSES 32 /* that are asked: hundreds that ended would only cost time */

static bool try_processes(struct symbolize_module *m, const struct prof_module *want,
			  const struct profile *p)
{
	for (uint32_t i = 0; i < p->processes && i < PROCESSES; i++) {
		unsigned pid = p->process[i].pid;

		if (want->path[0] == '/' &&
		    try_elsewhere(m, want, "/proc/%u/root%s", pid, want->path))
			return true;
		if (!strcmp(p->process[i].exe, want->path) &&
		    try_elsewhere(m, want, "/proc/%u/exe", pid))
			return true;
	}
	return false;
}

static bool try_directory(struct symbolize_module *m, const struct prof_module *want,
			  const char *directory, int length)
{
	char hex[2 * SCP_BUILD_ID_MAX + 1];

	for (uint32_t i = 0; i < want->build_id_bytes; i++)
		snprintf(hex + 2 * (size_t)i, 3, "%02x", want->build_id[i]);
	return try_elsewhere(m, want, "%.*s/%s", length, directory, want->path) ||
	       try_elsewhere(m, want, "%.*s/%s", length, directory, base_name(want->path)) ||
	       try_elsewhere(m, want, "%.*s/.build-id/%.2s/%s", length, directory, hex, hex + 2) ||
	       try_elsewhere(m, want, "%.*s/.build-id/%.2s/%s.debug", length, directory, hex,
			     hex + 2);
}

static bool try_directories(struct symbolize_module *m, const struct prof_module *want)
{
	const char *at = extra_directories();

	while (*at) {
		size_t length = strcspn(at, ":");

		if (length && try_directory(m, want, at, (int)length))
			return true;
		at += length + (at[length] == ':');
	}
	return try_directory(m, want, "/usr/lib/debug", (int)strlen("/usr/lib/debug"));
}

static bool try_servers(struct symbolize_module *m, const struct prof_module *want)
{
	enum symbolize_state state = m->state;
	int fd = symbolize_fetch(want->build_id, want->build_id_bytes);

	if (fd >= 0 && take(m, want, base_name(want->path), fd))
		return true;
	m->state = state;
	return false;
}

/* A table of symbols, or what Fedora keeps of one. */
static bool has_symbols(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr head;
	size_t names;

	if (!elf || elf_getshdrstrndx(elf, &names) != 0)
		return false;
	while ((section = elf_nextscn(elf, section)) != NULL) {
		const char *name =
			gelf_getshdr(section, &head) ? elf_strptr(elf, names, head.sh_name) : NULL;

		if (name && ((head.sh_type == SHT_SYMTAB && head.sh_size > head.sh_entsize) ||
			     !strcmp(name, ".gnu_debugdata")))
			return true;
	}
	return false;
}

static bool is_stripped(struct symbolize_module *m)
{
	Dwarf_Addr bias;
	Dwarf *debug;

	if (has_symbols(dwfl_module_getelf(m->module, &bias)))
		return false;
	debug = dwfl_module_getdwarf(m->module, &bias);
	return !debug || !has_symbols(dwarf_getelf(debug));
}

void symbolize_module_open(struct symbolize_module *m, const struct profile *p, uint32_t module)
{
	const struct prof_module *want = &p->module[module];
	bool found;

	set_debug_path();
	m->state = SYMBOLIZE_MISSING;
	if (m->guarded && !want->build_id_bytes)
		return;
	if (is_vdso(want))
		found = try_vdso(m, want);
	else
		found = (want->path[0] == '/' && try_file(m, want, want->path)) ||
			(want->build_id_bytes &&
			 (try_processes(m, want, p) || try_directories(m, want) ||
			  try_servers(m, want)));
	if (found)
		m->stripped = is_stripped(m);
}

/* A table takes about as long as so many walks through all symbols. */
#define WALKS 4

const char *symbolize_module_symbol(struct symbolize_module *m, GElf_Addr address, GElf_Off *into)
{
	const char *name;
	GElf_Sym symbol;

	if (!m->table && m->walks++ >= WALKS)
		m->table = symbol_table_new(m->module);
	if (m->table)
		return symbol_table_find(m->table, address, into);
	name = dwfl_module_addrinfo(m->module, address, into, &symbol, NULL, NULL, NULL);
	return name && symbol.st_size && *into >= symbol.st_size ? NULL : name;
}
