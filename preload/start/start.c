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
	size_t n = text_length(name);
	for (long i = 0; i < s->variables; i++) {
		size_t same = 0;
		while (same < n && s->envp[i][same] == name[same])
			same++;
		if (same == n && s->envp[i][n] == '=')
			return s->envp[i] + n + 1;
	}
	return NULL;
}

static long read_some(const char *path, char *to, size_t room)
{
	long fd = sys_open(path, O_RDONLY | O_CLOEXEC, 0), n = 0, got = 0;
	if (fd < 0)
		return fd;
	while ((size_t)n < room && (got = sys_read((int)fd, to + n, room - (size_t)n)) > 0)
		n += got;
	sys_close((int)fd);
	return got < 0 ? got : n;
}

/* Where the kernel put argc: field 28 of /proc/self/stat. The loader's symbols for it
 * and for its list of objects may be copies in the program, which are filled later. */
static uint64_t stack_start(void)
{
	char text[512];
	long n = read_some("/proc/self/stat", text, sizeof text - 1), at = n;
	uint64_t v = 0;
	while (at > 0 && text[at - 1] != ')') /* the name in parentheses may hold anything */
		at--;
	if (at <= 0)
		return 0;
	for (unsigned field = 2; at < n && field < 28; at++)
		field += text[at] == ' ';
	for (; at < n && text[at] >= '0' && text[at] <= '9'; at++)
		v = v * 10 + (uint64_t)(text[at] - '0');
	return v;
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
	char **at = (char **)stack_start();
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
	long n = read_some("/proc/self/status", text, sizeof text - 1), at = 0, value = 0;
	long length = (long)text_length(field);
	while (at < n) {
		long same = 0;
		while (same < length && at + same < n && text[at + same] == field[same])
			same++;
		if (same == length)
			break;
		while (at < n && text[at++] != '\n')
			;
	}
	if (at >= n)
		return -1;
	for (at += length; at < n && (text[at] == '\t' || text[at] == ' '); at++)
		;
	for (; at < n && text[at] >= '0' && text[at] <= '9'; at++)
		value = value * 10 + text[at] - '0';
	return value;
}

static const char *hex(const char *at, uint64_t *value)
{
	for (*value = 0;; at++) {
		int v = *at >= '0' && *at <= '9'   ? *at - '0'
			: *at >= 'a' && *at <= 'f' ? *at - 'a' + 10
						   : -1;
		if (v < 0)
			return at;
		*value = *value << 4 | (uint64_t)v;
	}
}

/* "START-END perms offset dev inode   PATH" */
static bool take_line(const char *line, uint64_t address, char *path, size_t room)
{
	uint64_t from, to = 0;
	const char *at = hex(line, &from);
	if (*at)
		at = hex(at + 1, &to);
	if (address < from || address >= to)
		return false;
	while (*at && *at != '/')
		at++;
	text_append(path, room, 0, at);
	return true;
}

bool start_mapped_file(const void *address, char *path, size_t room)
{
	static char line[START_PATH_MAX + 128];
	char block[512];
	size_t at = 0;
	long fd = sys_open("/proc/self/maps", O_RDONLY | O_CLOEXEC, 0), n;
	bool found = false;
	*path = 0;
	while (fd >= 0 && !found && (n = sys_read((int)fd, block, sizeof block)) > 0)
		for (long i = 0; i < n && !found; i++) {
			if (block[i] != '\n') {
				if (at + 1 < sizeof line)
					line[at++] = block[i];
				continue;
			}
			line[at] = 0;
			at = 0;
			found = take_line(line, (uint64_t)address, path, room);
		}
	if (fd >= 0)
		sys_close((int)fd);
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
	if (!take_apart(line, read_some(s->file, line, sizeof line - 1), &interpreter, &argument))
		return NULL;
	long script = argument ? 2 : 1;
	if (s->argc <= script || !text_equal(s->argv[0], interpreter) ||
	    (argument && !text_equal(s->argv[1], argument)) ||
	    !text_equal(s->argv[script], s->file) || !same_file(interpreter, "/proc/self/exe"))
		return NULL;
	return s->argv + script;
}
