// SPDX-License-Identifier: GPL-3.0-or-later
/* What ld.so does, without its cache and LD_LIBRARY_PATH: those are of this machine. */
#include "collector/select/library_needed.h"

#include <fcntl.h>
#include <gelf.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile/base/error.h"
#include "profile/base/given_file.h"

/* An object while its entries are followed. */
struct search {
	const char *root;
	const char *object; /* its path */
	GElf_Half machine;
	Elf_Data *dynamic;
	Elf *elf;
	size_t strings; /* index of the section of its strings */
	struct library_closure *out;
	struct profile_error *err;
};

static Elf *open_elf(const char *path, int *fd, GElf_Ehdr *header)
{
	*fd = given_file_open(path, 0, NULL, NULL);
	Elf *elf = *fd < 0 || elf_version(EV_CURRENT) == EV_NONE ? NULL
								 : elf_begin(*fd, ELF_C_READ, NULL);

	if (elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, header))
		return elf;
	if (elf)
		elf_end(elf);
	if (*fd >= 0)
		close(*fd);
	return NULL;
}

static bool is_of_machine(const char *path, GElf_Half machine)
{
	GElf_Ehdr header;
	int fd;
	Elf *elf = open_elf(path, &fd, &header);

	if (!elf)
		return false;
	elf_end(elf);
	close(fd);
	return header.e_machine == machine && header.e_type == ET_DYN;
}

/* The first file that matches and is of the machine. */
static bool find_glob(const char *pattern, GElf_Half machine, char *path)
{
	glob_t found;
	bool is_found = false;

	if (glob(pattern, 0, NULL, &found))
		return false;
	for (size_t i = 0; i < found.gl_pathc && !is_found; i++)
		is_found = is_of_machine(found.gl_pathv[i], machine) &&
			   realpath(found.gl_pathv[i], path);
	globfree(&found);
	return is_found;
}

/* In a list of directories, as DT_RUNPATH has it. */
static bool find_in_list(const struct search *s, const char *list, const char *name, char *path)
{
	const char *slash = strrchr(s->object, '/');

	for (const char *at = list; at && *at; at += strspn(at, ":")) {
		char pattern[3 * PATH_MAX];
		int length = (int)strcspn(at, ":");
		bool origin = !strncmp(at, "$ORIGIN", 7) && length >= 7;

		if (origin)
			snprintf(pattern, sizeof(pattern), "%.*s%.*s/%s",
				 slash ? (int)(slash - s->object) : 1, slash ? s->object : ".",
				 length - 7, at + 7, name);
		else
			snprintf(pattern, sizeof(pattern), "%s/%.*s/%s", s->root, length, at, name);
		if (find_glob(pattern, s->machine, path))
			return true;
		snprintf(pattern, sizeof(pattern), "%.*s/%s", length, at, name);
		if (!origin && find_glob(pattern, s->machine, path))
			return true;
		at += length;
	}
	return false;
}

static bool find_below_root(const struct search *s, const char *name, char *path)
{
	static const char *const folders[] = {
		"lib",	 "usr/lib",   "lib/*-linux-gnu", "usr/lib/*-linux-gnu",
		"lib64", "usr/lib64", "usr/local/lib"};

	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		char pattern[2 * PATH_MAX];

		snprintf(pattern, sizeof(pattern), "%s/%s/%s", s->root, folders[i], name);
		if (find_glob(pattern, s->machine, path))
			return true;
	}
	return false;
}

static const char *dynamic_text(const struct search *s, GElf_Sxword tag, int *at)
{
	GElf_Dyn d;

	for (; gelf_getdyn(s->dynamic, *at, &d) && d.d_tag != DT_NULL; ++*at)
		if (d.d_tag == tag)
			return elf_strptr(s->elf, s->strings, d.d_un.d_val);
	return NULL;
}

static int add(struct search *s, const char *path)
{
	for (size_t i = 0; i < s->out->paths; i++)
		if (!strcmp(s->out->path[i], path))
			return 0;
	if (!library_closure_add(s->out, path))
		return 0;
	error_set(s->err, "out of memory");
	return -1;
}

static int follow_entries(struct search *s)
{
	char path[PATH_MAX];
	int failed = 0, rpath_at = 0, runpath_at = 0;
	const char *rpath = dynamic_text(s, DT_RPATH, &rpath_at);
	const char *runpath = dynamic_text(s, DT_RUNPATH, &runpath_at), *name;

	for (int at = 0; !failed && (name = dynamic_text(s, DT_NEEDED, &at)); at++) {
		if (library_closure_is_loader(name))
			continue;
		if (find_in_list(s, rpath, name, path) || find_in_list(s, runpath, name, path) ||
		    find_below_root(s, name, path)) {
			failed = add(s, path);
			continue;
		}
		error_set(s->err,
			  "%.200s needs %.100s, which is not found for its processor below\n"
			  "%.200s: name the folder that has its lib and usr/lib",
			  s->object, name, s->root);
		failed = -1;
	}
	return failed;
}

static int follow(struct search *s)
{
	GElf_Ehdr header;
	GElf_Shdr h;
	Elf_Scn *section = NULL;
	int fd, failed = 0;

	s->elf = open_elf(s->object, &fd, &header);
	if (!s->elf) {
		error_set(s->err, "%.300s cannot be read as ELF", s->object);
		return -1;
	}
	s->machine = header.e_machine;
	while (!failed && (section = elf_nextscn(s->elf, section)))
		if (gelf_getshdr(section, &h) && h.sh_type == SHT_DYNAMIC &&
		    (s->dynamic = elf_getdata(section, NULL))) {
			s->strings = h.sh_link;
			failed = follow_entries(s);
		}
	elf_end(s->elf);
	close(fd);
	return failed;
}

int library_needed_find(const char *program, const char *root, struct library_closure *out,
			struct profile_error *err)
{
	struct search s = {.root = root, .object = program, .out = out, .err = err};
	int failed;

	*out = (struct library_closure){0};
	failed = follow(&s);
	for (size_t i = 0; i < out->paths && !failed; i++) {
		s.object = out->path[i];
		failed = follow(&s);
	}
	return failed;
}
