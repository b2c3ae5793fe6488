// SPDX-License-Identifier: GPL-3.0-or-later
/* Files are looked for in order, from the recorded path to debuginfod; equal files share a session.
 */
#include "report/symbols/symbolize_private.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "report/wording/utf8.h"

/* Never asked: a session begins with an open file. */
static int find_no_file(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
			char **file, Elf **elf)
{
	(void)module, (void)userdata, (void)name, (void)base, (void)file, (void)elf;
	return -1;
}

/* libdwfl's own would open whatever a path leads to. */
static const Dwfl_Callbacks callbacks = {
	.find_elf = find_no_file,
	.find_debuginfo = symbolize_debug_find,
	.section_address = dwfl_offline_section_address,
};

/* Debug information is opened for that, not read. */
static bool is_stripped(struct symbolize_session *s)
{
	Dwarf_Addr bias;

	if (symbolize_elf_has_symbols(dwfl_module_getelf(s->module, &bias)))
		return false;
	dwfl_module_getsymtab(s->module);
	return !s->debug.has_symbols;
}

static void end_session(struct symbolize_session *s)
{
	symbolize_table_free(s->table);
	if (s->dwfl)
		dwfl_end(s->dwfl);
	symbolize_debug_clear(&s->debug);
	free(s);
}

/* Of a copy of the file, whose descriptor is taken. */
static bool begin_session(struct symbolize_session *s, const char *name, int copy)
{
	void **userdata;

	s->dwfl = dwfl_begin(&callbacks);
	if (s->dwfl) {
		dwfl_report_begin(s->dwfl);
		s->module = dwfl_report_offline(s->dwfl, "", name, copy);
		dwfl_report_end(s->dwfl, NULL, NULL);
	}
	if (!s->module) {
		close(copy); /* it is the library's only when the call succeeds */
		return false;
	}
	dwfl_module_info(s->module, &userdata, NULL, NULL, NULL, NULL, NULL, NULL);
	*userdata = &s->debug;
	if (!dwfl_module_getelf(s->module, &s->bias))
		return false;
	s->stripped = is_stripped(s);
	return true;
}

/* Sessions of unreadable files are kept, too, since many paths may lead to one. NULL: out of
 * memory. */
static struct symbolize_session *new_session(struct symbolize_sessions *all,
					     const struct symbolize_key *key, const char *name,
					     int fd, const struct stat *st)
{
	struct symbolize_session *s = calloc(1, sizeof(*s));
	struct symbolize_alt alt = {0};
	bool before = all->files.left_out;
	int copy;

	if (!s)
		return NULL;
	memcpy(&s->key, key, sizeof(*key)); /* the hash takes its padding, too */
	HASH_ADD(hh, all->all, key, sizeof(s->key), s);
	if (!s->hh.tbl) {
		free(s);
		return NULL;
	}
	all->files.left_out = false;
	copy = symbolize_elf_copy(&all->files, fd, st, &alt);
	s->left_out = all->files.left_out;
	all->files.left_out |= before;
	symbolize_debug_init(&s->debug, &all->files, name, fd, st, &alt);
	if (copy >= 0 && !begin_session(s, name, copy)) {
		dwfl_end(s->dwfl);
		s->dwfl = NULL;
	}
	return s;
}

void symbolize_module_clear_sessions(struct symbolize_sessions *s)
{
	struct symbolize_session *each, *next;

	HASH_ITER(hh, s->all, each, next)
	{
		HASH_DEL(s->all, each);
		end_session(each);
	}
}

/* A search for the file of a module. */
struct search {
	struct symbolize_sessions *sessions;
	struct symbolize_module *module;
	const struct prof_module *want;
};

/* Takes the descriptor. A file of another build leaves the state at STALE. */
static bool take(const struct search *s, const char *name, int fd, const struct stat *st)
{
	struct symbolize_module *m = s->module;
	struct symbolize_session *found;
	struct symbolize_key key;
	int same;

	memset(&key, 0, sizeof(key));
	key.device = st->st_dev;
	key.inode = st->st_ino;
	key.build_id_bytes = s->want->build_id_bytes;
	memcpy(key.build_id, s->want->build_id, s->want->build_id_bytes);
	HASH_FIND(hh, s->sessions->all, &key, sizeof(key), found);
	same = found ? 1
		     : symbolize_elf_has_build_id(&s->sessions->files, fd, key.build_id,
						  key.build_id_bytes);
	if (!found && (same > 0 || (same == 0 && !key.build_id_bytes)))
		found = new_session(s->sessions, &key, name, fd, st);
	close(fd);
	if (found && found->dwfl) {
		m->session = found;
		m->state = SYMBOLIZE_LOADED;
		return true;
	}
	s->sessions->files.left_out |= found && found->left_out;
	if (same == 0)
		m->state = SYMBOLIZE_STALE;
	return false;
}

static bool try_file(const struct search *s, const char *path)
{
	struct stat st;
	int fd = symbolize_open(&s->sessions->files, path, &st);

	return fd >= 0 && take(s, path, fd, &st);
}

/* The state that a file elsewhere leaves does not matter: only the recorded path
 * may hold another build of the module. */
