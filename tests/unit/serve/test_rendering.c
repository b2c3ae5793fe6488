// SPDX-License-Identifier: GPL-3.0-or-later
/* A rendering is made by a process that can hang, crash and fill its limits without harm to whoever
 * waits for it. Started by itself as that process, the test hangs or crashes, or does the work. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/support/place.h"
#include "report/serve/render/renderer.h"

#define BEHAVIOUR "TEST_RENDERER"

struct trial {
	struct rendering one;
	atomic_bool stopping;
	struct renderer_job job;
	struct renderer_message said;
};

static void begin(struct trial *t, const char *behaviour)
{
	*t = (struct trial){.job = {.user = RENDERER_AGENT}};
	setenv(BEHAVIOUR, behaviour, 1);
	rendering_begin(&t->one, &t->stopping, 0);
}

/* Nothing is left of it. */
static void end(struct trial *t)
{
	rendering_end(&t->one);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

/* Start it, and hand it all files of the place. */
static enum rendering_result start(struct trial *t, struct place *x)
{
	enum rendering_result result;
	struct snapshot s;

	assert_int_equal(snapshot_take(&s, &x->agent, NULL, SCP_CLOCK_NONE), 0);
	assert_int_equal(rendering_start(&t->one, &t->job), RENDERING_GOING);
	result = rendering_ask(&t->one, &s, -1, &t->said);
	snapshot_free(&s);
	return result;
}

static enum rendering_result finish(struct trial *t)
{
	return rendering_ask(&t->one, NULL, -1, &t->said);
}

static void a_page_is_what_the_process_wrote(void **state)
{
	static const char head[] = "<!doctype html>";
	char text[sizeof(head)] = "";
	struct place *x = *state;
	struct trial t;

	place_save(x, "scprof.a.1.scp", 1, "/bin/a", 10);
	place_save(x, "scprof.a.2.scp", 2, "/bin/a", 10);
	place_look(x);
	assert_int_equal(truncate(place_path(x, "scprof.a.2.scp"), 100), 0);
	begin(&t, "work");
	assert_int_equal(start(&t, x), RENDERING_GOING);
	assert_int_equal(finish(&t), RENDERING_DONE);
	assert_int_equal(t.said.left_out, 1);
	assert_int_equal(pread(t.one.output, text, sizeof(head) - 1, 0), sizeof(head) - 1);
	assert_string_equal(text, head);
	end(&t);
	assert_true(t.one.cpu_ns > 0); /* what it took is the user's to pay for */
}

static void no_profile_is_an_empty_answer(void **state)
{
	struct trial t;

	begin(&t, "work");
	assert_int_equal(start(&t, *state), RENDERING_GOING);
	assert_int_equal(finish(&t), RENDERING_EMPTY);
	end(&t);
}

/* More than go into one message. */
static void hundreds_of_files_are_handed_over(void **state)
{
	struct place *x = *state;
	struct snapshot s;
	struct trial t;
	const size_t files = 600;

	place_save(x, "scprof.a.1.scp", 1, "/bin/a", 10);
	place_look(x);
	assert_int_equal(snapshot_take(&s, &x->agent, NULL, SCP_CLOCK_NONE), 0);
	s.file = realloc(s.file, files * sizeof(*s.file));
	assert_non_null(s.file);
	for (; s.files < files; s.files++) {
		s.file[s.files] = s.file[0];
		s.file[s.files].fd = fcntl(s.file[0].fd, F_DUPFD_CLOEXEC, 3);
		assert_true(s.file[s.files].fd >= 0);
		s.file[s.files].clock++; /* of another clock: it is left out */
	}
	begin(&t, "work");
	assert_int_equal(rendering_start(&t.one, &t.job), RENDERING_GOING);
	assert_int_equal(rendering_ask(&t.one, &s, -1, &t.said), RENDERING_GOING);
	snapshot_free(&s);
	assert_int_equal(finish(&t), RENDERING_DONE);
	assert_int_equal(t.said.left_out, files - 1);
	end(&t);
}

static void one_that_does_not_end_is_ended(void **state)
{
	struct trial t;

	begin(&t, "hang");
	t.one.limits.seconds = 0.1;
	assert_int_equal(start(&t, *state), RENDERING_LATE);
	end(&t);
}

static void one_that_computes_for_ever_is_ended(void **state)
{
	struct place *x = *state;
	struct trial t;

	place_save(x, "scprof.a.1.scp", 1, "/bin/a", 10);
	place_look(x);
	begin(&t, "spin");
	t.one.limits.seconds = 0.1;
	assert_int_equal(start(&t, x), RENDERING_LATE);
	end(&t);
}

static void one_that_crashes_says_by_which_signal(void **state)
{
	struct trial t;

	begin(&t, "crash");
	assert_int_equal(start(&t, *state), RENDERING_DIED);
	assert_true(WIFSIGNALED(t.one.status));
	assert_int_equal(WTERMSIG(t.one.status), SIGSEGV);
	end(&t);
}

/* 20 000 paths: the file has 8 MB. */
static void save_large(const struct place *x)
{
	char command[512];

	snprintf(command, sizeof(command), "'%s/tests/profiles/make_profile' paths 20000 '%s'",
		 getenv("SCPROF_BUILD") ? getenv("SCPROF_BUILD") : "build",
		 place_path(x, "scprof.a.1.scp"));
	assert_int_equal(system(command), 0);
}

static void memory_is_limited(void **state)
{
#ifdef __SANITIZE_ADDRESS__
	skip();
#endif
	struct place *x = *state;
	struct trial t;

	save_large(x);
	place_look(x);
	begin(&t, "work");
	t.one.limits.memory = UINT64_C(24) << 20; /* too little to read it */
	assert_int_equal(start(&t, x), RENDERING_NO_MEMORY);
	end(&t);
	begin(&t, "work");
	t.one.limits.memory = UINT64_C(64) << 20; /* too little to render it */
	assert_int_equal(start(&t, x), RENDERING_GOING);
	assert_int_equal(finish(&t), RENDERING_NO_MEMORY);
	end(&t);
}

static void output_is_limited(void **state)
{
	struct place *x = *state;
	struct trial t;

	place_save(x, "scprof.a.1.scp", 1, "/bin/a", 10);
	place_look(x);
	begin(&t, "work");
	t.one.limits.output = 1000;
	assert_int_equal(start(&t, x), RENDERING_GOING);
	assert_int_equal(finish(&t), RENDERING_TOO_LONG);
	end(&t);
}

static void the_end_of_the_agent_ends_it(void **state)
{
	struct trial t;
	struct snapshot s;

	begin(&t, "hang");
	assert_int_equal(rendering_start(&t.one, &t.job), RENDERING_GOING);
	atomic_store(&t.stopping, true);
	assert_int_equal(snapshot_take(&s, &((struct place *)*state)->agent, NULL, SCP_CLOCK_NONE),
			 0);
	assert_int_equal(rendering_ask(&t.one, &s, -1, &t.said), RENDERING_STOPPED);
	snapshot_free(&s);
	end(&t);
}

static void has_line(pid_t pid, const char *line)
{
	char command[128];

	snprintf(command, sizeof(command), "grep -qE '^%s' /proc/%d/status", line, (int)pid);
	if (system(command))
		fail_msg("its status has no line %s", line);
}

/* A file that only its owner may read is read all the same: it was opened before. */
static void it_has_the_rights_of_the_owner_of_the_profile(void **state)
{
	struct place *x = *state;
	struct trial t;

	if (geteuid())
		skip();
	place_save(x, "scprof.a.1.scp", 1, "/bin/a", 10);
	assert_int_equal(chmod(place_path(x, "scprof.a.1.scp"), 0), 0);
	place_look(x);
	begin(&t, "work");
	t.job.user = 12345;
	t.job.seconds = 1; /* it waits for the end of the window, and can be looked at */
	assert_int_equal(start(&t, x), RENDERING_GOING);
	assert_int_equal(t.said.left_out, 0);
	has_line(t.one.pid, "Uid:\t12345\t12345\t12345\t12345$");
	has_line(t.one.pid, "Gid:\t65534\t65534\t65534\t65534$");
	has_line(t.one.pid, "Groups:\t *$");
	has_line(t.one.pid, "NoNewPrivs:\t1$");
	has_line(t.one.pid, "CapEff:\t0+$");
	end(&t);
}

static int behave(const char *behaviour)
{
	volatile unsigned spins = 0;

	if (!strcmp(behaviour, "work"))
		return renderer_main();
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* where the test is ended */
	if (!strcmp(behaviour, "crash")) {
		signal(SIGSEGV, SIG_DFL);
		raise(SIGSEGV);
	}
	while (!strcmp(behaviour, "spin"))
		spins++;
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, place_begin, place_end)
		TEST(a_page_is_what_the_process_wrote),
		TEST(no_profile_is_an_empty_answer),
		TEST(hundreds_of_files_are_handed_over),
		TEST(one_that_does_not_end_is_ended),
		TEST(one_that_computes_for_ever_is_ended),
		TEST(one_that_crashes_says_by_which_signal),
		TEST(memory_is_limited),
		TEST(output_is_limited),
		TEST(the_end_of_the_agent_ends_it),
		TEST(it_has_the_rights_of_the_owner_of_the_profile),
#undef TEST
	};

	if (argc == 2 && !strcmp(argv[1], RENDERER_COMMAND))
		return behave(getenv(BEHAVIOUR));
	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
