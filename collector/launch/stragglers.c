// SPDX-License-Identifier: GPL-3.0-or-later
/* /proc shows the environment that a program was started with; the directory's name is random, so
 * that a process that has it there belongs to the run. */
#include "collector/launch/stragglers.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool has_live_file(pid_t pid, const struct run_file *files, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (files[i].pid == pid && run_files_is_live(&files[i]))
			return true;
	return false;
}

/* Has a file of the process such a line? */
static bool has_line(const char *pid, const char *name, int end,
		     bool (*is)(const char *line, const char *directory), const char *directory)
{
	char path[64], *line = NULL;
	size_t room = 0;
	bool found = false;

	snprintf(path, sizeof(path), "/proc/%.20s/%s", pid, name);
	FILE *file = fopen(path, "re");
	if (!file)
		return false;
	while (!found && getdelim(&line, &room, end, file) > 0)
		found = is(line, directory);
	free(line);
	fclose(file);
	return found;
}

static bool is_variable(const char *line, const char *directory)
{
	static const char name[] = "SCPROF_OUT=";

	return !strncmp(line, name, sizeof(name) - 1) &&
	       !strcmp(line + sizeof(name) - 1, directory);
}

/* To write to: the tool's own processes map other pages there, and read profiles otherwise. */
static bool is_map_of_profile(const char *line, const char *directory)
{
	return strstr(line, " rw-s ") && strstr(line, directory) && strstr(line, ".scp");
}

static bool names_directory(const char *pid, const char *directory)
{
	return has_line(pid, "environ", '\0', is_variable, directory);
}

static bool maps_profile_in(const char *pid, const char *directory)
{
	return has_line(pid, "maps", '\n', is_map_of_profile, directory);
}

static void take_name(const char *pid, char name[16])
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%.20s/comm", pid);
	FILE *file = fopen(path, "re");
	if (!file)
		return;
	if (fgets(name, 16, file))
		name[strcspn(name, "\n")] = '\0';
	fclose(file);
}

size_t stragglers_forked(const char *directory, const struct run_file *files, size_t count,
			 struct run_file *forked, size_t room)
{
	struct dirent *entry;
	size_t found = 0;
	uint64_t since = run_files_process_start(getpid(), NULL);
	DIR *proc = opendir("/proc");

	while (proc && found < room && (entry = readdir(proc))) {
		struct run_file f = {.started = true, .pid = (pid_t)atoi(entry->d_name)};

		f.process_start = f.pid > 0 ? run_files_process_start(f.pid, NULL) : 0;
		/* younger than the run, which spares the others' maps */
		if (f.process_start < since || f.pid == getpid() ||
		    !maps_profile_in(entry->d_name, directory) ||
		    has_live_file(f.pid, files, count))
			continue;
		take_name(entry->d_name, f.comm);
		forked[found++] = f;
	}
	if (proc)
		closedir(proc);
	return found;
}

/* /proc shows no environment while exec is building the new program. */
static bool left_a_program(const struct run_file *files, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct run_file now = files[i];

		if (now.end_state != SCP_END_EXEC || has_live_file(now.pid, files, count))
			continue;
		now.end_state = SCP_END_RUNNING;
		if (run_files_is_live(&now))
			return true;
	}
	return false;
}

bool stragglers_exist(const char *directory, const struct run_file *files, size_t count)
{
	struct dirent *entry;
	bool found = left_a_program(files, count);
	DIR *proc = found ? NULL : opendir("/proc");

	while (proc && !found && (entry = readdir(proc))) {
		pid_t pid = (pid_t)atoi(entry->d_name);

		found = isdigit((unsigned char)entry->d_name[0]) && pid != getpid() &&
			names_directory(entry->d_name, directory) &&
			!has_live_file(pid, files, count);
	}
	if (proc)
		closedir(proc);
	return found;
}
