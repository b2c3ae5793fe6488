// SPDX-License-Identifier: GPL-3.0-or-later
/* Files are looked for in order, from the recorded path to debuginfod; equal files share a session.
 */
#include "report/symbols/symbolize_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "report/wording/utf8.h"

#define SYSTEM_DEBUG "/usr/lib/debug"

/* Absolute folders only: a relative one would be one beside the file (symbolize_elf.c). */
static char *make_debug_path(void)
{
	const char *list = getenv("SCPROF_DEBUG_PATH");
	char *copy = strdup(list ? list : ""), *path = NULL, *rest = copy, *folder;
	size_t bytes;
	FILE *out = open_memstream(&path, &bytes);

	while (out && copy && (folder = strsep(&rest, ":")) != NULL)
		if (*folder == '/')
			fprintf(out, "%s:", folder);
	if (out)
		fputs(SYSTEM_DEBUG, out);
	free(copy);
	return out && !fclose(out) ? path : NULL;
}

bool symbolize_module_begin(struct symbolize_sessions *s)
{
	s->debug_path = make_debug_path();
	s->callbacks = (Dwfl_Callbacks){.find_elf = dwfl_build_id_find_elf,
					.find_debuginfo = symbolize_debug_find,
					.section_address = dwfl_offline_section_address,
					.debuginfo_path = &s->debug_path};
	return s->debug_path != NULL;
}

static void end_session(struct symbolize_session *s)
{
	symbolize_table_free(s->table);
	if (s->dwfl)
		dwfl_end(s->dwfl);
	free(s->debug.path);
	free(s);
}

/* The path of an open file, to be freed; NULL: none. */
static char *path_of(int fd)
{
	char name[64], *path;

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	path = realpath(name, NULL);
	return path ? path : strdup("");
}

