// SPDX-License-Identifier: Apache-2.0
/* The kernel's own record of the start, rather than libc's copies of it, which do not exist
 * yet: argc, argv, environment and auxiliary vector lie where the stack began. */
#include <elf.h>
#include <sys/stat.h>

#include "preload/start/reexec.h"
#include "preload/system/sys.h"

#define LINE_MAX_BYTES 256u	  /* of a script's first line: the kernel's BINPRM_BUF_SIZE */
#define LOADER_STACK   (1u << 20) /* what the loader has of it at most, far below its start */

char *start_variable(const struct start *s, const char *name)
{
	const char *value = NULL;
	for (long i = 0; i < s->variables && !value; i++)
		value = text_value_of(s->envp[i], name);
	return (char *)(uintptr_t)value;
}

/* The loader writes the address of its list into the program's dynamic section. */
static const struct link_map *find_objects(const Elf64_Phdr *headers, uint64_t count)
{
	const Elf64_Phdr *dynamic = NULL;
	uint64_t bias = 0;
	for (uint64_t i = 0; i < count; i++) {
		if (headers[i].p_type == PT_PHDR)
			bias = (uint64_t)headers - headers[i].p_vaddr;
		else if (headers[i].p_type == PT_DYNAMIC)
			dynamic = &headers[i];
	}
	if (!dynamic)
		return NULL;
	for (const Elf64_Dyn *d = (const Elf64_Dyn *)(bias + dynamic->p_vaddr); d->d_tag != DT_NULL;
	     d++)
		if (d->d_tag == DT_DEBUG && d->d_un.d_ptr)
			return ((const struct r_debug *)d->d_un.d_ptr)->r_map;
	return NULL;
}

/* An emulator (valgrind) gives the program a stack of its own: the kernel's is not to be read. */
static bool runs_on(uint64_t stack)
{
	uint64_t here = (uint64_t)__builtin_frame_address(0);
	return stack > here && stack - here < LOADER_STACK;
}

bool start_read(struct start *s)
{
	/* Where the kernel put argc. The loader's symbols for it and for its list of objects may
	 * be copies in the program, which are filled later. */
	char **at = (char **)sys_stat_field(28);
	const Elf64_Phdr *headers = NULL;
	uint64_t count = 0;
	if (!runs_on((uint64_t)at))
		return false;
	*s = (struct start){.argc = *(long *)at, .argv = at + 1};
	s->envp = s->argv + s->argc + 1;
	while (s->envp[s->variables])
		s->variables++;
	for (Elf64_auxv_t *a = (Elf64_auxv_t *)(s->envp + s->variables + 1); a->a_type; a++) {
		if (a->a_type == AT_EXECFN)
			s->file = (const char *)a->a_un.a_val;
		else if (a->a_type == AT_SECURE)
			s->secure = a->a_un.a_val != 0;
		else if (a->a_type == AT_PHDR)
			headers = (const Elf64_Phdr *)a->a_un.a_val;
		else if (a->a_type == AT_PHNUM)
			count = a->a_un.a_val;
	}
	s->objects = headers ? find_objects(headers, count) : NULL;
	return true;
}

long start_status(const char *field)
{
	static char text[4096];
	long n = sys_read_file("/proc/self/status", text, sizeof text), at = 0;
	uint64_t value;
	while (at < n && !text_begins_with(text + at, field))
		while (at < n && text[at++] != '\n')
			;
	if (at >= n)
		return -1;
	for (at += (long)text_length(field); text[at] == '\t' || text[at] == ' '; at++)
		;
	text_number(text, at, n, &value);
	return (long)value;
}

struct file_search {
	uint64_t address;
	char *path;
	size_t room;
};

static bool take_file(const struct sys_mapping *m, void *context)
{
	const struct file_search *s = context;
	if (s->address < m->start || s->address >= m->end)
		return false;
	text_append(s->path, s->room, 0, m->path);
	return true;
}

bool start_mapped_file(const void *address, char *path, size_t room)
{
	struct file_search s = {(uint64_t)address, path, room};
	*path = 0;
	sys_read_mappings(take_file, &s);
	return *path == '/';
}

bool start_program(char *path, size_t room)
{
	long n = sys4(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", path, room - 1);
	path[n > 0 ? n : 0] = 0;
	return n > 0 && (size_t)n < room - 1 && *path == '/';
}

static bool same_file(const char *a, const char *b)
{
	struct stat x, y;
	return sys4(SYS_newfstatat, AT_FDCWD, a, &x, 0) == 0 &&
	       sys4(SYS_newfstatat, AT_FDCWD, b, &y, 0) == 0 && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* "#! INTERPRETER [ARGUMENT]" as the kernel takes it apart (fs/binfmt_script.c). */
static bool take_apart(char *line, long n, char **interpreter, char **argument)
{
	long end = 2, at = 2;
	if (n < 3 || line[0] != '#' || line[1] != '!')
		return false;
	while (end < n && line[end] != '\n')
		end++;
	if (end == n)
		return false; /* cut: a path that we do not know */
	while (end > 2 && is_blank(line[end - 1]))
		end--;
	line[end] = 0;
	while (is_blank(line[at]))
		at++;
	*interpreter = line + at;
	while (line[at] && !is_blank(line[at]))
		at++;
	if (line[at])
		line[at++] = 0;
	while (is_blank(line[at]))
		at++;
	*argument = line[at] ? line + at : NULL;
	return **interpreter;
}

char **start_arguments(const struct start *s)
{
	static char line[LINE_MAX_BYTES];
	char *interpreter, *argument;
	if (!s->file || s->argc < 1)
		return NULL;
	if (same_file(s->file, "/proc/self/exe"))
		return s->argv;
	if (!take_apart(line, sys_read_file(s->file, line, sizeof line), &interpreter, &argument))
		return NULL;
	long script = argument ? 2 : 1;
	if (s->argc <= script || !text_equal(s->argv[0], interpreter) ||
	    (argument && !text_equal(s->argv[1], argument)) ||
	    !text_equal(s->argv[script], s->file) || !same_file(interpreter, "/proc/self/exe"))
		return NULL;
	return s->argv + script;
}
