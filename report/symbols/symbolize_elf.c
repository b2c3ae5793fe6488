// SPDX-License-Identifier: GPL-3.0-or-later
#include <elfutils/libdwelf.h>
#include <endian.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <unistd.h>
#include <zlib.h>

#include "report/symbols/symbolize_private.h"
#include "report/wording/utf8.h"
#include "profile/base/given_file.h"

static bool take(struct symbolize_files *f, uint64_t *taken, uint64_t more, uint64_t most)
{
	if (more > most - *taken) {
		f->left_out = true;
		return false;
	}
	*taken += more;
	return true;
}

bool symbolize_open_spend(struct symbolize_files *f, uint64_t bytes)
{
	return take(f, &f->spent, bytes, f->guarded ? SYMBOLIZE_MOST_GUARDED : SYMBOLIZE_MOST);
}

bool symbolize_open_step(struct symbolize_files *f, uint64_t steps)
{
	return take(f, &f->steps, steps,
		    f->guarded ? SYMBOLIZE_MOST_STEPS_GUARDED : SYMBOLIZE_MOST_STEPS);
}

bool symbolize_open_ask(struct symbolize_files *f)
{
	const char *servers = getenv("DEBUGINFOD_URLS");

	return !servers || !*servers || symbolize_open_spend(f, SYMBOLIZE_QUESTION);
}

/* Files of /proc are regular and empty, and to read one may have effects, too. */
static bool is_allowed(const struct symbolize_files *f, const struct stat *st)
{
	return S_ISREG(st->st_mode) && st->st_size > 0 &&
	       (!f->guarded || (!st->st_uid && st->st_mode & S_IROTH));
}

int symbolize_open(struct symbolize_files *f, struct stat *st, const char *format, ...)
{
	va_list args;
	char *path;

	va_start(args, format);
	int place = vasprintf(&path, format, args);
	va_end(args);
	if (place < 0)
		return -1;
	place = given_file_find(path, 0, st);
	free(path);
	if (place < 0)
		return -1;
	if (is_allowed(f, st) && symbolize_open_spend(f, SYMBOLIZE_LOOK))
		return given_file_open_found(place);
	close(place);
	return -1;
}

bool symbolize_open_is_allowed(const struct symbolize_files *f, int fd, struct stat *st)
{
	return fstat(fd, st) == 0 && is_allowed(f, st);
}

static char *read_text(int fd, uint64_t *bytes)
{
	char *text = malloc(*bytes + 1);
	uint64_t at = 0;
	ssize_t got = 1;

	while (text && at < *bytes && (got = read(fd, text + at, *bytes - at)) > 0)
		at += (uint64_t)got;
	if (text)
		text[at] = '\0';
	*bytes = at;
	return text;
}

enum symbolize_map symbolize_open_read_map(struct symbolize_files *f, const char *path, uid_t owner,
					   uint64_t since_ns, char **text, uint64_t *bytes)
{
	struct stat st;
	int fd = given_file_find(path, O_NOFOLLOW, &st);

	*text = NULL;
	if (fd < 0)
		return SYMBOLIZE_MAP_NONE;
	uint64_t written = (uint64_t)st.st_mtim.tv_sec * 1000000000u + (uint64_t)st.st_mtim.tv_nsec;
	if (!S_ISREG(st.st_mode) || st.st_uid != owner || written < since_ns) {
		close(fd);
		return SYMBOLIZE_MAP_REFUSED;
	}
	fd = given_file_open_found(fd);
	if (fd < 0)
		return SYMBOLIZE_MAP_NONE;
	*bytes = (uint64_t)st.st_size;
	if (symbolize_open_spend(f, SYMBOLIZE_LOOK + *bytes))
		*text = read_text(fd, bytes);
	close(fd);
	return *text ? SYMBOLIZE_MAP_READ : SYMBOLIZE_MAP_NONE;
}

