// SPDX-License-Identifier: GPL-3.0-or-later
/* Files are read, never mapped: one that is cut short meanwhile ends no reader. Each is opened once
 * for all processes; only the search table of its unwind entries is held. */
#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/sample/sample_private.h"
#include "profile/base/array.h"
#include "profile/base/given_file.h"
#include "profile/base/kernel_file.h"

#define MOST_IMAGES  400u /* each has a descriptor */
#define MOST_FRAMES  (1u << 23)
#define BLOCK	     4096u
#define TABLE_OFFSET 12u /* behind four encodings, an address and a count of four bytes each */

struct sample_block {
	uint64_t offset;
	size_t bytes;
	uint8_t data[BLOCK];
};

static size_t read_file(const struct sample_image *i, uint64_t offset, uint8_t *to, size_t bytes)
{
	ssize_t got = pread(i->fd, to, bytes, (off_t)offset);

	return got > 0 ? (size_t)got : 0;
}

/* Little of a file, of which the same is asked for again and again. */
static size_t read_little(const struct sample_image *i, uint64_t offset, uint8_t *to, size_t bytes)
{
	uint64_t into = offset % BLOCK, start = offset - into;
	struct sample_block *b = &i->block[start / BLOCK & (SAMPLE_BLOCKS - 1)];

	if (bytes > BLOCK - into)
		return read_file(i, offset, to, bytes);
	if (b->offset != start || !b->bytes) {
		b->bytes = read_file(i, start, b->data, BLOCK);
		b->offset = start;
	}
	if (into >= b->bytes)
		return 0;
	bytes = bytes < b->bytes - into ? bytes : b->bytes - into;
	memcpy(to, b->data + into, bytes);
	return bytes;
}

size_t image_read(const struct sample_image *i, uint64_t address, void *to, size_t bytes)
{
	for (size_t k = 0; k < i->segments; k++) {
		uint64_t into = address - i->segment[k].address;

		if (into >= i->segment[k].bytes)
			continue;
		if (bytes > i->segment[k].bytes - into)
			bytes = i->segment[k].bytes - into;
		into += i->segment[k].offset;
		if (!i->vdso)
			return i->block && bytes < BLOCK ? read_little(i, into, to, bytes)
							 : read_file(i, into, to, bytes);
		memcpy(to, i->vdso + into, bytes);
		return bytes;
	}
	return 0;
}

static void read_frame_table(struct sample_image *i, uint64_t address)
{
	struct {
		uint8_t version, frame_encoding, count_encoding, table_encoding;
		int32_t frame;
		uint32_t count;
	} h;

	/* as collector/attach/safe_point/objects.c */
	if (i->frame || image_read(i, address, &h, sizeof(h)) != sizeof(h) || h.version != 1 ||
	    h.frame_encoding != 0x1b || h.count_encoding != 0x03 || h.table_encoding != 0x3b ||
	    !h.count || h.count > MOST_FRAMES)
		return;
	size_t bytes = (size_t)h.count * 8;
	i->frame = malloc(bytes);
	if (i->frame && image_read(i, address + TABLE_OFFSET, i->frame, bytes) == bytes)
		i->frames = h.count;
	i->frame_header = address;
}

static void add_segment(struct sample_image *i, const GElf_Phdr *p)
{
	uint64_t end = p->p_vaddr + p->p_memsz;

	if (i->segments == SAMPLE_SEGMENTS || end < p->p_vaddr || end >> 47)
		return;
	if (!i->segments || p->p_vaddr < i->first)
		i->first = p->p_vaddr & ~UINT64_C(4095);
	if (end > i->end)
		i->end = end;
	i->segment[i->segments].offset = p->p_offset;
	i->segment[i->segments].address = p->p_vaddr;
	i->segment[i->segments].bytes = p->p_filesz;
	i->segment[i->segments++].code = p->p_flags & PF_X;
}

/* Where wrappers record calls, and where they let calls pass. */
static void find_wrappers(struct sample_image *i, Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr h;
	size_t names;

	if (i->kind != SAFE_POINT_OURS || elf_getshdrstrndx(elf, &names))
		return;
	while ((section = elf_nextscn(elf, section))) {
		const char *name =
			gelf_getshdr(section, &h) ? elf_strptr(elf, names, h.sh_name) : NULL;

		if (name && !strcmp(name, "scprof_passed")) {
			i->passed = h.sh_addr;
			i->passed_bytes = h.sh_size;
		} else if (name && !strcmp(name, "scprof_recorded")) {
			i->recorded = h.sh_addr;
			i->recorded_bytes = h.sh_size;
		}
	}
}

