// SPDX-License-Identifier: GPL-3.0-or-later
/* The page that wakes dormant processes, made up here: which files are taken for one, and what an
 * order writes into it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/attach/target/wake.h"
#include "profile/base/kernel_file.h"
#include "include/scprof_attach.h"

static char folder[] = "/tmp/test_wake.XXXXXX";
static char path[PATH_MAX];

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	return rmdir(folder);
}

static void make_page(const struct scp_wake_page *page, size_t bytes)
{
	snprintf(path, sizeof(path), "%s/scprof.x.1.wake", folder);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, page, bytes), bytes);
	close(fd);
}

static const struct scp_wake_page sound = {
	.magic = SCP_WAKE_MAGIC, .bytes = SCP_WAKE_BYTES, .pid = 1, .word = 1};

static struct scp_wake_page read_page(void)
{
	struct scp_wake_page page;
	int fd = open(path, O_RDONLY);
	assert_true(fd >= 0);
	assert_int_equal(read(fd, &page, sizeof(page)), sizeof(page));
	close(fd);
	return page;
}

static void refused(const char *name, const char *why)
{
	struct profile_error err = {""};
	struct wake w;

	assert_int_equal(wake_open(&w, name, &err), -1);
	assert_int_equal(w.fd, -1);
	assert_non_null(strstr(err.text, why));
}

static void other_files_are_refused(void **state)
{
	struct scp_wake_page page = sound;
	char other[PATH_MAX + 8];

	(void)state;
	make_page(&page, sizeof(page) - 1);
	refused(path, "not a page");
	page.magic[3]++;
	make_page(&page, sizeof(page));
	refused(path, "not a page");
	page = sound;
	page.bytes--;
	make_page(&page, sizeof(page));
	refused(path, "not a page");

	make_page(&sound, sizeof(sound));
	snprintf(other, sizeof(other), "%s.2", path);
	assert_int_equal(link(path, other), 0);
	refused(path, "not a page"); /* two names: whose? */
	unlink(other);
	assert_int_equal(symlink(path, other), 0);
	refused(other, "cannot open");
	unlink(other);
	assert_int_equal(mkfifo(other, 0600), 0);
	refused(other, "not a page"); /* and does not wait for its other end */
	unlink(other);
	refused("/proc/1/root", "cannot open");
	refused("/proc/99999999/root/x", "cannot open");
	unlink(path);
}

static void a_link_does_not_lead_out_of_the_root(void **state)
{
	char name[2 * PATH_MAX], link_path[PATH_MAX];
	struct profile_error err;
	struct wake w;

	(void)state;
	make_page(&sound, sizeof(sound));
	snprintf(name, sizeof(name), "/proc/%d/root%s", (int)getpid(), path);
	assert_int_equal(wake_open(&w, name, &err), 0);
	assert_int_equal(w.pid, getpid());
	wake_close(&w);
	snprintf(link_path, sizeof(link_path), "%s/way", folder);
	assert_int_equal(symlink("/proc/self/root", link_path), 0);
	snprintf(name, sizeof(name), "/proc/%d/root%s/way%s", (int)getpid(), folder, path);
	refused(name, "cannot open");
	unlink(link_path);
	unlink(path);
}

static void an_order_raises_the_word(void **state)
{
	const char *const variables[] = {"SCPROF_GROUPS=io", "SCPROF_CLOCK=tsc", NULL};
	const pid_t pids[] = {7, 11};
	struct scp_wake_page page = sound;
	struct profile_error err;
	struct wake_state s;
	struct wake w;

	(void)state;
	page.holders = 3;
	page.answer_pid = 7;
	make_page(&page, sizeof(page));
	assert_int_equal(wake_open(&w, path, &err), 0);
	assert_int_equal(wake_begin(&w, variables, pids, 2, &err), 0);
	page = read_page();
	assert_int_equal(page.word, 2);
	assert_int_equal(page.count, 2);
	assert_int_equal(page.target[1], 11);
	assert_int_equal(page.text_bytes, 34);
	assert_memory_equal(page.text, "SCPROF_GROUPS=io\0SCPROF_CLOCK=tsc", 34);
	assert_int_equal(page.holders, 3); /* the processes' own */
	assert_int_equal(page.answer_pid, 7);
	assert_true(wake_read(&w, &s));
	assert_true(s.ordered && s.held && s.holders == 3);

	assert_int_equal(wake_end(&w, &err), 0);
	page = read_page();
	assert_int_equal(page.word, 3);
	assert_int_equal(page.count, 0);
	assert_int_equal(page.text_bytes, 0);
	assert_true(wake_read(&w, &s));
	assert_true(!s.ordered && !s.held);
	wake_close(&w);
	unlink(path);
}