int symbolize_open_memory(struct symbolize_files *f, uint64_t bytes)
{
	struct rlimit largest;

	if (getrlimit(RLIMIT_FSIZE, &largest) < 0 || bytes > largest.rlim_cur) {
		f->left_out = true;
		return -1;
	}
	return memfd_create("names", MFD_CLOEXEC);
}

/* Such a copy of a file. -1: the file is shorter, or out of memory. The caller has spent the bytes.
 */
static int symbolize_open_copy(struct symbolize_files *f, int from, uint64_t bytes)
{
	int copy = symbolize_open_memory(f, bytes);
	off_t at = 0;
	ssize_t got = 1;

	while (copy >= 0 && (uint64_t)at < bytes && got > 0)
		got = sendfile(copy, from, &at, bytes - (uint64_t)at);
	if (copy < 0 || (uint64_t)at == bytes)
		return copy;
	close(copy);
	return -1;
}

/* ELF_C_READ reads, and does not map. Where a file has very many sections or segments their number
 * stands elsewhere: no program or library has so many, and libelf would take memory for what a file
 * claims. */
static Elf *begin(int fd, GElf_Ehdr *head)
{
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, head) &&
	    head->e_phnum != PN_XNUM &&
	    (head->e_shnum ? head->e_shoff >= head->e_ehsize : !head->e_shoff))
		return elf;
	elf_end(elf);
	return NULL;
}

bool symbolize_elf_has_build_id(int copy, const uint8_t *build_id, uint32_t bytes)
{
	GElf_Ehdr head;
	Elf *elf = begin(copy, &head);
	const void *found;
	bool same = elf && dwelf_elf_gnu_build_id(elf, &found) == (ssize_t)bytes &&
		    !memcmp(found, build_id, bytes);

	elf_end(elf);
	return same;
}

/* The bytes that libelf adds when it decompresses a section: it believes what the section says. */
static uint64_t unpacked_bytes(Elf_Scn *section, const GElf_Shdr *shdr, const char *name)
{
	GElf_Chdr compressed;
	uint64_t bytes;
	Elf_Data *data;

	if (shdr->sh_flags & SHF_COMPRESSED)
		return gelf_getchdr(section, &compressed) ? compressed.ch_size : 0;
	if (strncmp(name, ".z", 2) != 0)
		return 0;
	data = elf_rawdata(section, NULL); /* "ZLIB" and the size */
	if (!data || !data->d_buf || data->d_size < 12)
		return 0;
	memcpy(&bytes, (const char *)data->d_buf + 4, sizeof(bytes));
	return be64toh(bytes);
}

/* libdw would open the path in a link to a shared file (dwz), wherever it leads. A small table of
 * symbols, compressed with LZMA, does not say how large it will be: that of another user's file is
 * not read. libdw unpacks the places of variables and macros as soon as it opens a file, and nobody
 * asks for them. */
static bool is_hidden(const char *name, const struct stat *st)
{
	if (!strcmp(name, ".gnu_debugdata"))
		return st->st_uid && st->st_uid != geteuid();
	return strstr(name, "gnu_debugaltlink") || strstr(name, "debug_loc") ||
	       strstr(name, "debug_macro");
}

/* Nobody finds a section without its name. */
static bool hide(int copy, Elf *elf, const GElf_Ehdr *head, Elf_Scn *section)
{
	static const uint32_t none;
	uint64_t at =
		head->e_shoff + elf_ndxscn(section) * gelf_fsize(elf, ELF_T_SHDR, 1, EV_CURRENT);

	return pwrite(copy, &none, sizeof(none), (off_t)at) == sizeof(none);
}

