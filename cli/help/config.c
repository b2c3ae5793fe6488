// SPDX-License-Identifier: GPL-3.0-or-later
/* What may be set is what a command takes, less what is a question rather than a habit. A default
 * becomes a word of the command line, before those that were typed, or a variable where the option
 * has one: commands know the precedence of both already. */
#include "cli/help/commands.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/messages/complaint.h"
#include "profile/base/error.h"
#include "profile/base/given_file.h"
#include "profile/base/array.h"

#define MOST_BYTES (64 * 1024)

/* The place of an error. */
struct reading {
	struct config *c;
	const struct commands *all;
	const char *path;
	unsigned line;
	const struct command *command; /* of the section */
	bool unknown_section;	       /* said once, not for each of its lines */
	const char *from;	       /* who says it */
};

/* 0: what follows is read all the same. */
__attribute__((format(printf, 2, 3))) static int refuse(struct reading *r, const char *format, ...)
{
	char what[700], text[PATH_MAX + 800];

	FORMAT_BY(vsnprintf, what, sizeof(what), format);
	if (r->line)
		snprintf(text, sizeof(text), "%s:%u: %s", r->path, r->line, what);
	else
		snprintf(text, sizeof(text), "%s: %s", r->path, what);
	complaint_print(r->from, text);
	r->c->errors++;
	return 0;
}

static int refuse_unknown(struct reading *r, const char *option)
{
	const char *names[64], *command = r->command->name;
	const char *near = nearest_name(
		option, names, usage_names(r->command->usage, USAGE_TYPED_ONLY, names, 64));

	return refuse(r, "scprof %s has no option --%.60s%s%s%s; scprof %s --help lists them",
		      command, option, near ? "; did you mean '" : "", near ? near : "",
		      near ? "'?" : "", command);
}

/* At the end, whichever was there before: a later line beats earlier ones. */
static struct config_entry *place_of(struct config *c, const struct command *command,
				     const struct usage_entry *option)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->count; i++)
		if (c->entry[i].command != command || c->entry[i].option != option)
			c->entry[kept++] = c->entry[i];
	c->count = kept;
	return ARRAY_APPEND(c->entry, c->count);
}

/* 0, or -1: out of memory. */
static int take_pair(struct reading *r, const char *name, const char *value)
{
	const struct usage_entry *option = usage_find(r->command->usage, name);
	struct config_entry *place;

	if (!option)
		return refuse_unknown(r, name);
	if (option->flags & USAGE_TYPED_ONLY)
		return refuse(r, "--%s is for the command line only: take the line out", name);
	if (!option->argument && strcmp(value, "yes") != 0 && strcmp(value, "no") != 0)
		return refuse(r, "--%s takes no value: write %s = yes, or = no", name, name);
	if (!*value || strlen(value) >= sizeof(place->value))
		return refuse(r, "%s = ... needs a value of 1 to %zu characters", name,
			      sizeof(place->value) - 1);
	place = place_of(r->c, r->command, option);
	if (!place)
		return -1;
	*place = (struct config_entry){r->command, option, "", r->path, r->line};
	strcpy(place->value, value);
	return 0;
}

static int take_section(struct reading *r, char *name)
{
	size_t length = strlen(name);

	r->unknown_section = true;
	if (length < 3 || name[length - 1] != ']')
		return refuse(r, "a section is written [COMMAND], such as [report]");
	name[length - 1] = '\0';
	r->command = commands_find_shown(r->all, name + 1);
	if (!r->command || !r->command->takes_defaults)
		return refuse(r,
			      "no options can be set of '%.60s'; scprof --help lists the commands",
			      name + 1);
	r->unknown_section = false;
	return 0;
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
	line = trim(line);
	if (!*line)
		return 0;
	if (*line == '[')
		return take_section(r, line);
	char *equals = strchr(line, '=');
	if (r->unknown_section)
		return 0;
	if (!equals || !r->command)
		return refuse(r, "%s",
			      equals ? "which command's? A line [COMMAND] goes before"
				     : "neither [COMMAND] nor OPTION = VALUE");
	*equals = '\0';
	char *option = trim(line);
	return take_pair(r, strncmp(option, "--", 2) ? option : option + 2, trim(equals + 1));
}