static void read_elf(struct sample_image *i, Elf *elf)
{
	const void *id = NULL;
	ssize_t bytes = elf ? dwelf_elf_gnu_build_id(elf, &id) : 0;
	size_t count = 0;
	GElf_Phdr p;

	if (!elf || gelf_getclass(elf) != ELFCLASS64 || elf_getphdrnum(elf, &count))
		return;
	for (size_t k = 0; k < count; k++)
		if (gelf_getphdr(elf, (int)k, &p) && p.p_type == PT_LOAD)
			add_segment(i, &p);
	for (size_t k = 0; k < count; k++)
		if (gelf_getphdr(elf, (int)k, &p) && p.p_type == PT_GNU_EH_FRAME)
			read_frame_table(i, p.p_vaddr);
	if (bytes > 0 && bytes <= SCP_BUILD_ID_MAX) {
		memcpy(i->build_id, id, (size_t)bytes);
		i->build_id_bytes = (uint32_t)bytes;
	}
	find_wrappers(i, elf);
}

/* Another file may lie under the name by now. Where devices differ, as they do on overlays, only
 * the name tells. */
static int open_same(const char *path, uint64_t device, uint64_t inode)
{
	struct stat s;
	int fd = given_file_open(path, 0, &s, NULL);

	if (fd >= 0 && (s.st_ino == inode || !inode || s.st_dev != device))
		return fd;
	kernel_file_close(&fd);
	return -1;
}

static void open_image(struct sample_image *i, const char *path, pid_t pid)
{
	const char *name = basename(path);
	char there[4200];
	size_t size;
	Elf *elf;

	if (!strncmp(name, "libscprof", 9) || !strncmp(name, "scprof-symbols", 14))
		i->kind = SAFE_POINT_OURS;
	elf_version(EV_CURRENT);
	if (i->vdso) {
		/* its last page is not to be read beyond what its headers say */
		const Elf64_Ehdr *e = (const void *)i->vdso;

		size = e->e_shoff + (size_t)e->e_shnum * e->e_shentsize;
		elf = elf_memory((char *)(uintptr_t)i->vdso, size);
	} else {
		snprintf(there, sizeof(there), "/proc/%d/root%s", (int)pid, path);
		i->fd = open_same(there, i->device, i->inode);
		i->fd = i->fd < 0 ? open_same(path, i->device, i->inode) : i->fd; /* has ended */
		elf = i->fd < 0 ? NULL : elf_begin(i->fd, ELF_C_READ, NULL);
		i->block = elf ? calloc(SAMPLE_BLOCKS, sizeof(*i->block)) : NULL;
	}
	read_elf(i, elf);
	elf_end(elf);
}

uint32_t image_find(struct sample_images *all, const char *path, uint64_t device, uint64_t inode,
		    pid_t pid)
{
	bool vdso = !strcmp(path, "[vdso]");

	path = vdso ? "linux-vdso.so.1" : path; /* as glibc, and the library, call it */
	for (uint32_t i = all->count; i-- > 0;)
		if (all->image[i].inode == inode && all->image[i].device == device &&
		    !strcmp(all->image[i].path, path))
			return i;
	if ((*path != '/' && !vdso) || all->count == MOST_IMAGES)
		return UINT32_MAX;
	struct sample_image *added = ARRAY_APPEND(all->image, all->count);
	if (!added)
		return UINT32_MAX;
	*added = (struct sample_image){.path = strdup(path),
				       .device = device,
				       .inode = inode,
				       .fd = -1,
				       .vdso = vdso ? (const uint8_t *)getauxval(AT_SYSINFO_EHDR)
						    : NULL};
	if (!added->path) {
		all->count--;
		return UINT32_MAX;
	}
	open_image(added, path, pid);
	return all->count - 1;
}

void image_free(struct sample_images *all)
{
	for (uint32_t i = 0; i < all->count; i++) {
		kernel_file_close(&all->image[i].fd);
		PROF_FREE(&all->image[i], frame, block, places, path);
	}
	free(all->image);
}