static bool prepare(struct symbolize_files *f, int copy, const struct stat *st)
{
	GElf_Ehdr head;
	Elf *elf = begin(copy, &head);
	Elf_Scn *section = NULL;
	GElf_Shdr shdr;
	size_t names;
	bool done = elf && elf_getshdrstrndx(elf, &names) == 0;

	while (done && (section = elf_nextscn(elf, section)) != NULL) {
		const char *name =
			gelf_getshdr(section, &shdr) ? elf_strptr(elf, names, shdr.sh_name) : NULL;

		if (!name)
			continue;
		done = is_hidden(name, st)
			       ? hide(copy, elf, &head, section)
			       : symbolize_open_spend(f, unpacked_bytes(section, &shdr, name));
	}
	elf_end(elf);
	return done;
}

int symbolize_elf_copy(struct symbolize_files *f, int fd, const struct stat *st)
{
	uint64_t bytes = (uint64_t)st->st_size;
	GElf_Ehdr head;
	Elf *elf = begin(fd, &head);
	int copy = elf && symbolize_open_spend(f, bytes) ? symbolize_open_copy(f, fd, bytes) : -1;

	elf_end(elf);
	if (copy >= 0 && !prepare(f, copy, st)) {
		close(copy);
		return -1;
	}
	return copy;
}

/* The proof that a file is the right one: the build-id, or where there is none the CRC. */
struct proof {
	const unsigned char *build_id;
	int bytes; /* of it */
	GElf_Word crc;
};

static bool has_crc(int fd, GElf_Word wanted)
{
	uint8_t part[1 << 14];
	uLong crc = crc32(0, NULL, 0);
	off_t at = 0;
	ssize_t got;

	while ((got = pread(fd, part, sizeof(part), at)) > 0) {
		crc = crc32(crc, part, (uInt)got);
		at += got;
	}
	return crc == wanted;
}

/* A copy of the open file, which is closed, if it is the right one; -1: it is not. */
static int copy_proven(const struct symbolize_debug *d, const struct proof *p, int fd,
		       const struct stat *st)
{
	int copy = st->st_dev != d->device || st->st_ino != d->inode
			   ? symbolize_elf_copy(d->files, fd, st)
			   : -1;

	if (copy >= 0 &&
	    !(p->bytes > 0 ? symbolize_elf_has_build_id(copy, p->build_id, (uint32_t)p->bytes)
			   : has_crc(fd, p->crc))) {
		close(copy);
		copy = -1;
	}
	close(fd);
	return copy;
}

/* In the folder of the file itself, and in .debug/ there. */
static int try_beside(const struct symbolize_debug *d, const struct proof *p, const char *link)
{
	const char *name = base_name(d->path);
	int folder = (int)(name - d->path), copy = -1;
	struct stat st;

	for (int i = 0; folder >= 1 && i < 2 && copy < 0; i++) {
		int fd = symbolize_open(d->files, &st, "%.*s%s%s%s", folder, d->path,
					i ? ".debug/" : "", link ? link : name,
					link ? "" : ".debug");

		copy = fd < 0 ? -1 : copy_proven(d, p, fd, &st);
	}
	return copy;
}

int symbolize_debug_find(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
			 const char *file, const char *link, GElf_Word crc, char **found)
{
	struct symbolize_debug *d = *userdata;
	struct proof p = {.crc = crc};
	GElf_Addr where;
	int fd = -1;

	if (!d->found) {
		p.bytes = dwfl_module_build_id(module, &p.build_id, &where);
		if ((p.bytes <= 0 && !link) || (link && strchr(link, '/')))
			return -1; /* nothing to prove it by, or a path that may lead anywhere */
		fd = try_beside(d, &p, link);
	}
	if (fd < 0 && symbolize_open_ask(d->files))
		fd = dwfl_standard_find_debuginfo(module, userdata, name, base, file, link, crc,
						  found);
	if (fd >= 0 && p.bytes > 0 &&
	    !symbolize_elf_has_build_id(fd, p.build_id, (uint32_t)p.bytes)) {
		close(fd); /* a server's answer */
		return -1;
	}
	d->found |= fd >= 0;
	return fd;
}
