// SPDX-License-Identifier: GPL-3.0-or-later
/* Walks over a copied piece of this program's own stack, with the files that it has mapped; and
 * what is kept of maps. */
#include <setjmp.h>
#include <dlfcn.h>
#include <stdarg.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/sample/sample_private.h"

#define NEVER_INLINED __attribute__((noinline, noclone))

static struct sample_stack taken;
static uint8_t piece[SAMPLE_STACK];

/* The registers that the caller will have, and the stack above them, as the kernel takes them. */
NEVER_INLINED static void take(void)
{
	uint64_t value[SAFE_POINT_SAMPLED] = {0};
	uint64_t *frame = __builtin_frame_address(0);

	value[6] = frame[0]; /* rbp, rsp, rip */
	value[7] = (uint64_t)(frame + 2);
	value[8] = frame[1];
	machine_take_sampled(value, &taken.registers);
	taken.at = value[7];
	taken.bytes = piece;
	taken.count = sizeof(piece) / 4;

	/* by the kernel: these frames are others' */
	struct iovec to = {piece, taken.count}, from = {frame + 2, taken.count};

	assert_int_equal(process_vm_readv(getpid(), &to, 1, &from, 1, 0), taken.count);
}

NEVER_INLINED static int innermost(int n)
{
	take();
	return n + 1;
}

NEVER_INLINED static int middle(int n)
{
	volatile char room[512];

	room[0] = (char)n;
	return innermost(n) + room[0];
}

NEVER_INLINED static int outer(int n)
{
	return middle(n) * 2;
}

static struct sample_spaces spaces;

static struct sample_life *own_life(void)
{
	assert_true(space_add(&spaces, getpid(), true, 1));
	return space_read(&spaces, space_find(&spaces, getpid()));
}

/* Does frame `i` lie in the code behind a function's start? */
static bool lies_in(const struct sample_path *path, uint32_t i, int (*function)(int))
{
	struct sample_life *l = &spaces.life[space_find(&spaces, getpid())];
	const struct safe_point_object *o = objects_find(&l->objects, (uint64_t)function);

	assert_non_null(o);
	uint64_t into = path->frame[i].offset - ((uint64_t)function - o->bias);

	return l->image[o - l->objects.object] == path->frame[i].module && into < 200;
}

static void test_a_copied_stack_is_walked_to_its_end(void **state)
{
	struct sample_life *l = own_life();
	static struct sample_path path;

	(void)state;
	outer(3);
	assert_non_null(l);
	walk_sample(&spaces.images, l, &taken, NULL, &path);
	assert_int_equal(path.kind, SCP_SAMPLE_COMPUTING);
	assert_true(path.frames > 4);
	assert_true(path.frame[0].exact && !path.frame[1].exact);
	assert_true(lies_in(&path, 0, innermost));
	assert_true(lies_in(&path, 1, middle));
	assert_true(lies_in(&path, 2, outer));
	space_free(&spaces);
	spaces = (struct sample_spaces){0};
}

static void test_a_path_beyond_the_piece_is_cut(void **state)
{
	struct sample_life *l = own_life();
	static struct sample_path path;

	(void)state;
	outer(3);
	taken.count = 256; /* middle's frame alone is longer */
	walk_sample(&spaces.images, l, &taken, NULL, &path);
	assert_int_equal(path.flags, SCP_PATH_CUT);
	assert_int_equal(path.frames, 2);
	assert_true(lies_in(&path, 1, middle));
	taken.count = 0;
	walk_sample(&spaces.images, l, &taken, NULL, &path);
	assert_true(path.frames == 1 && path.flags == SCP_PATH_CUT);
	space_free(&spaces);
	spaces = (struct sample_spaces){0};
}

/* Nothing that registers and the stack may hold leads the walk astray. */
static void test_nonsense_ends_a_walk(void **state)
{
	struct sample_life *l = own_life();
	static struct sample_path path;

	(void)state;
	for (unsigned seed = 1; seed < 2000; seed++) {
		outer(3);
		uint64_t noise = seed * UINT64_C(0x9e3779b97f4a7c15);

		memcpy(piece + noise % (taken.count - 8), &noise, sizeof(noise));
		taken.registers.of[seed % 16] ^= seed % 3 ? noise : 0;
		taken.registers.pc += seed % 5 ? 0 : noise % 4096;
		walk_sample(&spaces.images, l, &taken, NULL, &path);
		assert_true(path.frames <= SCP_MAX_FRAMES);
	}
	space_free(&spaces);
	spaces = (struct sample_spaces){0};
}

static void put(pid_t pid, uint64_t start, uint64_t end)
{
	const struct sample_map m = {start, end, 0, SAMPLE_NONE};

	space_map(&spaces, pid, &m, "//anon", (const uint64_t[]){0, 0});
}

