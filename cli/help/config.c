// SPDX-License-Identifier: GPL-3.0-or-later
/* See config.h. What may be set is what --help documents, less what is a question rather than a
 * habit. */
#include "cli/help/config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/nearest.h"
#include "cli/help/usage.h"

#define MOST_BYTES (64 * 1024)

/* A default for these would write over files, or change what is asked. */
static const struct {
	const char *command, *option; /* command NULL: any */
} never[] = {
	{NULL, "help"},
	{NULL, "output"},
	{"plan", "tick"},
	{"plan", "mean"},
	{"plan", "longest"},
	{"plan", "digits"},
	{"plan", "calls"},
	{"plan", "change"},
	{"plan", "share"},
	{"plan", "by"},
	{"symbols", "stubs"},
	{"report", "displacement"},
	{"displace", "loops"},
	{"displace", "confirm"},
	{"displace", "time-limit"},
	{"bench", "subtract-empty"},
	{"bench", "any-status"},
};

/* Where an error is, and whom to tell. */
struct reading {
	struct config *c;
	const char *path;
	unsigned line;
	const struct command *command; /* of the section */
	bool unknown_section;	       /* said once, not for each of its lines */
	void (*complain)(const char *text);
};

__attribute__((format(printf, 2, 3))) static void refuse(struct reading *r, const char *format, ...)
{
	char what[700], text[PATH_MAX + 800];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(what, sizeof(what), format, arguments);
	va_end(arguments);
	if (r->line)
		snprintf(text, sizeof(text), "%s:%u: %s", r->path, r->line, what);
	else
		snprintf(text, sizeof(text), "%s: %s", r->path, what);
	r->complain(text);
	r->c->errors++;
}

static bool is_never(const struct command *command, const char *option)
{
	for (size_t i = 0; i < sizeof(never) / sizeof(*never); i++)
		if ((!never[i].command || !strcmp(never[i].command, command->name)) &&
		    !strcmp(never[i].option, option))
			return true;
	return false;
}

static const char *near_option(const struct command *command, const char *option, char *name,
			       size_t size)
{
	const char *names[64], *usage = command->usage, *near;
	struct usage_item item;
	size_t count = 0;

	while (count < 64 && usage_next(&usage, &item))
		if (item.part == USAGE_OPTION && *item.name && !is_never(command, item.name))
			names[count++] = strdup(item.name);
	near = nearest_name(option, names, count);
	snprintf(name, size, "%s", near ? near : "");
	for (size_t i = 0; i < count; i++)
		free((char *)names[i]);
	return *name ? name : NULL;
}

static void refuse_unknown(struct reading *r, const char *option)
{
	char name[64];
	const char *near = near_option(r->command, option, name, sizeof(name));

	refuse(r, "scprof %s has no option --%.60s%s%s%s; scprof %s --help lists them",
	       r->command->name, option, near ? "; did you mean '" : "", near ? near : "",
	       near ? "'?" : "", r->command->name);
}

/* At the end, whichever was there before: a later line beats earlier ones. */
static struct config_entry *place_of(struct config *c, const struct command *command,
				     const char *option)
{
	struct config_entry *grown;
	size_t kept = 0;

	for (size_t i = 0; i < c->count; i++)
		if (c->entry[i].command != command || strcmp(c->entry[i].option, option) != 0)
			c->entry[kept++] = c->entry[i];
	c->count = kept;
	grown = realloc(c->entry, (c->count + 1) * sizeof(*grown));
	if (!grown)
		return NULL;
	c->entry = grown;
	return &c->entry[c->count++];
}

/* 0, or -1: out of memory. */
static int take_pair(struct reading *r, const char *option, const char *value)
{
	struct config_entry entry = {.command = r->command, .file = r->path, .line = r->line},
			    *place;
	struct usage_item item;

	if (!usage_find(r->command->usage, option, 0, &item)) {
		refuse_unknown(r, option);
		return 0;
	}
	if (is_never(r->command, option)) {
		refuse(r, "--%s is for the command line only: take the line out", option);
		return 0;
	}
	entry.is_switch = !*item.argument;
	if (entry.is_switch && strcmp(value, "yes") != 0 && strcmp(value, "no") != 0) {
		refuse(r, "--%s takes no value: write %s = yes, or = no", option, option);
		return 0;
	}
	if (!*value || strlen(value) >= sizeof(entry.value)) {
		refuse(r, "%s = ... needs a value of 1 to %zu characters", option,
		       sizeof(entry.value) - 1);
		return 0;
	}
	strcpy(entry.option, item.name);
	strcpy(entry.value, value);
	place = place_of(r->c, r->command, option);
	if (!place)
		return -1;
	*place = entry;
	return 0;
}

