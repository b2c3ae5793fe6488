// SPDX-License-Identifier: GPL-3.0-or-later
/* /proc shows an ended process in the root group, so it must be known to live. */
#include "collector/displacement/fluid/sched_group.h"

#include <stdio.h>
#include <string.h>

#include "collector/machine/kernel_file.h"

static void read_text(const char *who, const char *name, char *text, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%s/%s", who, name);
	kernel_file_text(path, text, size);
}

/* "cpu" or "cpu,cpuacct", not "cpuset". */
static bool has_cpu(const char *controllers, size_t length)
{
	while (length) {
		size_t word = strcspn(controllers, ",:");

		if (word == 3 && !strncmp(controllers, "cpu", 3))
			return true;
		if (word >= length)
			return false;
		controllers += word + 1;
		length -= word + 1;
	}
	return false;
}

void sched_group_line(const char *cgroup, char *line, size_t size)
{
	*line = '\0';
	for (const char *at = cgroup; *at; at += strcspn(at, "\n"), at += *at == '\n') {
		const char *controllers = strchr(at, ':');
		size_t length = controllers ? strcspn(++controllers, ":\n") : 0;

		if (!controllers)
			return;
		if (length ? has_cpu(controllers, length) : !*line)
			snprintf(line, size, "%.*s", (int)strcspn(at, "\n"), at);
		if (length && has_cpu(controllers, length))
			return;
	}
}

static bool alive(const char *who)
{
	char stat[1024], *end;

	read_text(who, "stat", stat, sizeof(stat));
	end = strrchr(stat, ')');
	return end && end[1] && end[2] != 'Z' && end[2] != 'X';
}

static bool other_session(const char *who)
{
	char enabled[8], own[64], its[64];

	read_text("sys/kernel", "sched_autogroup_enabled", enabled, sizeof(enabled));
	if (*enabled != '1')
		return false;
	read_text("self", "autogroup", own, sizeof(own));
	read_text(who, "autogroup", its, sizeof(its));
	return *own && *its && strcmp(own, its) != 0;
}

static bool other_cgroup(const char *who)
{
	char text[4096], own[1024], its[1024];

	read_text("self", "cgroup", text, sizeof(text));
	sched_group_line(text, own, sizeof(own));
	read_text(who, "cgroup", text, sizeof(text));
	sched_group_line(text, its, sizeof(its));
	return *own && *its && strcmp(own, its) != 0;
}

bool sched_group_differs(pid_t pid)
{
	char who[16];

	snprintf(who, sizeof(who), "%d", (int)pid);
	return (other_session(who) || other_cgroup(who)) && alive(who);
}