static void expect_map(pid_t pid, uint32_t i, uint64_t start, uint64_t end)
{
	const struct sample_life *l = &spaces.life[space_find(&spaces, pid)];

	assert_true(i < l->maps);
	assert_int_equal(l->map[i].start, start);
	assert_int_equal(l->map[i].end, end);
}

/* What is asked for lies in a block, or in two, which others have taken the place of meanwhile; the
 * file ends in one. */
static void test_a_file_is_read_as_it_is(void **state)
{
	static uint8_t whole[1 << 22], part[700];
	struct sample_images images = {0};
	struct stat s;
	Dl_info libc;

	(void)state;
	assert_true(dladdr((void *)(uintptr_t)pread, &libc)); /* a large one */
	int fd = open(libc.dli_fname, O_RDONLY | O_CLOEXEC);
	size_t bytes = (size_t)pread(fd, whole, sizeof(whole), 0);

	assert_int_equal(fstat(fd, &s), 0);
	uint32_t number = image_find(&images, libc.dli_fname, s.st_dev, s.st_ino, getpid());

	assert_int_equal(number, 0);
	struct sample_image *i = images.image;

	i->segments = 1;
	i->segment[0].offset = i->segment[0].address = 0;
	i->segment[0].bytes = sizeof(whole);
	for (uint64_t k = 0; k < 20000; k++) {
		uint64_t at = k % 2 ? k * UINT64_C(2654435761) % (bytes + 99) : 3 * k % bytes;
		size_t there = at < bytes ? bytes - at : 0, asked = 1 + k % sizeof(part);

		there = there < asked ? there : asked;
		assert_int_equal(image_read(i, at, part, asked), there);
		assert_memory_equal(part, whole + at, there);
	}
	image_free(&images);
	close(fd);
}

/* The terminal's other end would hang up when it is closed. */
static void test_no_device_is_opened_by_a_name_that_a_process_chose(void **state)
{
	struct sample_images images = {0};
	int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	struct pollfd p = {.fd = terminal, .events = POLLIN};

	(void)state;
	if (terminal < 0 || grantpt(terminal) || unlockpt(terminal))
		skip();
	assert_int_equal(image_find(&images, ptsname(terminal), 0, 1, getpid()), 0);
	assert_int_equal(poll(&p, 1, 0), 0);
	image_free(&images);
	close(terminal);
}

/* In a namespace of its own: a file that has the name of another one here. Then it says so. */
static pid_t begin_apart(const char *directory, const char *path, const int done[2])
{
	pid_t pid = fork();

	if (pid)
		return pid;
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", directory, "tmpfs", 0, NULL) || creat(path, 0644) < 0 ||
	    write(done[1], "", 1) != 1)
		_exit(1);
	pause();
	_exit(0);
}

static void test_a_file_is_the_processs_own_not_one_of_its_name_here(void **state)
{
	const char *path = "/etc/passwd";
	struct sample_images images = {0};
	struct stat own, opened;
	char there[64], byte;
	int done[2];

	(void)state;
	if (geteuid() || pipe(done))
		skip();
	pid_t pid = begin_apart("/etc", path, done);

	close(done[1]);
	if (read(done[0], &byte, 1) != 1)
		skip(); /* it may not */
	close(done[0]);
	snprintf(there, sizeof(there), "/proc/%d/root%s", (int)pid, path);
	assert_int_equal(stat(there, &own), 0);
	assert_int_equal(image_find(&images, path, own.st_dev, own.st_ino, pid), 0);
	int failed = fstat(images.image[0].fd, &opened);

	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	image_free(&images);
	assert_int_equal(failed, 0);
	assert_true(opened.st_dev == own.st_dev && opened.st_ino == own.st_ino);
}

static void test_what_is_mapped_later_covers_what_was_there(void **state)
{
	(void)state;
	assert_true(space_add(&spaces, 10, false, 1));
	put(10, 100, 200);
	put(10, 300, 400);
	put(10, 150, 350);
	assert_int_equal(spaces.life[0].maps, 2);
	expect_map(10, 0, 100, 150);
	expect_map(10, 1, 150, 350);
	put(10, 500, 400); /* none */
	put(10, 50, 1000);
	assert_int_equal(spaces.life[0].maps, 1);
	put(11, 1, 2); /* of no process of the run */
	space_free(&spaces);
	spaces = (struct sample_spaces){0};
}

