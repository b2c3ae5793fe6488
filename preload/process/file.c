// SPDX-License-Identifier: Apache-2.0
/* Creating and growing the profile file; every failure ends in recording less.
 *
 * A page that is written to must be there: a chunk's pages are made by one system call when it
 * begins, rather than by a fault each. On tmpfs that reserves them, too: there fallocate takes 0.3
 * us a page, 6 ms for the largest region. */
#include <errno.h>
#include <linux/magic.h>
#include <sys/resource.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include "preload/process/file.h"
#include "preload/system/stack.h"
#include "preload/system/sys.h"

#define SEVERAL_TABLES 4u
#define REGION_MAX     (64u << 20)
#define LEAST_FILLED   (64u << 10)     /* bytes of a chunk whose thread takes many paths */
#define FIRST_BYTES    FILE_LEFT_BYTES /* there when the file begins: names of functions and so on */
#define KEPT_BYTES     (16u << 20)     /* for who may not open the file again: 100 busy threads */

static int limit_of(int resource, uint64_t *soft)
{
	struct rlimit64 limit;
	long r = sys4(SYS_prlimit64, 0, resource, 0, &limit);
	*soft = r == 0 ? limit.rlim_cur : 0;
	return (int)r;
}

static uint64_t taken, taken_freely; /* of the address space; while it had no limit */

/* All that we map under a limit is kept below 1/32 of it. */
bool file_address_space_allows(uint64_t bytes)
{
	uint64_t limit;
	if (limit_of(RLIMIT_AS, &limit) != 0)
		return false;
	uint64_t total = __atomic_add_fetch(&taken, bytes, __ATOMIC_RELAXED);
	if (limit == RLIM64_INFINITY)
		__atomic_store_n(&taken_freely, total, __ATOMIC_RELAXED);
	if (limit == RLIM64_INFINITY ||
	    total <= limit / 32 + __atomic_load_n(&taken_freely, __ATOMIC_RELAXED))
		return true;
	file_address_space_return(bytes);
	return false;
}

void file_address_space_return(uint64_t bytes)
{
	__atomic_sub_fetch(&taken, bytes, __ATOMIC_RELAXED);
}

int file_check_size(uint64_t bytes)
{
	uint64_t limit;
	if (limit_of(RLIMIT_FSIZE, &limit) != 0)
		return -EPERM;
	return limit != RLIM64_INFINITY && bytes > limit ? -EFBIG : 0;
}

/* Reserve disk space for [from, from + bytes). */
static int reserve(int fd, uint64_t from, uint64_t bytes)
{
	static const char zeros[512];
	long r = sys_fallocate(fd, from, bytes);
	if (r != -EOPNOTSUPP && r != -ENOSYS)
		return (int)r;
	for (uint64_t at = from; at < from + bytes; at += sizeof zeros) {
		r = sys_pwrite(fd, zeros, sizeof zeros, at);
		if (r != (long)sizeof zeros)
			return r < 0 ? (int)r : -ENOSPC;
	}
	return 0;
}

static int map_region(int fd, uint64_t from, uint64_t bytes, bool sparse, uint8_t **out)
{
	if (!file_address_space_allows(bytes))
		return -ENOMEM;
	int r = file_check_size(from + bytes);
	if (r == 0)
		r = sparse ? (int)sys_lengthen(fd, from + bytes) : reserve(fd, from, bytes);
	if (r == 0) {
		*out = sys_mmap(bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, from);
		if (sys_failed(*out))
			r = (int)(intptr_t)*out;
		else /* what is read ahead of a new file is zeros, up to megabytes of them */
			sys_madvise(*out, bytes, MADV_RANDOM);
	}
	if (r != 0)
		file_address_space_return(bytes);
	return r;
}

/* Memory of its own for each page, as if each had been written to: one system call instead of a
 * fault a page. -EINVAL: the kernel has none (before 5.14). Where a write would be a SIGBUS the
 * disk is full. */