/* Of a copy of the file, whose descriptor is taken. */
static bool begin_session(struct symbolize_session *s, int copy)
{
	void **userdata;

	if (s->dwfl) {
		dwfl_report_begin(s->dwfl);
		s->module = dwfl_report_offline(s->dwfl, "", s->debug.path, copy);
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
	s->table = symbolize_table_new(s->module);
	return s->table != NULL;
}

/* Sessions of unfit files are kept, too, since many paths may lead to one. NULL: out of memory. */
static struct symbolize_session *new_session(struct symbolize_sessions *all,
					     const struct symbolize_key *key, int fd,
					     const struct stat *st)
{
	struct symbolize_session *s = calloc(1, sizeof(*s));
	bool before = all->files.left_out;

	if (!s)
		return NULL;
	s->key = *key;
	s->debug =
		(struct symbolize_debug){&all->files, path_of(fd), st->st_dev, st->st_ino, false};
	s->next = all->all;
	all->all = s;
	all->files.left_out = false;
	int copy = symbolize_elf_copy(&all->files, fd, st);
	s->state = all->files.left_out ? SYMBOLIZE_LEFT_OUT : SYMBOLIZE_MISSING;
	all->files.left_out |= before;
	if (copy >= 0 && key->build_id_bytes &&
	    !symbolize_elf_has_build_id(copy, key->build_id, key->build_id_bytes)) {
		close(copy);
		s->state = SYMBOLIZE_STALE;
		return s;
	}
	s->dwfl = copy >= 0 && s->debug.path ? dwfl_begin(&all->callbacks) : NULL;
	if (copy >= 0 && begin_session(s, copy))
		s->state = SYMBOLIZE_LOADED;
	return s;
}

void symbolize_module_clear_sessions(struct symbolize_sessions *s)
{
	while (s->all) {
		struct symbolize_session *next = s->all->next;

		end_session(s->all);
		s->all = next;
	}
	free(s->debug_path);
}

/* A search for the file of a module. */
struct search {
	struct symbolize_sessions *sessions;
	struct symbolize_module *module;
	const struct prof_module *want;
	struct symbolize_files *files;
	struct stat *st; /* of the file that was opened last */
};

static bool same_key(const struct symbolize_key *a, const struct symbolize_key *b)
{
	return a->device == b->device && a->inode == b->inode &&
	       a->build_id_bytes == b->build_id_bytes &&
	       !memcmp(a->build_id, b->build_id, a->build_id_bytes);
}

/* Takes the descriptor. */
static enum symbolize_state take(const struct search *s, int fd, const struct stat *st)
{
	struct symbolize_key key = {.device = st->st_dev, .inode = st->st_ino};
	struct symbolize_session *found = s->sessions->all;

	key.build_id_bytes = s->want->build_id_bytes;
	memcpy(key.build_id, s->want->build_id, key.build_id_bytes);
	while (found && !same_key(&found->key, &key))
		found = found->next;
	if (!found)
		found = new_session(s->sessions, &key, fd, st);
	close(fd);
	if (!found)
		return SYMBOLIZE_MISSING;
	s->sessions->files.left_out |= found->state == SYMBOLIZE_LEFT_OUT;
	if (found->state == SYMBOLIZE_LOADED)
		s->module->session = found;
	return found->state;
}

/* Takes a descriptor that symbolize_open has found, or -1. */
static enum symbolize_state try(const struct search *s, int fd)
{
	return fd >= 0 ? take(s, fd, s->st) : SYMBOLIZE_MISSING;
}

/* The vDSO: the loader gives it a name without a folder, which the library takes for a file of
 * the working directory. */
static bool is_vdso(const struct prof_module *want)
{
	const char *base = base_name(want->path);

	return !strcmp(base, "[vdso]") || !strncmp(base, "linux-vdso.so", 13) ||
	       !strncmp(base, "linux-gate.so", 13);
}

/* The kernel that ran is this one, if the vDSO has the same build-id. */
static enum symbolize_state try_vdso(const struct search *s)
{
	const GElf_Ehdr *elf = (const GElf_Ehdr *)getauxval(AT_SYSINFO_EHDR);
	struct stat st;

	if (!elf || !s->want->build_id_bytes)
		return SYMBOLIZE_MISSING;
	size_t bytes = elf->e_shoff + (size_t)elf->e_shnum * elf->e_shentsize;
	int fd = symbolize_open_memory(&s->sessions->files, bytes);
	if (fd < 0)
		return SYMBOLIZE_MISSING;
	if (write(fd, elf, bytes) == (ssize_t)bytes && fstat(fd, &st) == 0)
		return take(s, fd, &st);
	close(fd);
	return SYMBOLIZE_MISSING;
}

#define PROCESSES 32 /* that are tried: hundreds that have ended would only cost time */

static bool try_processes(const struct search *s, const struct profile *p)
{
	const char *path = s->want->path;

	for (uint32_t i = 0; i < p->processes && i < PROCESSES; i++) {
		const struct prof_process *one = &p->process[i];
		unsigned pid = symbolize_pid(one);

		if (path[0] == '/' && try(s, symbolize_open(s->files, s->st, "/proc/%u/root%s", pid,
							    path)) == SYMBOLIZE_LOADED)
			return true;
		if (!strcmp(one->exe, path) &&
		    try(s, symbolize_open(s->files, s->st, "/proc/%u/exe", pid)) ==
			    SYMBOLIZE_LOADED)
			return true;
	}
	return false;
}

static bool try_folders(const struct search *s)
{
	const char *path = s->want->path, *at = s->sessions->debug_path;

	for (int length; *at; at += length + (at[length] == ':')) {
		length = (int)strcspn(at, ":");
		if (try(s, symbolize_open(s->files, s->st, "%.*s/%s", length, at, path)) ==
			    SYMBOLIZE_LOADED ||
		    try(s, symbolize_open(s->files, s->st, "%.*s/%s", length, at,
					  base_name(path))) == SYMBOLIZE_LOADED)
			return true;
	}
	return false;
}

/* libdwfl knows the folders of build-ids, and the servers. */
static int find_by_build_id(const struct search *s)
{
	const struct prof_module *want = s->want;
	Dwfl *dwfl = dwfl_begin(&s->sessions->callbacks);
	Dwfl_Module *m = dwfl ? dwfl_report_module(dwfl, want->path, 0, 1) : NULL;
	char *name = NULL;
	Elf *elf = NULL;
	int fd = -1;

	if (m && dwfl_module_report_build_id(m, want->build_id, want->build_id_bytes, 0) == 0) {
		fd = dwfl_build_id_find_elf(m, NULL, NULL, 0, &name, &elf);
		elf_end(elf);
		if (fd < 0)
			fd = dwfl_standard_find_debuginfo(m, NULL, NULL, 0, NULL, NULL, 0, &name);
		free(name);
	}
	dwfl_end(dwfl);
	return fd;
}

static bool try_build_id(const struct search *s)
{
	struct stat st;
	int fd = symbolize_open_ask(&s->sessions->files) ? find_by_build_id(s) : -1;

	if (fd < 0)
		return false;
	if (symbolize_open_is_allowed(&s->sessions->files, fd, &st))
		return take(s, fd, &st) == SYMBOLIZE_LOADED;
	close(fd);
	return false;
}

/* Only the recorded path may hold another build of the module. */
void symbolize_module_open(struct symbolize_sessions *sessions, struct symbolize_module *m,
			   const struct profile *p, uint32_t module)
{
	struct symbolize_files *files = &sessions->files;
	struct stat st;
	const struct search s = {sessions, m, &p->module[module], files, &st};
	bool before = files->left_out;

	m->state = SYMBOLIZE_MISSING;
	if (files->guarded && !s.want->build_id_bytes)
		return;
	files->left_out = false;
	if (is_vdso(s.want)) {
		m->state = try_vdso(&s);
	} else {
		if (s.want->path[0] == '/')
			m->state = try(&s, symbolize_open(files, &st, "%s", s.want->path));
		if (m->state != SYMBOLIZE_LOADED && s.want->build_id_bytes &&
		    (try_processes(&s, p) || try_folders(&s) || try_build_id(&s)))
			m->state = SYMBOLIZE_LOADED;
	}
	if (m->state != SYMBOLIZE_LOADED && files->left_out)
		m->state = SYMBOLIZE_LEFT_OUT;
	files->left_out |= before;
}