static void one_tool_at_a_time_and_the_next_after_its_death(void **state)
{
	const char *const nothing[] = {NULL};
	struct profile_error err;
	struct wake a, b;
	struct wake_state s;

	(void)state;
	make_page(&sound, sizeof(sound));
	assert_int_equal(wake_open(&a, path, &err), 0);
	assert_int_equal(wake_open(&b, path, &err), 0);
	assert_int_equal(wake_begin(&a, nothing, NULL, 0, &err), 0);
	assert_int_not_equal(read_page().text_bytes, 0); /* it is no order to stop */
	assert_int_equal(wake_begin(&b, nothing, NULL, 0, &err), -1);
	assert_non_null(strstr(err.text, "another scprof"));
	assert_int_equal(read_page().word, 2);
	wake_close(&a); /* as the kernel does, if it is killed */
	assert_true(wake_read(&b, &s));
	assert_true(s.ordered && !s.held);
	assert_int_equal(wake_begin(&b, nothing, NULL, 0, &err), 0);
	assert_int_equal(read_page().word, 3);
	wake_close(&b);
	unlink(path);
}

static void what_finds_no_room_is_refused_and_nothing_is_written(void **state)
{
	static char text[SCP_WAKE_TEXT_BYTES + 1];
	const char *const variables[] = {text, NULL};
	static pid_t pids[SCP_WAKE_TARGETS_MAX + 1];
	struct profile_error err;
	struct wake w;

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	make_page(&sound, sizeof(sound));
	assert_int_equal(wake_open(&w, path, &err), 0);
	assert_int_equal(wake_begin(&w, variables, NULL, 0, &err), -1);
	assert_int_equal(wake_begin(&w, variables + 1, pids, SCP_WAKE_TARGETS_MAX + 1, &err), -1);
	assert_int_equal(read_page().word, 1);
	text[SCP_WAKE_TEXT_BYTES - 1] = 0;
	assert_int_equal(wake_begin(&w, variables, pids, SCP_WAKE_TARGETS_MAX, &err), 0);
	assert_int_equal(read_page().word, 2);
	wake_close(&w);
	unlink(path);
}

static void a_word_that_somebody_wrote_is_still_raised(void **state)
{
	const char *const nothing[] = {NULL};
	struct scp_wake_page page = sound;
	struct profile_error err;
	struct wake w;

	(void)state;
	page.word = UINT64_MAX - 1; /* the next would be the one that no page has */
	make_page(&page, sizeof(page));
	assert_int_equal(wake_open(&w, path, &err), 0);
	assert_int_equal(wake_begin(&w, nothing, NULL, 0, &err), 0);
	assert_int_equal(read_page().word, 2);
	assert_int_equal(truncate(path, 100), 0);
	assert_int_equal(wake_end(&w, &err), -1);
	assert_non_null(strstr(err.text, "cut"));
	wake_close(&w);
	unlink(path);
}

static void a_page_is_found_in_the_maps(void **state)
{
	char found[PATH_MAX], named[PATH_MAX];
	void *at;
	int fd;

	(void)state;
	assert_false(wake_find(getpid(), found, sizeof(found)));
	make_page(&sound, sizeof(sound));
	snprintf(named, sizeof(named), "%s/scprof.a\nb c.1.wake", folder);
	assert_int_equal(rename(path, named), 0);
	fd = open(named, O_RDWR);
	at = mmap(NULL, SCP_WAKE_BYTES, PROT_READ, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(at, MAP_FAILED);
	close(fd);
	assert_true(wake_find(getpid(), found, sizeof(found)));
	assert_string_equal(strstr(found, "/root/") + 5, named);
	assert_false(wake_find(getpid(), found, 20)); /* no room */
	unlink(named);
	assert_false(wake_find(getpid(), found, sizeof(found))); /* "(deleted)" */
	munmap(at, SCP_WAKE_BYTES);
}

static void a_number_inside_is_told(void **state)
{
	(void)state;
	assert_int_equal(proc_inner_pid(getpid()), getpid());
	assert_int_equal(proc_inner_pid(99999999), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(other_files_are_refused),
		cmocka_unit_test(a_link_does_not_lead_out_of_the_root),
		cmocka_unit_test(an_order_raises_the_word),
		cmocka_unit_test(one_tool_at_a_time_and_the_next_after_its_death),
		cmocka_unit_test(what_finds_no_room_is_refused_and_nothing_is_written),
		cmocka_unit_test(a_word_that_somebody_wrote_is_still_raised),
		cmocka_unit_test(a_page_is_found_in_the_maps),
		cmocka_unit_test(a_number_inside_is_told),
	};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
