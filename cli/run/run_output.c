// SPDX-License-Identifier: GPL-3.0-or-later
/* Only a file that -o names is replaced, as by a compiler. */
#include "cli/run/recording.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/messages/complaint.h"
#include "cli/usage/options.h"
#include "cli/usage/output.h"
#include "report/report.h"
#include "report/wording/utf8.h"

/* Root may write everywhere, but not create a file in /proc: only trying tells. */
static int try_directory(const char *directory)
{
	char name[PATH_MAX];

	snprintf(name, sizeof(name), "%s/.scprof.XXXXXX", directory);
	int fd = mkstemp(name);

	if (fd >= 0) {
		close(fd);
		unlink(name);
		return 0;
	}
	return say_format("cannot write a profile into the folder %.300s: %s.\n"
			  "Choose another place with -o",
			  directory, strerror(errno));
}

static int use_directory(const char *directory, struct run_output *o)
{
	char real[PATH_MAX];

	if (!realpath(directory, real))
		return say_format("cannot write a profile into the folder %.300s: %s.\n"
				  "Create it first (mkdir -p), or choose another place with -o",
				  directory, strerror(errno));
	if (strlen(real) >= sizeof(o->directory))
		return say_format("the path of %.300s is too long.\nChoose another place with -o",
				  directory);
	memcpy(o->directory, real, strlen(real) + 1);
	return try_directory(o->directory);
}

static int split(const char *path, struct run_output *o)
{
	char directory[PATH_MAX];
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	if (!*name || strlen(path) >= sizeof(directory) || strlen(name) > NAME_MAX)
		return say_format("-o %.300s is not a name for a file.\n"
				  "Write a path that ends in a name of at most %d characters",
				  path, NAME_MAX);
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
	bool there = !stat(wanted, &st);
	if ((!there || S_ISREG(st.st_mode)) && report_options_refuse_ending("scprof", wanted, true))
		return -1;
	if (there && S_ISDIR(st.st_mode))
		return use_directory(wanted, o);
	if (there && !S_ISREG(st.st_mode))
		return say_format(
			"-o %.300s is not a regular file, and a profile replaces what it is "
			"written to.\nName a file, or a folder",
			wanted);
	/* a link is written through, not replaced */
	if (split(there && realpath(wanted, real) ? real : wanted, o))
		return -1;
	move_report(wanted, o);
	return 0;
}

void run_output_name(struct run_output *o, const char *command, pid_t pid)
{
	const char *name = base_name(command);
	struct stat st;

	if (*o->path)
		return;
	snprintf(o->path, sizeof(o->path), "%s/scprof.%.200s.%d.scp", o->directory, name, (int)pid);
	for (int i = 1; !lstat(o->path, &st); i++)
		snprintf(o->path, sizeof(o->path), "%s/scprof.%.200s.%d.%d.scp", o->directory, name,
			 (int)pid, i);
}

static void say_failed(const char *path)
{
	say_format("cannot write the report%s%s: %s; the profile is not touched by that",
		   path ? " " : "", path ? path : "", strerror(errno));
}

static void print_file(const struct report_options *options, const char *path,
		       const struct profile *p)
{
	struct output out;

	if (output_open(&out, path)) {
		say_failed(path);
		return;
	}
	int failed = report_print(p, options, out.stream);
	int error = errno;
	if (output_close(&out, !failed) == 0 && !failed) {
		say_format("report: %s", path);
		return;
	}
	errno = failed ? error : errno;
	say_failed(path);
}

static void print_here(const struct report_options *options, const struct profile *p, FILE *out)
{
	static char buffer[1 << 16];

	setvbuf(out, buffer, _IOFBF, sizeof(buffer)); /* not a system call a word */
	int failed = report_print(p, options, out);
	int error = errno;
	setvbuf(out, NULL, _IONBF, 0);
	errno = error;
	if (failed && (out != stdout || !ferror(stdout))) /* that is said at the end */
		say_failed(NULL);
}

void run_output_report(const struct run_output *to, const struct run_options *o, const char *saved,
		       const struct profile *p)
{
	struct report_options here = o->shown.options;
	const char *missing = report_weight_missing(p, &here);

	here.profile = saved;
	if (missing && (*to->report || o->report))
		say(missing);
	else if (*to->report)
		print_file(&here, to->report, p);
	/* text has no use for a weight */
	if (*to->report)
		here.format = REPORT_TEXT;
	if (o->report && (!missing || *to->report))
		print_here(&here, p, o->filters.attached ? stdout : stderr);
}
