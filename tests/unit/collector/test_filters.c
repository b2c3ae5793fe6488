// SPDX-License-Identifier: GPL-3.0-or-later
/* Where functions lie, and when recording stops and starts. The functions are this program's own.
 */
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

#include "collector/select/below.h"
#include "collector/launch/recording_control.h"
#include "include/scprof_control.h"

extern const char image_start[] __asm__("__ehdr_start");

static __attribute__((noinline, used)) int local_function(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

static __attribute__((noinline, used)) int local_other(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 2;
}

static void stems(void **state)
{
	static const struct {
		const char *symbol;
		size_t stem;
	} cases[] = {{"serve", 5},
		     {"serve.cold", 5},
		     {"serve.part.0", 5},
		     {"serve.isra.0.cold", 5},
		     {"serve.constprop.1", 5},
		     {"serve.v2", 8},
		     {".cold", 5},
		     {"a.b.lto_priv.3", 3}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(below_symbols_stem(cases[i].symbol), cases[i].stem);
}

static void joins(void **state)
{
	struct scp_below_range r[] = {{50, 60}, {10, 20}, {20, 30}, {55, 58}, {40, 45}, {10, 12}};

	(void)state;
	assert_int_equal(below_join(r, 6), 3);
	assert_int_equal(r[0].start, 10);
	assert_int_equal(r[0].end, 30);
	assert_int_equal(r[1].start, 40);
	assert_int_equal(r[2].start, 50);
	assert_int_equal(r[2].end, 60);
	assert_int_equal(below_join(r, 0), 0);
}

static void resolve(struct below *b, const char *patterns)
{
	struct profile_error err;

	if (below_resolve(b, "/proc/self/exe", "/proc/self/exe", patterns, &err))
		fail_msg("%s", err.text);
}

static uint64_t place_of(const void *function)
{
	return (uint64_t)((const char *)function - image_start);
}

static bool has(const struct below_object *o, const void *function)
{
	for (size_t i = 0; i < o->ranges; i++)
		if (o->range[i].start <= place_of(function) && place_of(function) < o->range[i].end)
			return true;
	return false;
}

static void finds_local_functions(void **state)
{
	struct below b;

	(void)state;
	resolve(&b, "local_function");
	assert_int_equal(b.objects, 1);
	assert_int_equal(b.object[0].ranges, 1);
	assert_true(has(&b.object[0], (const void *)local_function));
	assert_false(has(&b.object[0], (const void *)local_other));
	below_free(&b);
	resolve(&b, "local_*,!local_other");
	assert_true(has(&b.object[0], (const void *)local_function));
	assert_false(has(&b.object[0], (const void *)local_other));
	below_free(&b);
	resolve(&b, "libc:qsort,local_other");
	assert_int_equal(b.objects, 2);
	below_free(&b);
}

static void refuses_what_is_not_there(void **state)
{
	struct profile_error err;
	struct below b;

	(void)state;
	assert_int_equal(
		below_resolve(&b, "/proc/self/exe", "/proc/self/exe", "local_functoin", &err), -1);
	assert_non_null(b.unmatched);
	below_free(&b);
	assert_int_equal(below_resolve(&b, "/proc/self/exe", "/proc/self/exe",
				       "local_function,!local*", &err),
			 -1);
	assert_non_null(strstr(err.text, "leaves no function"));
	below_free(&b);
	assert_int_equal(below_resolve(&b, "/proc/self/exe", "/proc/self/exe", "!local*", &err),
			 -1);
	assert_int_equal(strncmp(err.text, "--below: ", 9), 0);
	below_free(&b);
	assert_int_equal(below_resolve(&b, "/proc/self/exe", "/proc/self/exe",
				       "nosuchlib:local_function", &err),
			 -1);
	below_free(&b);
}

static void writes_what_it_found(void **state)
{
	char path[] = "/tmp/scprof-below-XXXXXX";
	struct profile_error err;
	struct below b;

	(void)state;
	assert_non_null(mkdtemp(path));
	char file[64];
	snprintf(file, sizeof(file), "%s/below", path);
	resolve(&b, "local_other,libc:qsort");
	assert_int_equal(below_write(&b, file, &err), 0);
	assert_int_equal(below_write(&b, file, &err), -1); /* never over another file */
	int fd = open(file, O_RDONLY);
	off_t bytes = lseek(fd, 0, SEEK_END);
	const struct scp_below_file *f = mmap(NULL, (size_t)bytes, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(f, MAP_FAILED);
	assert_memory_equal(f->magic, SCP_BELOW_MAGIC, 8);
	assert_int_equal(f->bytes, bytes);
	assert_int_equal(f->objects, 2);
	const struct scp_below_object *o = (const void *)(f + 1);
	const struct scp_below_range *r = (const void *)(o + 2);
	assert_int_equal(o[0].first, 0);
	assert_int_equal(o[0].count + o[1].count, f->ranges);
	assert_true(r[0].start <= place_of((const void *)local_other) &&
		    place_of((const void *)local_other) < r[0].end);
	assert_non_null(strstr((const char *)f + o[0].path, "test_filters"));
	assert_non_null(strstr((const char *)f + o[1].path, "libc"));
	munmap((void *)(uintptr_t)f, (size_t)bytes);
	close(fd);
	unlink(file);
	rmdir(path);
	below_free(&b);
}

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
		cmocka_unit_test(stems),
		cmocka_unit_test(joins),
		cmocka_unit_test(finds_local_functions),
		cmocka_unit_test(refuses_what_is_not_there),
		cmocka_unit_test(writes_what_it_found),
		cmocka_unit_test(schedules),
		cmocka_unit_test(changes_the_page),
		cmocka_unit_test(a_killed_tool_leaves_word),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
