// SPDX-License-Identifier: GPL-3.0-or-later
/* Wakes dormant processes, step by step.
 *
 * wake PID|PAGE begin [-a] [NAME=VALUE...]	order; -a: all that map the page, not PID alone
 * wake PID|PAGE hold [-a] [NAME=VALUE...]	the same, and stay until standard input ends
 * wake PID|PAGE end
 * wake PID|PAGE state				"ordered N held N holders N answer PID PROBLEM"
 * wake PID|PAGE place DIRECTORY		"own N FOLDER" */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/attach/target/wake.h"
#include "profile/base/kernel_file.h"

static int fail(const struct profile_error *err)
{
	printf("%s\n", err->text);
	return 1;
}

static int begin(struct wake *w, char **argv, bool hold)
{
	struct profile_error err;
	bool all = argv[0] && !strcmp(argv[0], "-a");
	pid_t pid = w->pid ? proc_inner_pid(w->pid) : 0;
	char c;

	if (wake_begin(w, (const char *const *)argv + all, &pid, pid && !all, &err))
		return fail(&err);
	printf("begun\n");
	fflush(stdout);
	while (hold && read(0, &c, 1) > 0)
		;
	return 0;
}

static int state(const struct wake *w)
{
	struct wake_state s;

	if (!wake_read(w, &s))
		return 1;
	printf("ordered %d held %d holders %u answer %d %u\n", s.ordered, s.held, s.holders,
	       s.answer_pid, s.problem);
	return 0;
}

int main(int argc, char **argv)
{
	struct profile_error err;
	struct wake w;
	char path[PATH_MAX];
	const char *page = argv[1];
	int r = 2;

	if (argc < 3)
		return 2;
	if (!strchr(page, '/')) {
		if (!wake_find(atoi(page), path, sizeof(path))) {
			printf("no page\n");
			return 1;
		}
		page = path;
	}
	if (wake_open(&w, page, &err))
		return fail(&err);
	if (!strcmp(argv[2], "begin") || !strcmp(argv[2], "hold"))
		r = begin(&w, argv + 3, *argv[2] == 'h');
	else if (!strcmp(argv[2], "end"))
		r = wake_end(&w, &err) ? fail(&err) : 0;
	else if (!strcmp(argv[2], "state"))
		r = state(&w);
	wake_close(&w);
	return r;
}
