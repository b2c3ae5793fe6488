// SPDX-License-Identifier: GPL-3.0-or-later
/* Only a file that -o names is replaced, as by a compiler. */
#include "cli/run/run_output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/messages/say.h"
#include "cli/usage/options.h"
#include "profile/write/temporary_file.h"
#include "report/report.h"

/* Root may write everywhere, but not create a file in /proc: only trying tells. */
static int try_directory(const char *directory)
{
	char name[PATH_MAX];
	struct partial trial;
	int fd;

	snprintf(name, sizeof(name), "%s/scprof", directory);
	fd = temporary_file_create(&trial, name);
	if (fd >= 0) {
		close(fd);
		temporary_file_drop(&trial);
		return 0;
	}
	say_format("cannot write a profile into the folder %.300s: %s.\n"
		   "Choose another place with -o",
		   directory, strerror(errno));
	return -1;
}

static int use_directory(const char *directory, struct run_output *o)
{
	char real[PATH_MAX];

	if (!realpath(directory, real)) {
		say_format("cannot write a profile into the folder %.300s: %s.\n"
			   "Create it first (mkdir -p), or choose another place with -o",
			   directory, strerror(errno));
		return -1;
	}
	if (strlen(real) >= sizeof(o->directory)) {
		say_format("the path of %.300s is too long.\nChoose another place with -o",
			   directory);
		return -1;
	}
	memcpy(o->directory, real, strlen(real) + 1);
	return try_directory(o->directory);
}

static int split(const char *path, struct run_output *o)
{
	char directory[PATH_MAX];
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	if (!*name || strlen(path) >= sizeof(directory) || strlen(name) > NAME_MAX) {
		say_format("-o %.300s is no name for a file.\n"
			   "Write a path that ends in a name of at most %d characters",
			   path, NAME_MAX);
		return -1;
	}
	snprintf(directory, sizeof(directory), "%.*s", slash ? (int)(slash - path + 1) : 1,
		 slash ? path : ".");
	if (use_directory(directory, o))
		return -1;
	snprintf(o->path, sizeof(o->path), "%s/%.255s", o->directory, name);
	return 0;
}

/* The name that -o has goes to the report. */
static void move_report(const char *wanted, struct run_output *o)
{
	enum report_format format;

	if (report_names_format_of(wanted, &format))
		return;
	memcpy(o->report, o->path, sizeof(o->report));
	*o->path = '\0';
}

int run_output_check(const char *wanted, struct run_output *o)
{
	char real[PATH_MAX];
	struct stat st;

	*o = (struct run_output){0};
	if (!wanted) {
		const char *set = options_variable("SCPROF_OUT");

		return use_directory(set ? set : ".", o);
	}
	if (stat(wanted, &st)) {
		if (split(wanted, o))
			return -1;
		move_report(wanted, o);
		return 0;
	}
	if (S_ISDIR(st.st_mode))
		return use_directory(wanted, o);
	if (!S_ISREG(st.st_mode)) {
		say_format("-o %.300s is not a regular file, and a profile replaces what it is "
			   "written to.\nName a file, or a folder",
			   wanted);
		return -1;
	}
	/* a link is written through, not replaced */
	if (split(realpath(wanted, real) ? real : wanted, o))
		return -1;
	move_report(wanted, o);
	return 0;
}

void run_output_name(struct run_output *o, const char *command, pid_t pid)
{
	const char *slash = strrchr(command, '/'), *name = slash ? slash + 1 : command;
	struct stat st;

	if (*o->path)
		return;
	snprintf(o->path, sizeof(o->path), "%s/scprof.%.200s.%d.scp", o->directory, name, (int)pid);
	for (int i = 1; !lstat(o->path, &st); i++)
		snprintf(o->path, sizeof(o->path), "%s/scprof.%.200s.%d.%d.scp", o->directory, name,
			 (int)pid, i);
}
