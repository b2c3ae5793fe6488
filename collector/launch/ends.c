// SPDX-License-Identifier: GPL-3.0-or-later
/* One file a program that a process was: only the last one that the command became ended as it did.
 */
#include "collector/launch/ends.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define MAPPED_MAX (1u << 20)

/* False: there are too many. */
static bool note_maps(const char *pid, const char *part, FILE *to)
{
	char path[64], *line = NULL;
	size_t room = 0;

	snprintf(path, sizeof(path), "/proc/%.20s/maps", pid);
	FILE *file = fopen(path, "re");
	if (!file)
		return true;
	while (ftell(to) < (long)MAPPED_MAX && getline(&line, &room, file) > 0)
		if (strstr(line, part))
			fputs(line, to);
	free(line);
	fclose(file);
	return ftell(to) < (long)MAPPED_MAX;
}

char *ends_mapped(const char *part)
{
	char *lines = NULL;
	size_t bytes;
	FILE *memory = open_memstream(&lines, &bytes);
	DIR *proc = memory ? opendir("/proc") : NULL;
	bool known = proc != NULL;
	struct dirent *entry;

	while (known && (entry = readdir(proc)))
		if (isdigit((unsigned char)entry->d_name[0]))
			known = note_maps(entry->d_name, part, memory);
	if (proc)
		closedir(proc);
	if (memory && !fclose(memory) && known)
		return lines;
	free(lines);
	return NULL;
}

/* Not known counts as mapped. */
static bool is_mapped(struct ends *e, const char *name)
{
	const char *slash = strrchr(e->directory, '/');
	char part[NAME_MAX + 2], file[2 * NAME_MAX + 4];

	snprintf(part, sizeof(part), "%.*s/", NAME_MAX, slash ? slash : e->directory);
	if (!e->looked)
		e->mapped = ends_mapped(part);
	e->looked = true;
	snprintf(file, sizeof(file), "%s%.*s", part, NAME_MAX, name);
	return !e->mapped || strstr(e->mapped, file);
}

static bool is_command(const struct ends *e, const struct run_file *files, size_t count, size_t i)
{
	const struct launch *l = e->command;

	if (!l || !l->ended_mono_ns || !l->process_start || files[i].pid != l->pid ||
	    files[i].process_start != l->process_start)
		return false;
	for (size_t later = i + 1; later < count; later++)
		if (files[later].pid == l->pid && files[later].process_start == l->process_start)
			return false;
	return true;
}

void ends_complete(struct ends *e, const struct run_file *files, size_t count, size_t i,
		   struct prof_process *p)
{
	if (p->end_state == SCP_END_EXEC) /* what follows is another program */
		return;
	if (is_command(e, files, count, i)) {
		int status = e->command->status;

		p->end = WIFSIGNALED(status)
				 ? (struct prof_end){SCP_END_SIGNAL, (uint32_t)WTERMSIG(status)}
				 : (struct prof_end){SCP_END_STATUS, (uint32_t)WEXITSTATUS(status)};
		if (p->end_state == SCP_END_RUNNING)
			p->end_mono_ns = e->command->ended_mono_ns;
	} else if (p->end_state == SCP_END_RUNNING) {
		bool lives = run_files_is_live(&files[i]) || is_mapped(e, files[i].name);

		p->end.seen = lives ? SCP_END_LIVED : SCP_END_GONE;
	}
}

void ends_free(struct ends *e)
{
	free(e->mapped);
	e->mapped = NULL;
}
