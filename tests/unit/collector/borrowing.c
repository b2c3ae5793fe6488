// SPDX-License-Identifier: GPL-3.0-or-later
/* Stands in for safe_points.c: that the thread can be borrowed is the test's to say. */
#include <dlfcn.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "collector/attach/safe_point/safe_points.h"
#include "collector/attach/safe_point/safe_point_private.h"
#include "profile/live/run_files.h"
#include "tests/unit/collector/borrowing.h"

struct safe_points {
	pid_t pid;
	uint64_t here, there; /* libc's code */
	size_t bytes;
};

static struct safe_points points;

/* Executable memory of the object that has this function here. */
static uint64_t find_object(pid_t pid, void *function, size_t *bytes)
{
	char path[64], line[512], how[5], *file;
	unsigned long long start = 0, end = 0;
	uint64_t found = 0;
	Dl_info object;
	FILE *f;

	assert_int_not_equal(dladdr(function, &object), 0);
	file = realpath(object.dli_fname, NULL);
	assert_non_null(file);
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "r");
	while (f && !found && fgets(line, sizeof(line), f))
		if (strstr(line, file) && sscanf(line, "%llx-%llx %4s", &start, &end, how) == 3 &&
		    how[2] == 'x')
			found = start;
	if (f)
		fclose(f);
	free(file);
	*bytes = end - start;
	return found;
}

struct safe_points *safe_points_open(pid_t pid, struct profile_error *err)
{
	(void)err;
	points.pid = pid;
	points.here = find_object(getpid(), getppid, &points.bytes);
	points.there = find_object(pid, getppid, &points.bytes);
	return &points;
}

void safe_points_close(struct safe_points *s)
{
	(void)s;
}

size_t safe_points_candidates(struct safe_points *s, pid_t *tids, size_t room)
{
	(void)room;
	tids[0] = s->pid;
	return 1;
}

const char *safe_points_judge(struct safe_points *s, pid_t tid)
{
	(void)s, (void)tid;
	return NULL;
}

uint64_t safe_points_function(struct safe_points *s, const char *name)
{
	void *at = dlsym(RTLD_DEFAULT, name);
	size_t bytes;
	uint64_t there = at ? find_object(s->pid, at, &bytes) : 0;

	return there ? (uint64_t)(uintptr_t)at - find_object(getpid(), at, &bytes) + there : 0;
}

uint64_t safe_points_lock(const struct safe_points *s)
{
	struct proc_map_list m = {0};
	struct safe_point_objects o = {0};
	uint64_t at = 0;

	if (proc_maps_list(&m, s->pid, NULL) && objects_read(&o, s->pid, &m))
		for (size_t i = 0; i < o.count; i++)
			if (o.object[i].kind == SAFE_POINT_LOADER)
				at = symbols_find_lock(&o.object[i], s->pid);
	objects_free(&o);
	proc_maps_free(&m);
	return at;
}

void safe_points_ignore_lock(struct safe_points *s)
{
	(void)s;
}

uint64_t safe_points_code(struct safe_points *s, const uint8_t *code, size_t bytes)
{
	void *at = memmem((void *)(uintptr_t)s->here, s->bytes, code, bytes);

	return at ? (uint64_t)(uintptr_t)at - s->here + s->there : 0;
}

#define TRIALS 8

static const char *const no_variables[] = {"NONE=1", NULL};

void borrowing_start_as(struct borrowing *p, const char *kind, uid_t user)
{
	char file[] = "/tmp/borrowing.XXXXXX";
	int fd = mkstemp(file), status = 0;

	assert_int_equal(ftruncate(fd, sizeof(struct borrowed)), 0);
	p->says = mmap(NULL, sizeof(struct borrowed), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(p->says, MAP_FAILED);
	assert_int_equal(fchown(fd, user, (gid_t)-1), 0);
	p->pid = fork();
	if (p->pid == 0) {
		if (setuid(user) != 0)
			_exit(9);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execl(PROGRAM, PROGRAM, kind, file, NULL);
		_exit(9);
	}
	while (!atomic_load(&p->says->ready) && waitpid(p->pid, &status, WNOHANG) == 0)
		usleep(1000);
	unlink(file);
	close(fd);
	/* a checkout in a folder that only its owner enters */
	if (WIFEXITED(status) && WEXITSTATUS(status) == 9 && user != geteuid())
		skip();
	assert_true(atomic_load(&p->says->ready));
	p->order = (struct attach_order){
		{p->pid, run_files_process_start(p->pid, NULL)}, LIBRARY, no_variables};
}

void borrowing_start(struct borrowing *p, const char *kind)
{
	borrowing_start_as(p, kind, geteuid());
}

void borrowing_stop(struct borrowing *p)
{
	kill(p->pid, SIGKILL);
	waitpid(p->pid, NULL, 0);
	munmap(p->says, sizeof(struct borrowed));
}

void borrowing_check(const struct borrowing *p, const char *kind)
{
	if (p->says->failures)
		print_error("%s: %s\n", kind, p->says->text);
	assert_int_equal(p->says->failures, 0);
	assert_int_equal(waitpid(p->pid, NULL, WNOHANG), 0);
}

bool borrowing_late(int status, const struct profile_error *err)
{
	return status != 0 && strstr(err->text, "; try again");
}

bool borrowing_begins(const struct borrowing *p, struct attach_result *r)
{
	struct profile_error err = {""};
	int status = attach_begin(&p->order, r, &err);

	if (status != 0 && !borrowing_late(status, &err))
		fail_msg("%s", err.text);
	return status == 0;
}

bool borrowing_ends(const struct borrowing *p, struct attach_result *r, bool *was)
{
	struct profile_error err = {""};
	int status = attach_end(&p->order.target, r, was, &err);

	if (status != 0 && !borrowing_late(status, &err))
		fail_msg("%s", err.text);
	return status == 0;
}

void borrowing_repeat(const char *kind, bool (*trial)(const struct borrowing *p, const char *kind))
{
	struct borrowing p;
	bool done = false;

	for (int i = 0; i < TRIALS && !done; i++) {
		borrowing_start(&p, kind);
		done = trial(&p, kind);
		borrowing_check(&p, kind);
		borrowing_stop(&p);
	}
	if (!done)
		fail_msg("%s: the tool was late in each of %d trials", kind, TRIALS);
}
