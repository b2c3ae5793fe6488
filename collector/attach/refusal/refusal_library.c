// SPDX-License-Identifier: GPL-3.0-or-later
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "collector/attach/refusal/refusal_private.h"
#include "collector/attach/safe_point/safe_point_private.h"

#define BUILD_ID_BYTES 64
#define VERSION_BYTES  32
#define MOST_VERSIONS  256

/* What was found without opening it is opened only if it is a file. */
static int open_found(int found, struct stat *st)
{
	char name[64];
	int fd = -1;

	if (!fstat(found, st)) {
		errno = EINVAL;
		if (S_ISREG(st->st_mode)) {
			snprintf(name, sizeof(name), "/proc/self/fd/%d", found);
			fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
		}
	}
	int error = errno;
	close(found);
	errno = error;
	return fd;
}

int refusal_library_open(const struct refusal_process *p, const char *path, struct stat *st)
{
	struct as_user_before before;
	int fd = -1;

	if (as_user_begin(&p->owner, &before))
		return -1;
	int found = as_user_open_inside(p->pid, path, O_PATH);
	if (found >= 0)
		fd = open_found(found, st);
	as_user_end(&before);
	return fd;
}

/* The note that the linker wrote; its bytes, or 0. */
static size_t build_id(int fd, unsigned char id[BUILD_ID_BYTES])
{
	Elf *elf = elf_version(EV_CURRENT) ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
	size_t headers = 0, name, from, bytes = 0;
	GElf_Phdr p;
	GElf_Nhdr note;

	if (!elf || elf_getphdrnum(elf, &headers))
		headers = 0;
	for (size_t i = 0; i < headers && !bytes; i++) {
		Elf_Data *data = NULL;

		if (gelf_getphdr(elf, (int)i, &p) && p.p_type == PT_NOTE)
			data = elf_getdata_rawchunk(elf, (int64_t)p.p_offset, p.p_filesz,
						    ELF_T_NHDR);
		for (size_t at = 0; data && (at = gelf_getnote(data, at, &note, &name, &from)) > 0;)
			if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
			    note.n_descsz <= BUILD_ID_BYTES &&
			    !memcmp((const char *)data->d_buf + name, "GNU", 4)) {
				bytes = note.n_descsz;
				memcpy(id, (const char *)data->d_buf + from, bytes);
			}
	}
	elf_end(elf);
	return bytes;
}

static bool is_same(int there, const struct stat *st, int ours)
{
	unsigned char theirs[BUILD_ID_BYTES], own[BUILD_ID_BYTES];
	struct stat us;
	size_t bytes;

	if (!fstat(ours, &us) && us.st_dev == st->st_dev && us.st_ino == st->st_ino)
		return true;
	bytes = build_id(ours, own);
	return bytes && build_id(there, theirs) == bytes && !memcmp(own, theirs, bytes);
}

static int say_not_there(const struct refusal_process *p, bool other_root, const char *path,
			 const char *why, struct profile_error *err)
{
	if (!other_root)
		return refusal_say(p, err,
				   "it cannot open %.150s (%s): install scprof where its user can "
				   "read it, or add --copy-to DIR",
				   path, why);
	return refusal_say(p, err,
			   "in its file system (another mount namespace or root) it has no "
			   "%.150s (%s): add --copy-to DIR (such as /tmp there), or mount scprof's "
			   "directory there",
			   path, why);
}

static const char *reason(int error)
{
	return error == ENOENT ? "missing" : error == EINVAL ? "no file" : strerror(error);
}

int refusal_library_judge(const struct refusal_process *p, bool other_root, const char *as_seen,
			  int ours, struct profile_error *err)
{
	struct statvfs fs;
	struct stat st;
	int there = refusal_library_open(p, as_seen, &st), failed = 0;

	if (there < 0)
		return say_not_there(p, other_root, as_seen, reason(errno), err);
	if (!is_same(there, &st, ours))
		failed = say_not_there(p, other_root, as_seen, "another build", err);
	else if (!fstatvfs(there, &fs) && fs.f_flag & ST_NOEXEC)
		failed = refusal_say(p, err,
				     "%.150s lies on a file system that is mounted noexec there: "
				     "add --copy-to DIR with one that is not",
				     as_seen);
	close(there);
	return failed;
}