static void test_lives_begin_with_a_fork_and_an_exec(void **state)
{
	const pid_t child = 1 << 30; /* no process has it */

	(void)state;
	assert_true(space_add(&spaces, 10, false, 1));
	put(10, 100, 200);
	space_fork(&spaces, 10, child, 5);
	space_fork(&spaces, 99, 30, 5);	      /* of a stranger */
	space_fork(&spaces, child, child, 6); /* a thread */
	assert_int_equal(space_find(&spaces, 30), SAMPLE_NONE);
	assert_int_equal(spaces.lives, 2);
	expect_map(child, 0, 100, 200);
	assert_false(spaces.life[1].counts);
	space_exec(&spaces, child, 7);
	assert_int_equal(space_find(&spaces, child), 2);
	assert_int_equal(spaces.life[2].maps, 0);
	assert_int_equal(spaces.life[2].before, 1);
	assert_int_equal(spaces.life[1].to_ns, 7);
	assert_true(spaces.life[2].counts);
	space_end(&spaces, child, 9);
	assert_int_equal(space_find(&spaces, child), 2); /* samples of it may still come */
	space_purge(&spaces, 2000000000);
	assert_int_equal(space_find(&spaces, child), SAMPLE_NONE);
	assert_int_equal(space_find(&spaces, 10), 0);
	space_free(&spaces);
	spaces = (struct sample_spaces){0};
}

/* Is that address known to lie in code of ours? */
static bool is_mapped(const void *at)
{
	const struct sample_life *l = &spaces.life[space_find(&spaces, getpid())];

	for (uint32_t i = 0; i < l->maps; i++)
		if ((uint64_t)at - l->map[i].start < l->map[i].end - l->map[i].start)
			return l->map[i].image != SAMPLE_NONE;
	return false;
}

static void test_maps_are_read_anew_after_a_loss(void **state)
{
	uint32_t life = (own_life(), space_find(&spaces, getpid()));
	int fd = open("/proc/self/exe", O_RDONLY);
	void *at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

	(void)state;
	assert_true(at != MAP_FAILED);
	assert_non_null(space_read(&spaces, life));
	assert_false(is_mapped(at));
	space_catch_up(&spaces);
	assert_non_null(space_read(&spaces, life));
	assert_true(is_mapped(at));
	munmap(at, 4096);
	close(fd);
	space_free(&spaces);
	spaces = (struct sample_spaces){0};
}

/* A process that is gone cannot be read: what was known of it is not believed. */
static void test_maps_that_cannot_be_read_anew_stay_in_doubt(void **state)
{
	pid_t pid = fork();

	(void)state;
	if (!pid)
		pause();
	assert_true(space_add(&spaces, pid, true, 1));
	space_fork(&spaces, pid, 1, 2); /* a number of another */
	assert_non_null(space_read(&spaces, 0));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_non_null(space_read(&spaces, 0));
	space_catch_up(&spaces);
	space_fork(&spaces, pid, 2, 3);
	assert_null(space_read(&spaces, 0));
	assert_true(spaces.life[2].doubted);
	space_free(&spaces);
	spaces = (struct sample_spaces){0};
}

static void test_children_are_found_whose_fork_was_lost(void **state)
{
	pid_t pid = fork();

	(void)state;
	if (!pid)
		pause();
	own_life();
	assert_int_equal(space_adopt(&spaces, pid), SAMPLE_NONE); /* nothing was lost */
	space_catch_up(&spaces);
	assert_int_equal(space_adopt(&spaces, getppid()), SAMPLE_NONE);
	assert_int_equal(spaces.stranger[(unsigned)getppid() % SAMPLE_STRANGERS], getppid());
	assert_int_equal(space_adopt(&spaces, pid), SAMPLE_NONE); /* it has asked just now */
	spaces.asked_ns = 0;
	assert_int_equal(space_adopt(&spaces, pid), 1);
	assert_int_equal(spaces.life[1].before, 0);
	assert_non_null(space_read(&spaces, 1));
	assert_true(spaces.life[1].maps > 2);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	space_free(&spaces);
	spaces = (struct sample_spaces){0};
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_copied_stack_is_walked_to_its_end),
		cmocka_unit_test(test_a_path_beyond_the_piece_is_cut),
		cmocka_unit_test(test_nonsense_ends_a_walk),
		cmocka_unit_test(test_a_file_is_read_as_it_is),
		cmocka_unit_test(test_a_file_is_the_processs_own_not_one_of_its_name_here),
		cmocka_unit_test(test_no_device_is_opened_by_a_name_that_a_process_chose),
		cmocka_unit_test(test_what_is_mapped_later_covers_what_was_there),
		cmocka_unit_test(test_lives_begin_with_a_fork_and_an_exec),
		cmocka_unit_test(test_maps_are_read_anew_after_a_loss),
		cmocka_unit_test(test_maps_that_cannot_be_read_anew_stay_in_doubt),
		cmocka_unit_test(test_children_are_found_whose_fork_was_lost),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