static void take_section(struct reading *r, char *name)
{
	size_t length = strlen(name);

	r->unknown_section = true;
	if (length < 3 || name[length - 1] != ']') {
		refuse(r, "a section is written [COMMAND], such as [report]");
		return;
	}
	name[length - 1] = '\0';
	r->command = commands_find(name + 1);
	if (!r->command || !r->command->usage || !r->command->takes_defaults)
		refuse(r, "no options can be set of '%.60s'; scprof --help lists the commands",
		       name + 1);
	else
		r->unknown_section = false;
}

/* Blanks at both ends go, and what follows a blank and a #. */
static char *trim(char *text)
{
	text += strspn(text, " \t");
	for (char *at = text; *at; at++)
		if (*at == '#' && (at == text || at[-1] == ' ' || at[-1] == '\t'))
			*at-- = '\0';
	for (size_t length = strlen(text); length && strchr(" \t\r", text[length - 1]); length--)
		text[length - 1] = '\0';
	return text;
}

static int take_line(struct reading *r, char *line)
{
	char *equals, *option;

	line = trim(line);
	if (!*line)
		return 0;
	if (*line == '[') {
		take_section(r, line);
		return 0;
	}
	equals = strchr(line, '=');
	if (r->unknown_section)
		return 0;
	if (!equals || !r->command) {
		refuse(r, "%s",
		       equals ? "which command's? A line [COMMAND] goes before"
			      : "neither [COMMAND] nor OPTION = VALUE");
		return 0;
	}
	*equals = '\0';
	option = trim(line);
	return take_pair(r, strncmp(option, "--", 2) ? option : option + 2, trim(equals + 1));
}

/* Why this file must not say what scprof does; NULL: it may. */
static const char *unfit(const struct stat *st)
{
	if (!S_ISREG(st->st_mode))
		return "is no regular file; name one";
	if (st->st_uid != geteuid() && st->st_uid != 0)
		return "belongs to somebody else, and is not read; make it your own (chown), or, "
		       "where sudo -E brought the name along, say SCPROF_CONFIG=/dev/null";
	if (st->st_mode & (S_IWGRP | S_IWOTH))
		return "may be written by others, and is not read; chmod go-w";
	if (st->st_size > MOST_BYTES)
		return "is larger than 64 KiB; that is no configuration";
	return NULL;
}

/* The text of what is open, or NULL, having said why. */
static char *read_open(struct reading *r, int fd)
{
	const char *why;
	char *text = NULL;
	struct stat st;
	bool known = !fstat(fd, &st);

	why = known ? unfit(&st) : NULL;
	if (why) {
		refuse(r, "%s", why);
		return NULL;
	}
	if (known)
		text = calloc(1, MOST_BYTES + 1);
	if (text && read(fd, text, MOST_BYTES) >= 0)
		return text;
	refuse(r, "cannot be read: %s", strerror(errno));
	free(text);
	return NULL;
}

/* The text, or NULL: not there (no error), unfit or unreadable (said why). */
static char *read_text(struct reading *r, bool *there)
{
	int fd = open(r->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char *text;

	*there = fd >= 0;
	if (fd < 0) {
		if (errno != ENOENT && errno != ENOTDIR && errno != EACCES)
			refuse(r, "cannot be read: %s", strerror(errno));
		return NULL;
	}
	text = read_open(r, fd);
	close(fd);
	return text;
}

int config_read_file(struct config *c, const char *path, void (*complain)(const char *text))
{
	struct config_file *file = &c->file[c->files++];
	struct reading r = {.c = c, .path = file->path, .complain = complain};
	char *text, *at, *line;
	int failed = 0;

	snprintf(file->path, sizeof(file->path), "%s", path);
	if (!strcmp(path, "/dev/null"))
		return 0;
	text = at = read_text(&r, &file->there);
	while (!failed && (line = strsep(&at, "\n"))) {
		r.line++;
		failed = take_line(&r, line);
	}
	free(text);
	return failed;
}

/* The user's file: by the XDG base directory specification, which wants relative paths ignored.
 * false: there is no home either. */
static bool user_path(char *path, size_t size)
{
	const char *base = secure_getenv("XDG_CONFIG_HOME"), *home = secure_getenv("HOME");

	if (base && *base == '/')
		snprintf(path, size, "%s/scprof/config", base);
	else if (home && *home == '/')
		snprintf(path, size, "%s/.config/scprof/config", home);
	else
		return false;
	return true;
}

int config_read(struct config *c, void (*complain)(const char *text))
{
	const char *only = secure_getenv("SCPROF_CONFIG");
	char path[4000];

	*c = (struct config){0};
	if (only && *only == '/')
		return config_read_file(c, only, complain);
	if (only && *only) {
		complain("SCPROF_CONFIG must be an absolute path, such as /etc/scprof.conf");
		c->errors++;
		return 0;
	}
	if (config_read_file(c, CONFIG_SYSTEM, complain))
		return -1;
	return user_path(path, sizeof(path)) ? config_read_file(c, path, complain) : 0;
}

void config_free(struct config *c)
{
	free(c->entry);
	c->entry = NULL;
	c->count = 0;
}
