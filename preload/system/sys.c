// SPDX-License-Identifier: Apache-2.0
/* What system calls share. */
#include <errno.h>
#include <sys/stat.h>

#include "preload/system/sys.h"

uint32_t sys_sandboxed;
struct sys_made sys_made;

long sys_move_away(long fd)
{
	/* 40: the kernel has room for 64 from the beginning */
	long to = fd < 0 ? fd : sys3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 40);
	if (to >= 0)
		sys_close((int)fd);
	return to < 0 ? fd : to;
}

/* `r`: of what has filled *st. */
static long refuse_others(long r, const struct stat *st, uint64_t least)
{
	return r != 0 || (S_ISREG(st->st_mode) && (uint64_t)st->st_size >= least) ? r : -EINVAL;
}

/* Asked before, for a device may do something when it is opened; and after, for the name may be
 * another file's by then. */
long sys_open_given(const char *path, int flags, uint64_t least)
{
	struct stat st;
	long r = refuse_others(sys4(SYS_newfstatat, AT_FDCWD, path, &st, 0), &st, least);
	if (r != 0)
		return r;
	long fd = sys_open(path, flags | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC, 0);
	if (fd < 0)
		return fd;
	r = refuse_others(sys2(SYS_fstat, fd, &st), &st, least);
	if (r == 0)
		return fd;
	sys_close((int)fd);
	return r;
}

long sys_read_file(const char *path, char *text, size_t room)
{
	long fd = sys_open(path, O_RDONLY | O_CLOEXEC, 0);
	long n = fd < 0 ? fd : sys_read((int)fd, text, room - 1);
	if (fd >= 0)
		sys_close((int)fd);
	text[n > 0 ? n : 0] = 0;
	return n;
}

void *sys_map_given(const char *path, int access, uint64_t least, size_t bytes, const char *magic)
{
	int prot = PROT_READ | (access == O_RDWR ? PROT_WRITE : 0);
	long fd = sys_open_given(path, access, least);
	if (fd < 0)
		return NULL;
	void *page = sys_mmap(bytes, prot, MAP_SHARED, (int)fd, 0);
	sys_close((int)fd);
	if (sys_failed(page))
		return NULL;
	if (bytes_equal(page, magic, 8))
		return page;
	sys_munmap(page, bytes);
	return NULL;
}

void *sys_put_page(void **last, void *page, size_t bytes)
{
	if (!page)
		return NULL;
	if (*last && !sys_failed(sys_move_mapping(page, bytes, *last)))
		return *last;
	return *last = page;
}

void sys_empty_page(void *last, size_t bytes, int prot)
{
	void *zero = last ? sys_mmap(bytes, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : MAP_FAILED;
	if (!sys_failed(zero))
		sys_move_mapping(zero, bytes, last);
}

uint64_t sys_stat_field(unsigned wanted)
{
	char text[512];
	long n = sys_read_file("/proc/self/stat", text, sizeof text), at = n;
	uint64_t value;
	while (at > 0 && text[at - 1] != ')') /* the name in parentheses may hold anything */
		at--;
	if (at <= 0)
		return 0;
	for (unsigned field = 2; at < n && field < wanted; at++)
		field += text[at] == ' ';
	text_number(text, at, n, &value);
	return value;
}

static const char *take_address(const char *text, uint64_t *value)
{
	for (*value = 0; text_hex_digit(*text) >= 0; text++)
		*value = *value << 4 | (uint64_t)text_hex_digit(*text);
	return text + (*text != 0);
}

/* "START-END r-xp OFFSET DEVICE INODE   PATH" */
static struct sys_mapping take_mapping(const char *line)
{
	struct sys_mapping m;
	const char *at = take_address(take_address(line, &m.start), &m.end);
	m.protection = *at == 'r' ? PROT_READ : 0;
	if (*at)
		m.protection |= (at[1] == 'w' ? PROT_WRITE : 0) | (at[2] == 'x' ? PROT_EXEC : 0);
	take_address(at + (text_length(at) > 5 ? 5 : 0), &m.offset);
	while (*at && *at != '/')
		at++;
	m.path = at;
	return m;
}

void sys_read_mappings(bool (*take)(const struct sys_mapping *m, void *context), void *context)
{
	static LARGE char line[SYS_PATH_MAX + 128];
	/* the kernel gives a page at most; a process may have many */
	static LARGE char block[4096];
	size_t at = 0;
	bool done = false;
	long fd = sys_open("/proc/self/maps", O_RDONLY | O_CLOEXEC, 0), n;
	while (fd >= 0 && !done && (n = sys_read((int)fd, block, sizeof block)) > 0)
		for (long i = 0; i < n && !done; i++) {
			if (block[i] != '\n') {
				if (at + 1 < sizeof line)
					line[at++] = block[i];
				continue;
			}
			line[at] = 0;
			at = 0;
			const struct sys_mapping m = take_mapping(line);
			done = take(&m, context);
		}
	if (fd >= 0)
		sys_close((int)fd);
}