/* The versions that libc.so.6 of the process defines are read from its memory: its file may be
 * another by now. Nothing there is trusted: numbers are bounded, texts cut. Where nothing can be
 * read, the loader is left to say no. */
struct versions {
	char name[MOST_VERSIONS][VERSION_BYTES];
	size_t count;
};

static void read_versions(pid_t pid, uint64_t base, struct versions *v)
{
	struct safe_point_object o;
	Elf64_Verdef definition;
	Elf64_Verdaux name;

	v->count = 0;
	if (!objects_read_tables(&o, pid, base) || !o.definitions)
		return;
	for (uint64_t i = 0, at = o.definitions; i < o.definition_count && v->count < MOST_VERSIONS;
	     i++) {
		char *text = v->name[v->count];

		if (!memory_read(pid, at, &definition, sizeof(definition)) ||
		    !memory_read(pid, at + definition.vd_aux, &name, sizeof(name)) ||
		    !memory_read(pid, o.strings + name.vda_name, text, VERSION_BYTES - 1))
			break;
		text[VERSION_BYTES - 1] = '\0';
		v->count++;
		if (!definition.vd_next)
			break;
		at += definition.vd_next;
	}
}

static bool has_version(const struct versions *v, const char *name)
{
	for (size_t i = 0; i < v->count; i++)
		if (!strcmp(v->name[i], name))
			return true;
	return false;
}

/* GLIBC_2.35 as 2035; 0: no such number. */
static unsigned rank(const char *version)
{
	unsigned major = 0, minor = 0;

	return sscanf(version, "GLIBC_%3u.%3u", &major, &minor) == 2 ? major * 1000 + minor : 0;
}

static unsigned newest(const struct versions *v)
{
	unsigned most = 0;

	for (size_t i = 0; i < v->count; i++)
		if (rank(v->name[i]) > most)
			most = rank(v->name[i]);
	return most;
}

/* The newest version that the library needs of libc.so.6 and that is not there, or "". */
static void find_missing(Elf *elf, const GElf_Shdr *header, Elf_Data *data,
			 const struct versions *v, char missing[VERSION_BYTES])
{
	GElf_Verneed need;
	GElf_Vernaux one;

	for (int at = 0; data && gelf_getverneed(data, at, &need); at += (int)need.vn_next) {
		const char *file = elf_strptr(elf, header->sh_link, need.vn_file);
		int aux = at + (int)need.vn_aux;

		for (int i = 0; file && !strcmp(file, "libc.so.6") && i < need.vn_cnt &&
				gelf_getvernaux(data, aux, &one);
		     i++, aux += (int)one.vna_next) {
			const char *name = elf_strptr(elf, header->sh_link, one.vna_name);

			if (name && !(one.vna_flags & VER_FLG_WEAK) && !has_version(v, name) &&
			    rank(name) >= rank(missing))
				snprintf(missing, VERSION_BYTES, "%s", name);
		}
		if (!need.vn_next)
			break;
	}
}

int refusal_library_versions(const struct refusal_process *p, uint64_t libc, int library,
			     struct profile_error *err)
{
	struct versions *v = malloc(sizeof(*v));
	Elf *elf = elf_version(EV_CURRENT) ? elf_begin(library, ELF_C_READ, NULL) : NULL;
	char missing[VERSION_BYTES] = "";
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	unsigned has = 0;

	if (v)
		read_versions(p->pid, libc, v);
	while (v && v->count && elf && (section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_GNU_verneed)
			find_missing(elf, &header, elf_getdata(section, NULL), v, missing);
	if (v)
		has = newest(v);
	elf_end(elf);
	free(v);
	if (!*missing)
		return 0;
	return refusal_say(p, err,
			   "its glibc is older than this libscprof.so needs: it has symbols up to "
			   "GLIBC_%u.%u, not %s: use a scprof that was built on a system as old",
			   has / 1000, has % 1000, missing);
}