static int populate(uint8_t *at, uint64_t bytes)
{
	long r = sys_madvise(at, bytes, 23 /* MADV_POPULATE_WRITE */);
	return r == -EFAULT ? -ENOSPC : (int)r;
}

static int map_first(struct profile_file *f, uint64_t bytes, uint8_t **out)
{
	struct statfs fs;
	/* A disk has a device number of its own, tmpfs has not. */
	f->sparse = major(f->device) == 0 && sys2(SYS_fstatfs, f->fd, &fs) == 0 &&
		    fs.f_type == TMPFS_MAGIC;
	int r = map_region(f->fd, 0, bytes, f->sparse, out);
	if (r != 0 || !f->sparse)
		return r;
	if (populate(*out, bytes < FIRST_BYTES ? bytes : FIRST_BYTES) != 0) {
		f->sparse = false; /* the kernel cannot, or the disk is full */
		r = reserve(f->fd, 0, bytes);
	}
	if (r != 0) {
		sys_munmap(*out, bytes);
		file_address_space_return(bytes);
	}
	return r;
}

int file_create(struct profile_file *f, const struct file_wish *w, uint64_t bytes)
{
	uint8_t *address;
	*f = (struct profile_file){.pid = (uint32_t)w->pid};
	f->fd = file_name_open_new(f, w);
	if (f->fd < 0)
		return f->fd;
	int r = file_name_identify(f, f->fd);
	if (r == 0)
		r = map_first(f, bytes, &address);
	if (r != 0) {
		file_abandon(f);
		return r;
	}
	f->header = (struct scp_header *)address;
	f->region[0] = (struct file_region){address + SCP_HEADER_BYTES, SCP_HEADER_BYTES,
					    bytes - SCP_HEADER_BYTES, 0};
	f->regions = 1;
	f->header->regions[0] = (struct scp_region){SCP_HEADER_BYTES, bytes - SCP_HEADER_BYTES, 0};
	f->header->region_count = 1;
	return 0;
}

void file_abandon(struct profile_file *f)
{
	if (f->header)
		file_unmap(f, 0);
	sys_close(f->fd);
	f->fd = -1;
	if (*f->path)
		sys_unlink(f->path);
}

static int add_region(struct profile_file *f, uint64_t bytes)
{
	struct scp_header *h = f->header;
	uint32_t n = f->regions;
	if (n >= SCP_MAX_REGIONS)
		return -EFBIG;
	const struct file_region *last = &f->region[n - 1];
	uint64_t offset = last->offset + last->bytes, size = 2 * last->bytes;
	size = size > REGION_MAX ? REGION_MAX : size;
	size = size < bytes ? bytes : size;
	size = (size + ARCH_PAGE_MAX - 1) &
	       ~(uint64_t)(ARCH_PAGE_MAX - 1); /* the next one's offset */
	uint8_t *address;
	long fd = f->fd >= 0 ? f->fd : sys_open(f->path, O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0);
	if (fd < 0)
		return (int)fd;
	int r = file_name_identify(f, (int)fd);
	if (r == 0)
		r = map_region((int)fd, offset, size, f->sparse, &address);
	if (fd != f->fd)
		sys_close((int)fd);
	if (r != 0)
		return r;
	f->region[n] = (struct file_region){address, offset, size, 0};
	h->regions[n] = (struct scp_region){offset, size, 0};
	publish_barrier();
	__atomic_store_n(&h->region_count, n + 1, __ATOMIC_RELEASE);
	__atomic_store_n(&f->regions, n + 1, __ATOMIC_RELEASE);
	return 0;
}

/* Did the file fail to grow a moment ago? One of several threads counts down, lest it pass below
 * zero. */
static bool backs_off(struct profile_file *f)
{
	uint32_t wait = __atomic_load_n(&f->backoff, __ATOMIC_RELAXED);
	if (wait)
		__atomic_compare_exchange_n(&f->backoff, &wait, wait - 1, false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED);
	return wait;
}

