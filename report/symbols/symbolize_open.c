// SPDX-License-Identifier: GPL-3.0-or-later
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "profile/base/given_file.h"
#include "report/symbols/symbolize_private.h"

static bool take(struct symbolize_files *f, uint64_t *taken, uint64_t more, uint64_t most)
{
	if (more > most - *taken) {
		f->left_out = true;
		return false;
	}
	*taken += more;
	return true;
}

bool symbolize_open_spend(struct symbolize_files *f, uint64_t bytes)
{
	return take(f, &f->spent, bytes, f->guarded ? SYMBOLIZE_MOST_GUARDED : SYMBOLIZE_MOST);
}

bool symbolize_open_step(struct symbolize_files *f, uint64_t steps)
{
	return take(f, &f->steps, steps,
		    f->guarded ? SYMBOLIZE_MOST_STEPS_GUARDED : SYMBOLIZE_MOST_STEPS);
}

/* Files of /proc are regular and empty, and to read one may have effects, too. */
static bool is_allowed(const struct symbolize_files *f, const struct stat *st)
{
	return S_ISREG(st->st_mode) && st->st_size > 0 &&
	       (!f->guarded || (!st->st_uid && st->st_mode & S_IROTH));
}

int symbolize_open(struct symbolize_files *f, const char *path, struct stat *st)
{
	int place = given_file_find(path, 0, st);

	if (place < 0)
		return -1;
	if (is_allowed(f, st) && symbolize_open_spend(f, SYMBOLIZE_LOOK))
		return given_file_open_found(place);
	close(place);
	return -1;
}

static char *read_text(int fd, uint64_t *bytes)
{
	char *text = malloc(*bytes + 1);
	uint64_t at = 0;
	ssize_t got = 1;

	while (text && at < *bytes && (got = read(fd, text + at, *bytes - at)) > 0)
		at += (uint64_t)got;
	if (text)
		text[at] = '\0';
	*bytes = at;
	return text;
}

enum symbolize_map symbolize_open_read_map(struct symbolize_files *f, const char *path, uid_t owner,
					   uint64_t since_ns, char **text, uint64_t *bytes)
{
	struct stat st;
	int fd = given_file_find(path, O_NOFOLLOW, &st);
	uint64_t written;

	*text = NULL;
	if (fd < 0)
		return SYMBOLIZE_MAP_NONE;
	written = (uint64_t)st.st_mtim.tv_sec * 1000000000u + (uint64_t)st.st_mtim.tv_nsec;
	if (!S_ISREG(st.st_mode) || st.st_uid != owner || written < since_ns) {
		close(fd);
		return SYMBOLIZE_MAP_REFUSED;
	}
	fd = given_file_open_found(fd);
	if (fd < 0)
		return SYMBOLIZE_MAP_NONE;
	*bytes = (uint64_t)st.st_size;
	if (symbolize_open_spend(f, SYMBOLIZE_LOOK + *bytes))
		*text = read_text(fd, bytes);
	close(fd);
	return *text ? SYMBOLIZE_MAP_READ : SYMBOLIZE_MAP_NONE;
}

int symbolize_open_memory(struct symbolize_files *f, uint64_t bytes)
{
	struct rlimit largest;
	int fd;

	if (getrlimit(RLIMIT_FSIZE, &largest) < 0 || bytes > largest.rlim_cur) {
		f->left_out = true;
		return -1;
	}
	fd = memfd_create("names", MFD_CLOEXEC);
	if (fd >= 0 && ftruncate(fd, (off_t)bytes) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

bool symbolize_open_copy(int from, int to, uint64_t offset, uint64_t bytes)
{
	off_t at = (off_t)offset;
	uint64_t end;
	ssize_t got = 1;

	if (__builtin_add_overflow(offset, bytes, &end) || end > INT64_MAX ||
	    lseek(to, at, SEEK_SET) != at)
		return false;
	while ((uint64_t)at < end && got > 0)
		got = sendfile(to, from, &at, end - (uint64_t)at);
	return (uint64_t)at == end;
}

/* debuginfod's client library, where it is installed and the user asked for it. Opened at run
 * time: it loads an HTTP client, which most reports do not need. */
struct client;

/* elfutils' debuginfod.h. A find returns a descriptor, or a negative errno. */
typedef struct client *begin_function(void);
typedef void end_function(struct client *c);
typedef int find_function(struct client *c, const unsigned char *build_id, int bytes, char **path);

/* -1, or an open descriptor. */
static int ask(const uint8_t *build_id, uint32_t bytes, bool debug_only)
{
	static const char *const kinds[] = {"debuginfod_find_debuginfo",
					    "debuginfod_find_executable"};
	struct client *client = NULL;
	begin_function *begin;
	end_function *end;
	void *library;
	int fd = -1;

	library = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return -1;
	begin = (begin_function *)dlsym(library, "debuginfod_begin");
	end = (end_function *)dlsym(library, "debuginfod_end");
	if (begin && end)
		client = begin();
	for (unsigned i = 0; client && fd < 0 && i < (debug_only ? 1 : 2); i++) {
		find_function *find = (find_function *)dlsym(library, kinds[i]);

		fd = find ? find(client, build_id, (int)bytes, NULL) : -1;
	}
	if (client)
		end(client);
	return fd < 0 ? -1 : fd; /* the library stays open: its HTTP client does not unload well */
}

int symbolize_fetch(struct symbolize_files *f, const uint8_t *build_id, uint32_t bytes,
		    bool debug_only, struct stat *st)
{
	const char *servers = getenv("DEBUGINFOD_URLS");
	int fd = -1;

	if (servers && *servers && bytes && symbolize_open_spend(f, SYMBOLIZE_QUESTION))
		fd = ask(build_id, bytes, debug_only);
	if (fd >= 0 && (fstat(fd, st) < 0 || !S_ISREG(st->st_mode))) {
		close(fd);
		return -1;
	}
	return fd;
}