/* Returns why the file must not be used; NULL: it may be used. */
static const char *unfit(const struct stat *st)
{
	if (st->st_uid != geteuid() && st->st_uid != 0)
		return "belongs to somebody else, and is not read; make it your own (chown), or, "
		       "where sudo -E brought the name along, say SCPROF_CONFIG=/dev/null";
	if (st->st_mode & (S_IWGRP | S_IWOTH))
		return "may be written by others, and is not read; chmod go-w";
	if (st->st_size > MOST_BYTES)
		return "is larger than 64 KiB; that is not a configuration";
	return NULL;
}

/* The text, or NULL: not there (no error), unfit or unreadable (said why). */
static char *read_text(struct reading *r, bool *there)
{
	char *text = NULL;
	struct stat st;
	const char *why;
	int fd = given_file_open(r->path, 0, &st, &why);

	*there = fd >= 0;
	if (fd < 0 && errno != ENOENT && errno != ENOTDIR && errno != EACCES)
		refuse(r, "cannot be read: %s", why);
	if (fd < 0)
		return NULL;
	why = unfit(&st);
	if (why)
		refuse(r, "%s", why);
	else if (!(text = calloc(1, MOST_BYTES + 1)) || read(fd, text, MOST_BYTES) < 0)
		refuse(r, "cannot be read: %s", strerror(errno));
	close(fd);
	return text;
}

/* Reads one file, as above. */
static int config_read_file(struct config *c, const struct commands *all, const char *path,
			    const char *from)
{
	struct config_file *file = &c->file[c->files++];
	struct reading r = {.c = c, .all = all, .path = file->path, .from = from};
	char *at, *line;
	int failed = 0;

	snprintf(file->path, sizeof(file->path), "%s", path);
	if (!strcmp(path, "/dev/null"))
		return 0;
	char *text = at = read_text(&r, &file->there);
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

int config_read(struct config *c, const struct commands *all, const char *from)
{
	const char *only = secure_getenv("SCPROF_CONFIG");
	char path[4000];

	*c = (struct config){0};
	if (only && *only == '/')
		return config_read_file(c, all, only, from);
	if (only && *only) {
		complaint_print(from,
				"SCPROF_CONFIG must be an absolute path, such as /etc/scprof.conf");
		c->errors++;
		return 0;
	}
	if (config_read_file(c, all, CONFIG_SYSTEM, from))
		return -1;
	return user_path(path, sizeof(path)) ? config_read_file(c, all, path, from) : 0;
}

void config_free(struct config *c)
{
	PROF_FREE(c, entry);
	c->count = 0;
}

/* Among options that replace one another, each typed one beats all defaults. */
static bool is_beaten(const struct config_entry *e, int argc, char **argv)
{
	const struct usage *u = e->command->usage;
	bool exclusive = e->option->flags & USAGE_EXCLUSIVE;

	for (const struct usage_entry *o = u->options; o->name; o++)
		if ((o == e->option || (exclusive && o->flags & USAGE_EXCLUSIVE)) &&
		    options_is_typed(u, usage_code(u, o), argc, argv))
			return true;
	return false;
}

/* 0, or -1: out of memory. */
static int add_default(const struct config_entry *e, char **argv, int *argc)
{
	const struct usage_entry *o = e->option;
	struct default_origin origin = {e->file,	 e->line, o->name,
					usage_letter(o), NULL,	  o->variable};

	if (!o->argument && !strcmp(e->value, "no"))
		return 0;
	if (o->variable) {
		if (options_variable(o->variable))
			return 0;
		complaint_note_default(&origin);
		return setenv(o->variable, o->argument ? e->value : "1", 1);
	}
	if (asprintf(&argv[*argc], "--%s%s%s", o->name, o->argument ? "=" : "",
		     o->argument ? e->value : "") < 0)
		return -1;
	origin.word = argv[*argc];
	complaint_note_default(&origin);
	(*argc)++;
	return 0;
}

char **config_apply(const struct config *c, const struct command *command, int *argc, char **argv)
{
	char **all = calloc((size_t)*argc + c->count + 1, sizeof(*all));
	int words = 1;

	if (!all)
		return NULL;
	all[0] = argv[0];
	for (const struct config_entry *e = c->entry; e < c->entry + c->count; e++)
		if (e->command == command && !is_beaten(e, *argc, argv) &&
		    add_default(e, all, &words))
			return NULL;
	for (int i = 1; i < *argc; i++)
		all[words++] = argv[i];
	*argc = words;
	return all;
}