static void note_failure(struct profile_file *f, int error)
{
	f->header->losses.growth_failures++;
	f->header->losses.growth_errno = (uint32_t)error;
	f->failures += f->failures < 16;
	f->backoff = 1u << f->failures;
}

static COLD bool add_region_alone(struct profile_file *f, uint64_t bytes)
{
	uint64_t signals;
	int r = -EAGAIN;
	sys_hold_signals(&signals);
	if (flag_take(&f->growing)) {
		r = add_region(f, bytes);
		if (r != 0)
			note_failure(f, -r);
		flag_give(&f->growing);
	}
	sys_release_signals(&signals);
	return r == 0;
}

/* One thread grows; the others, and a file that failed to grow a moment ago, go without. In a small
 * frame, as the stack may be small. */
static COLD bool grow(struct profile_file *f, uint64_t bytes)
{
	if (backs_off(f) || sys_sandboxed || stack_room() < STACK_TO_GROW)
		return false;
	return add_region_alone(f, bytes);
}

/* At most half of what a limit of the address space leaves: paths need room, too. */
void file_keep_room(struct profile_file *f)
{
	const struct file_region *last = f->regions ? &f->region[f->regions - 1] : NULL;
	if (!f->header || !f->sparse || !last || last->bytes - last->used >= KEPT_BYTES / 2)
		return;
	uint64_t least = 2 * last->bytes, bytes = least > KEPT_BYTES ? least : KEPT_BYTES;
	while (!file_address_space_allows(2 * bytes)) {
		bytes /= 2;
		if (bytes < least)
			return;
	}
	file_address_space_return(2 * bytes);
	grow(f, bytes);
}

/* Is there memory for the chunk? Where no system call may be made all of it is there already; and a
 * small one is seldom filled. */
static bool chunk_is_there(struct profile_file *f, uint8_t *at, uint64_t bytes)
{
	if (sys_sandboxed || (!f->sparse && bytes < LEAST_FILLED))
		return true;
	if (f->sparse && backs_off(f))
		return false;
	int r = populate(at, bytes);
	if (r == 0 || !f->sparse)
		return true;
	note_failure(f, -r);
	return false;
}

