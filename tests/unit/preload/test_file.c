// SPDX-License-Identifier: GPL-3.0-or-later
/* What a profile file that cannot be made costs the program, and which of its memory is there. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "preload/process/arena.h"
#include "preload/process/file.h"

#define FILE_BYTES (1u << 20)

static void test_address_space_given_back(void **state)
{
	const struct rlimit file = {4096, RLIM_INFINITY};
	const struct rlimit space = {1u << 30, RLIM_INFINITY}; /* of which 1/32 may be ours */
	const struct file_wish wish = {FILE_NAMED, "/tmp", "test_file", getpid(), NULL};
	static struct profile_file f;

	(void)state;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &file), 0);
	assert_int_equal(setrlimit(RLIMIT_AS, &space), 0);
	for (int i = 0; i < 64; i++)
		assert_int_equal(file_create(&f, &wish, FILE_BYTES), -EFBIG);
	assert_true(file_address_space_allows(FILE_BYTES));
}

static void test_address_space_of_released_memory(void **state)
{
	(void)state;
	for (int i = 0; i < 64; i++) {
		struct arena a = {.first = FILE_BYTES, .limit = FILE_BYTES};
		assert_non_null(arena_take(&a, 64));
		arena_release(&a);
	}
}

#define CHUNK_PAGES 64u
#define CHUNK_BYTES (CHUNK_PAGES * 4096u)

/* Like the kernel of the tests' own machine; before 5.14 it cannot make pages on demand. */
static void need_tmpfs(void)
{
	struct statfs fs;
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (statfs("/dev/shm", &fs) || fs.f_type != TMPFS_MAGIC || madvise(page, 4096, 23))
		skip();
	munmap(page, 4096);
}

static unsigned pages_there(void *at, size_t bytes)
{
	unsigned char there[256];
	unsigned count = 0;

	assert_true(bytes / 4096 <= sizeof there);
	assert_int_equal(mincore(at, bytes, there), 0);
	for (size_t i = 0; i < bytes / 4096; i++)
		count += there[i] & 1;
	return count;
}

static void create_on_tmpfs(struct profile_file *f)
{
	const struct file_wish wish = {FILE_NAMED, "/dev/shm", "test_file", getpid(), NULL};

	need_tmpfs();
	assert_int_equal(file_create(f, &wish, FILE_BYTES), 0);
}

static void test_chunk_is_there_and_no_more(void **state)
{
	static struct profile_file f;
	struct file_chunk c = {0};
	struct stat st;

	(void)state;
	create_on_tmpfs(&f);
	for (unsigned i = 0; i < 2; i++) {
		assert_true(file_chunk(&f, &c, CHUNK_BYTES, SCP_CHUNK_TABLE, 0));
		assert_int_equal(pages_there(c.chunk, CHUNK_BYTES), CHUNK_PAGES);
	}
	assert_int_equal(fstat(f.fd, &st), 0);
	assert_int_equal(st.st_size, FILE_BYTES);
	assert_in_range((uint64_t)st.st_blocks * 512, 2 * CHUNK_BYTES, 2 * CHUNK_BYTES + 16384);
	file_abandon(&f);
}

static void test_filled_file_has_all_its_memory(void **state)
{
	static struct profile_file f;

	(void)state;
	create_on_tmpfs(&f);
	file_fill(&f);
	assert_int_equal(pages_there(f.region[0].at, f.region[0].bytes), f.region[0].bytes / 4096);
	file_abandon(&f);
}

static void test_kept_room_outlives_the_right_to_grow(void **state)
{
	static struct profile_file f;
	struct file_chunk c = {0};
	struct stat st;

	(void)state;
	create_on_tmpfs(&f);
	file_keep_room(&f);
	file_keep_room(&f); /* there is enough */
	assert_int_equal(fstat(f.fd, &st), 0);
	assert_true(st.st_blocks * 512 <= FILE_BYTES);
	close(f.fd);
	f.fd = -1;
	unlink(f.path); /* as good as forbidden */
	for (unsigned i = 0; i < 60; i++)
		assert_true(file_chunk(&f, &c, CHUNK_BYTES, SCP_CHUNK_TABLE, 0));
	assert_int_equal(f.regions, 2);
	file_unmap(&f, 0);
}

