// SPDX-License-Identifier: GPL-3.0-or-later
/* When recording stops and starts. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/launch/recording_control.h"
#include "include/scprof_control.h"

static void schedules(void **state)
{
	struct recording_schedule s;

	(void)state;
	recording_control_schedule_begin(&s, &(struct recording_plan){.after_ns = 5, .for_ns = 30},
					 100);
	assert_false(s.on);
	assert_int_equal(s.due_ns, 105);
	recording_control_schedule_flip(&s, 106); /* late: the window is not shorter for it */
	assert_true(s.on);
	assert_int_equal(s.due_ns, 136);
	recording_control_schedule_flip(&s, 136);
	assert_false(s.on);
	assert_true(s.due_ns == UINT64_MAX);
	recording_control_schedule_begin(&s, &(struct recording_plan){.for_ns = 30, .signal = 10},
					 100);
	assert_true(s.on);
	assert_int_equal(s.due_ns, 130);
	recording_control_schedule_flip(&s, 110); /* a signal stops it early, and starts it again */
	assert_true(s.due_ns == UINT64_MAX);
	recording_control_schedule_flip(&s, 200);
	assert_int_equal(s.due_ns, 230);
	recording_control_schedule_begin(
		&s, &(struct recording_plan){.signal = 10, .stopped = true}, 100);
	assert_false(s.on);
	assert_true(s.due_ns == UINT64_MAX);
}

/* However long a busy machine takes; what hangs is ended by tests/run. */
static void wait_for_seq(const struct scp_control_page *p, uint32_t seq)
{
	while (__atomic_load_n(&p->seq, __ATOMIC_ACQUIRE) != seq)
		nanosleep(&(struct timespec){0, 1000000}, NULL);
}

static void changes_the_page(void **state)
{
	char path[] = "/tmp/scprof-control-XXXXXX";
	char file[64];
	struct profile_error err;

	(void)state;
	assert_non_null(mkdtemp(path));
	snprintf(file, sizeof(file), "%s/control", path);
	struct recording_control *w = recording_control_create(
		file, &(struct recording_plan){.after_ns = 1000000, .for_ns = 20000000}, &err);
	assert_non_null(w);
	int fd = open(file, O_RDONLY);
	const struct scp_control_page *p =
		mmap(NULL, SCP_CONTROL_BYTES, PROT_READ, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(p, MAP_FAILED);
	assert_memory_equal(p->magic, SCP_CONTROL_MAGIC, 8);
	assert_int_equal((uint32_t)p->word, 0);
	assert_int_equal(p->word >> 32, gettid());
	assert_int_equal(recording_control_begin(w), 0);
	wait_for_seq(p, 4); /* on, and off again: two changes */
	assert_int_equal((uint32_t)p->word, 2 << 1);
	assert_true(p->on_ns >= 20000000);
	recording_control_stop(w);
	assert_int_equal(access(file, F_OK), -1);
	munmap((void *)(uintptr_t)p, SCP_CONTROL_BYTES);
	close(fd);
	rmdir(path);
}

/* The kernel says so in the page, and what records there stops. */
static void a_killed_tool_leaves_word(void **state)
{
	struct profile_error err;
	char file[64], kept[72];
	int fd, status;

	(void)state;
	snprintf(file, sizeof(file), "/tmp/scprof-control.%d", (int)getpid());
	snprintf(kept, sizeof(kept), "%s.kept", file);
	for (int killed = 0; killed < 2; killed++) {
		pid_t tool = fork();

		if (!tool) {
			struct recording_control *w =
				recording_control_create(file, &(struct recording_plan){0}, &err);

			if (w && !link(file, kept) && !killed)
				recording_control_stop(w);
			raise(SIGKILL);
		}
		waitpid(tool, &status, 0);
		fd = open(kept, O_RDONLY);
		struct scp_control_page page;
		assert_int_equal(pread(fd, &page, sizeof(page), 0), sizeof(page));
		assert_int_equal(page.word, killed ? SCP_CONTROL_TOOL_DIED | 1 : 1);
		close(fd);
		unlink(kept);
		unlink(file);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(schedules),
		cmocka_unit_test(changes_the_page),
		cmocka_unit_test(a_killed_tool_leaves_word),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