static uint8_t *take_of(struct profile_file *f, uint32_t n, uint64_t bytes)
{
	struct file_region *region = &f->region[n];
	uint64_t used = __atomic_load_n(&region->used, __ATOMIC_RELAXED);
	do {
		if (used + bytes > region->bytes)
			return NULL;
	} while (!__atomic_compare_exchange_n(&region->used, &used, used + bytes, false,
					      __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	__atomic_add_fetch(&f->header->regions[n].used, bytes, __ATOMIC_RELAXED);
	if (likely(chunk_is_there(f, region->at + used, bytes)))
		return region->at + used;
	uint64_t end = used + bytes; /* nobody took more meanwhile, or it stays unused */
	if (__atomic_compare_exchange_n(&region->used, &end, used, false, __ATOMIC_RELAXED,
					__ATOMIC_RELAXED))
		__atomic_sub_fetch(&f->header->regions[n].used, bytes, __ATOMIC_RELAXED);
	return NULL;
}

/* What is left of the region before the last comes first. */
static uint8_t *take(struct profile_file *f, uint64_t bytes)
{
	uint32_t regions = __atomic_load_n(&f->regions, __ATOMIC_ACQUIRE);
	uint8_t *at = regions > 1 ? take_of(f, regions - 2, bytes) : NULL;
	if (!at && regions) /* 0: a forked child that could make no file of its own */
		at = take_of(f, regions - 1, bytes);
	return at;
}

/* Another thread made it, or the disk is full. */
static bool has_room(const struct profile_file *f, uint64_t bytes)
{
	uint32_t regions = __atomic_load_n(&f->regions, __ATOMIC_ACQUIRE);
	return regions && __atomic_load_n(&f->region[regions - 1].used, __ATOMIC_RELAXED) + bytes <=
				  f->region[regions - 1].bytes;
}

/* Several threads would find no room while one of them grows the file. */
static bool grows_ahead(const struct profile_file *f)
{
	const struct file_region *last = &f->region[f->regions - 1];
	return __atomic_load_n(&f->tables, __ATOMIC_RELAXED) >= SEVERAL_TABLES &&
	       __atomic_load_n(&last->used, __ATOMIC_RELAXED) > last->bytes / 2;
}

static void begin_chunk(struct file_chunk *c, uint8_t *at, uint32_t magic, uint64_t bytes,
			uint32_t type, uint32_t table)
{
	struct scp_chunk *chunk = (struct scp_chunk *)at;
	chunk->type = type;
	chunk->bytes = bytes;
	chunk->used = sizeof *chunk;
	chunk->table = table;
	publish_barrier();
	__atomic_store_n(&chunk->magic, magic, __ATOMIC_RELEASE);
	/* In this order nothing is put beyond its end, wherever a handler leaves us. */
	c->bytes = 0;
	compiler_barrier();
	c->chunk = chunk;
	c->used = sizeof *chunk;
	compiler_barrier();
	c->bytes = bytes;
}

/* A handler that leaves while the memory is made, which takes up to a millisecond, would have it
 * made again each time, and the file grow. One frame, as the stack may be small. */
static bool make_chunk(struct profile_file *f, struct file_chunk *c, uint32_t magic, uint64_t bytes,
		       uint32_t type, uint32_t table)
{
	uint64_t signals;
	if (!f->header)
		return false;
	sys_hold_signals(&signals);
	uint8_t *at = take(f, bytes);
	if (!at && (has_room(f, bytes) || grow(f, bytes)))
		at = take(f, bytes);
	if (at && unlikely(grows_ahead(f)))
		grow(f, bytes);
	if (at)
		begin_chunk(c, at, magic, bytes, type, table);
	sys_release_signals(&signals);
	return at != NULL;
}

bool file_chunk(struct profile_file *f, struct file_chunk *c, uint64_t bytes, uint32_t type,
		uint32_t table)
{
	bytes = (bytes + SCP_GRANULE - 1) / SCP_GRANULE * SCP_GRANULE;
	return make_chunk(f, c, SCP_CHUNK_MAGIC, bytes, type, table);
}

bool file_optional_chunk(struct profile_file *f, struct file_chunk *c, uint32_t type,
			 uint32_t table)
{
	return make_chunk(f, c, SCP_OPTIONAL_MAGIC, SCP_GRANULE, type, table);
}

void file_fill(struct profile_file *f)
{
	uint32_t regions = __atomic_load_n(&f->regions, __ATOMIC_ACQUIRE);
	if (!f->header || !f->sparse)
		return;
	for (uint32_t i = regions > 1 ? regions - 2 : 0; i < regions; i++)
		if (populate(f->region[i].at, f->region[i].bytes) != 0)
			__atomic_store_n(&f->region[i].used, f->region[i].bytes, __ATOMIC_RELAXED);
}

void file_unmap(struct profile_file *f, uint64_t kept)
{
	for (uint32_t i = 0; i < f->regions; i++) {
		uint64_t before = i ? 0 : SCP_HEADER_BYTES, bytes = f->region[i].bytes + before;
		uint64_t from = i ? 0 : kept;
		if (bytes > from)
			sys_munmap(f->region[i].at - before + from, bytes - from);
		file_address_space_return(bytes);
	}
	f->header = NULL;
}

void *file_leave_memory(struct profile_file *f)
{
	void *at = f->header;
	long r = arch_syscall(SYS_mmap, (long)at, FILE_LEFT_BYTES, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
	bool left = !sys_failed((void *)r);
	file_unmap(f, left ? FILE_LEFT_BYTES : 0);
	return left ? at : NULL;
}
