// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/attach/attach_targets.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/messages/complaint.h"
#include "collector/attach/target/relatives.h"
#include "profile/live/run_files.h"

#define ENDS_MS	     1000
#define ENDS_STEP_MS 20

/* Compares pages by file: the path is as the processes see it. */
static bool same_page(const struct attach_one *a, const struct attach_one *b)
{
	const char *x = strstr(a->facts.wake, "/root/"), *y = strstr(b->facts.wake, "/root/");

	return a->woken && b->woken && x && y && !strcmp(x, y) &&
	       relatives_same_root(a->facts.target.pid, b->facts.target.pid);
}

void attach_woken_find_pages(struct attach_targets *t)
{
	for (size_t i = 0; i < t->count; i++) {
		t->one[i].page = i;
		for (size_t k = 0; k < i && t->one[i].page == i; k++)
			if (same_page(&t->one[k], &t->one[i]))
				t->one[i].page = k;
	}
}

int attach_woken_take_page(struct attach_one *one, const char *file)
{
	struct refusal_facts *f = &one->facts;
	const char *name = strrchr(file, '/');
	struct wake_state s;
	struct stat st = {0};
	struct profile_error err;

	if (wake_open(&one->wake, file, &err))
		return say(err.text);
	bool read = wake_read(&one->wake, &s) && !fstat(one->wake.fd, &st);
	wake_close(&one->wake);
	if (!read || !*s.directory)
		return say_format(
			"%.300s does not say where its processes see it: the libscprof.so that "
			"made it is of another version",
			file);
	one->woken = true;
	f->inner_pid = s.maker;
	f->uid = st.st_uid;
	f->gid = st.st_gid;
	snprintf(f->wake, sizeof(f->wake), "%s", file);
	snprintf(one->folder, sizeof(one->folder), "%s", s.directory);
	/* "scprof.NAME.PID.wake" */
	name = strchr(name ? name : file, '.');
	snprintf(f->exe, sizeof(f->exe), "%s", name ? name + 1 : "");
	for (int dots = 0; dots < 2 && strchr(f->exe, '.'); dots++)
		*strrchr(f->exe, '.') = '\0';
	return 0;
}

static bool shares_page(const struct attach_one *a, const struct attach_one *b)
{
	return a->woken && b->woken && a->page == b->page;
}

void attach_woken_begin(struct attach_targets *t, struct attach_one *one, char **order)
{
	pid_t pids[SCP_WAKE_TARGETS_MAX];
	struct profile_error err;
	size_t count = 0;
	bool failed = wake_open(&one->wake, one->facts.wake, &err);

	for (size_t i = 0; i < t->count && count < SCP_WAKE_TARGETS_MAX; i++)
		if (shares_page(&t->one[i], one) && t->one[i].facts.target.pid)
			pids[count++] = t->one[i].facts.inner_pid; /* none: all that map it */
	if (!failed && wake_begin(&one->wake, (const char *const *)order, pids, count, &err)) {
		wake_close(&one->wake);
		failed = true;
	}
	if (failed)
		say(err.text);
	for (size_t i = 0; i < t->count; i++)
		if (shares_page(&t->one[i], one)) {
			t->one[i].begun = !failed;
			t->one[i].left = failed;
			t->one[i].begin.threads = t->one[i].facts.threads;
		}
}

static void say_problem(const struct wake *w)
{
	static const char *const words[] = {
		[SCP_ATTACH_BAD_ORDER] = "it does not understand the order: its libscprof.so is of "
					 "another version",
		[SCP_ATTACH_NO_FILE] = "it cannot make its profile where it was told to",
		[SCP_ATTACH_NO_STUBS] = "it cannot load the functions of -s",
		[SCP_ATTACH_NO_MEMORY] = "it has no memory for it",
		[SCP_ATTACH_NOT_NOW] = "it records already, by itself, or has a seccomp filter",
		[SCP_ATTACH_NO_CLOCK] = "reading that clock is forbidden to it: try -c",
	};
	struct wake_state s;

	if (!wake_read(w, &s) || s.problem == SCP_ATTACH_FINE)
		return;
	say_format("process %d (as it is numbered there) was told to record, and did not: %s",
		   (int)s.answer_pid,
		   s.problem < sizeof(words) / sizeof(*words) ? words[s.problem]
							      : "its page does not say why");
}

void attach_woken_end(struct attach_targets *t, struct attach_one *one)
{
	struct profile_error err;

	if (one->wake.fd < 0)
		return;
	say_problem(&one->wake);
	bool failed = wake_end(&one->wake, &err);
	wake_close(&one->wake);
	if (failed)
		say(err.text);
	for (size_t i = 0; i < t->count; i++)
		if (shares_page(&t->one[i], one))
			t->one[i].left = !failed;
}

static bool has_profile(const struct attach_one *one, const struct run_file *files, size_t count,
			bool ended)
{
	bool any = false, all = true;

	for (size_t i = 0; i < count; i++) {
		bool counts = !ended || files[i].end_state != SCP_END_RUNNING;

		if (!files[i].started ||
		    (one->facts.target.pid && files[i].pid != one->facts.inner_pid))
			continue;
		any |= counts;
		all &= counts;
	}
	return any && (all || one->facts.target.pid);
}

/* Woken processes whose profile is there, or has its end. *woken: all that still run. */
static size_t count_answers(const struct attach_targets *t, const char *profiles, bool ended,
			    size_t *woken)
{
	struct run_file *files = NULL;
	size_t count = 0, answers = 0;

	*woken = 0;
	if (run_files_list(profiles, &files, &count))
		count = 0;
	for (size_t i = 0; i < t->count; i++)
		if (t->one[i].woken && t->one[i].begun && !t->one[i].forked) {
			*woken += 1;
			answers += has_profile(&t->one[i], files, count, ended);
		}
	run_files_free(files, count);
	return answers;
}

void attach_woken_say_silent(const struct attach_targets *t, const char *profiles)
{
	size_t woken, answers = count_answers(t, profiles, false, &woken);

	if (answers < woken)
		say_format("%zu of %zu processes that were told to record had made a call by the "
			   "end: a dormant one begins at its next call%s",
			   answers, woken, answers ? "" : ", not in the one that it waits in");
}

void attach_woken_await(const struct attach_targets *t, const char *profiles)
{
	size_t woken, begun = count_answers(t, profiles, false, &woken);

	for (int i = 0; i < ENDS_MS / ENDS_STEP_MS; i++) {
		if (count_answers(t, profiles, true, &woken) >= begun)
			return;
		usleep(ENDS_STEP_MS * 1000);
	}
}