__attribute__((format(printf, 2, 3))) static bool try_elsewhere(const struct search *s,
								const char *format, ...)
{
	enum symbolize_state state = s->module->state;
	char *path = NULL;
	va_list args;
	bool found;

	va_start(args, format);
	if (vasprintf(&path, format, args) < 0)
		path = NULL;
	va_end(args);
	found = path && try_file(s, path);
	if (!found)
		s->module->state = state;
	free(path);
	return found;
}

/* The vDSO: the loader gives it a name without a folder, which the library takes for a file of
 * the working directory. */
static bool is_vdso(const struct prof_module *want)
{
	const char *slash = strrchr(want->path, '/'), *base = slash ? slash + 1 : want->path;

	return !strcmp(base, "[vdso]") || !strncmp(base, "linux-vdso.so", 13) ||
	       !strncmp(base, "linux-gate.so", 13);
}

/* The kernel that ran is this one, if the vDSO has the same build-id. */
static bool try_vdso(const struct search *s)
{
	const GElf_Ehdr *elf = (const GElf_Ehdr *)getauxval(AT_SYSINFO_EHDR);
	struct stat st;
	size_t bytes;
	int fd;

	if (!elf || !s->want->build_id_bytes)
		return false;
	bytes = elf->e_shoff + (size_t)elf->e_shnum * elf->e_shentsize;
	fd = symbolize_open_memory(&s->sessions->files, bytes);
	if (fd < 0)
		return false;
	if (write(fd, elf, bytes) == (ssize_t)bytes && fstat(fd, &st) == 0) {
		st.st_dev = 0; /* the same one each time */
		st.st_ino = 0;
		return take(s, "[vdso]", fd, &st);
	}
	close(fd);
	return false;
}

#define PROCESSES 32 /* that are tried: hundreds that have ended would only cost time */

static bool try_processes(const struct search *s, const struct profile *p)
{
	const char *path = s->want->path;

	for (uint32_t i = 0; i < p->processes && i < PROCESSES; i++) {
		unsigned pid = p->process[i].pid;

		if (path[0] == '/' && try_elsewhere(s, "/proc/%u/root%s", pid, path))
			return true;
		if (!strcmp(p->process[i].exe, path) && try_elsewhere(s, "/proc/%u/exe", pid))
			return true;
	}
	return false;
}

static bool try_directory(const struct search *s, const char *directory, int length)
{
	const struct prof_module *want = s->want;
	char hex[2 * SCP_BUILD_ID_MAX + 1];

	for (uint32_t i = 0; i < want->build_id_bytes; i++)
		snprintf(hex + 2 * (size_t)i, 3, "%02x", want->build_id[i]);
	return try_elsewhere(s, "%.*s/%s", length, directory, want->path) ||
	       try_elsewhere(s, "%.*s/%s", length, directory, base_name(want->path)) ||
	       try_elsewhere(s, "%.*s/.build-id/%.2s/%s", length, directory, hex, hex + 2) ||
	       try_elsewhere(s, "%.*s/.build-id/%.2s/%s.debug", length, directory, hex, hex + 2);
}

static bool try_directories(const struct search *s)
{
	const char *at = NULL, *directory;
	int length;

	while (symbolize_debug_directory(&at, &directory, &length))
		if (try_directory(s, directory, length))
			return true;
	return false;
}

static bool try_servers(const struct search *s)
{
	const struct prof_module *want = s->want;
	enum symbolize_state state = s->module->state;
	struct stat st;
	int fd = symbolize_fetch(&s->sessions->files, want->build_id, want->build_id_bytes, false,
				 &st);

	if (fd >= 0 && take(s, base_name(want->path), fd, &st))
		return true;
	s->module->state = state;
	return false;
}

void symbolize_module_open(struct symbolize_sessions *sessions, struct symbolize_module *m,
			   const struct profile *p, uint32_t module)
{
	const struct search s = {sessions, m, &p->module[module]};
	struct symbolize_files *files = &sessions->files;
	bool found, before = files->left_out;

	m->state = SYMBOLIZE_MISSING;
	if (files->guarded && !s.want->build_id_bytes)
		return;
	files->left_out = false;
	if (is_vdso(s.want))
		found = try_vdso(&s);
	else
		found = (s.want->path[0] == '/' && try_file(&s, s.want->path)) ||
			(s.want->build_id_bytes &&
			 (try_processes(&s, p) || try_directories(&s) || try_servers(&s)));
	if (!found && files->left_out)
		m->state = SYMBOLIZE_LEFT_OUT;
	files->left_out |= before;
}

/* A table takes about as long as so many walks through all symbols. */
#define WALKS 4

const char *symbolize_module_session_symbol(struct symbolize_session *m, GElf_Addr address,
					    GElf_Off *into)
{
	const char *name;
	GElf_Sym symbol;

	if (!m->table && m->walks++ >= WALKS)
		m->table = symbolize_table_new(m->module);
	if (m->table)
		return symbolize_table_find(m->table, address, into);
	name = dwfl_module_addrinfo(m->module, address, into, &symbol, NULL, NULL, NULL);
	return name && symbol.st_size && *into >= symbol.st_size ? NULL : name;
}