/* Of 200 MB 6.25 may be ours, as in a session of vsftpd. */
static void test_room_is_kept_within_the_address_space(void **state)
{
	const struct rlimit space = {200u << 20, RLIM_INFINITY},
			    none = {RLIM_INFINITY, RLIM_INFINITY};
	static struct profile_file f;
	struct file_chunk c = {0};

	(void)state;
	assert_int_equal(setrlimit(RLIMIT_AS, &space), 0);
	create_on_tmpfs(&f);
	file_keep_room(&f);
	file_keep_room(&f); /* there is no more, which is no failure */
	assert_int_equal(f.header->losses.growth_failures, 0);
	close(f.fd);
	f.fd = -1;
	unlink(f.path);
	for (unsigned i = 0; i < 10; i++)
		assert_true(file_chunk(&f, &c, CHUNK_BYTES, SCP_CHUNK_TABLE, 0));
	file_unmap(&f, 0);
	assert_int_equal(setrlimit(RLIMIT_AS, &none), 0);
}

static void test_a_later_limit_is_of_what_follows(void **state)
{
	const struct rlimit space = {200u << 20, RLIM_INFINITY},
			    none = {RLIM_INFINITY, RLIM_INFINITY};
	static struct profile_file f;

	(void)state;
	create_on_tmpfs(&f);
	file_keep_room(&f);
	assert_int_equal(setrlimit(RLIMIT_AS, &space), 0);
	assert_true(file_address_space_allows(6u << 20));
	assert_false(file_address_space_allows(1u << 20));
	file_address_space_return(6u << 20);
	assert_int_equal(setrlimit(RLIMIT_AS, &none), 0);
	file_abandon(&f);
}

/* In a namespace of its own, whose mounts are gone with it. */
static int fill_small_disk(void)
{
	const struct file_wish wish = {FILE_NAMED, "/dev/shm", "test_file", getpid(), NULL};
	static struct profile_file f;
	struct file_chunk c = {0};
	unsigned chunks = 0;

	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "/dev/shm", "tmpfs", 0, "size=600k"))
		return 77;
	if (file_create(&f, &wish, FILE_BYTES))
		return 1;
	for (unsigned i = 0; i < 1000; i++)
		if (file_chunk(&f, &c, 4 * 4096, SCP_CHUNK_TABLE, 0)) {
			((volatile uint8_t *)c.chunk)[4 * 4096 - 1] =
				1; /* SIGBUS where it is not there */
			chunks++;
		}
	if (f.header->losses.growth_errno != ENOSPC || !f.header->losses.growth_failures)
		return 2;
	if (f.header->losses.growth_failures > 20 ||
	    f.regions != 1) /* it backs off, and stays small */
		return 3;
	return chunks > 30 && chunks * 16 + 8 <= 600 ? 0 : 4;
}

static void test_full_disk_is_a_loss(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	need_tmpfs();
	pid = fork();
	if (!pid)
		syscall(SYS_exit_group, fill_small_disk()); /* _exit is the library's here */
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		skip(); /* mounting needs root */
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		{"under a limit of the address space half of what it leaves is kept",
		 test_room_is_kept_within_the_address_space, NULL, NULL, NULL},
		{"what was taken before there was a limit leaves as much as else",
		 test_a_later_limit_is_of_what_follows, NULL, NULL, NULL},
		{"on tmpfs a chunk's memory is there when it begins, and no other",
		 test_chunk_is_there_and_no_more, NULL, NULL, NULL},
		{"a file that is filled needs no more memory", test_filled_file_has_all_its_memory,
		 NULL, NULL, NULL},
		{"room that was kept on tmpfs takes no memory, and is there without the file's "
		 "name",
		 test_kept_room_outlives_the_right_to_grow, NULL, NULL, NULL},
		{"a tmpfs that is full costs records, and no signal", test_full_disk_is_a_loss,
		 NULL, NULL, NULL},
		{"files that could not be made take none of the address space that others may need",
		 test_address_space_given_back, NULL, NULL, NULL},
		{"nor does memory that was released", test_address_space_of_released_memory, NULL,
		 NULL, NULL},
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
