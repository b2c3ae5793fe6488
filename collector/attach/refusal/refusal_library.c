// SPDX-License-Identifier: GPL-3.0-or-later
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/attach/refusal/refusal_private.h"

#define BUILD_ID_BYTES 64

/* openat2 keeps absolute symbolic links, and "..", below the process's root. */
static int find_there(const struct refusal_process *p, const char *path)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC,
			       .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
	char root[64];
	long fd;

	snprintf(root, sizeof(root), "/proc/%d/root", (int)p->pid);
	int at = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (at < 0)
		return -1;
	fd = syscall(SYS_openat2, at, path, &how, sizeof(how));
	close(at);
	return (int)fd;
}

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
	int found = find_there(p, path);
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
