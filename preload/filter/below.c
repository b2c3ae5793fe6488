// SPDX-License-Identifier: Apache-2.0
/* A name is tried from each of its dots on, so that a pattern needs no "*." before it. */
#include "preload/filter/below.h"

#include "include/scprof_control.h"
#include "include/scprof_format.h"
#include "preload/system/glob.h"
#include "preload/process/modules.h"
#include "preload/system/sys.h"

#define JOINED_MOST 512u

static char taken[SCP_BELOW_NAMES_BYTES]; /* its last byte stays 0 */

void below_names_take(const char *patterns)
{
	size_t bytes = patterns ? text_length(patterns) : 0;
	if (bytes >= sizeof taken)
		bytes = sizeof taken - 1;
	bytes_copy(taken, patterns, bytes);
	taken[bytes] = 0;
}

/* [!][FILE:]NAME */
struct pattern {
	bool out;
	const char *file, *name;
	size_t file_bytes, name_bytes; /* file_bytes 0: any */
};

/* The pattern at *text, which goes on to the next one. False: there is none. */
static bool next_pattern(const char **text, struct pattern *p)
{
	const char *at = *text;
	size_t n = 0;
	if (!*at)
		return false;
	while (at[n] && at[n] != ',' && at[n] != '\n')
		n++;
	*text = at + n + (at[n] != 0);
	bool out = n && *at == '!';
	*p = (struct pattern){.out = out, .name = at + out, .name_bytes = n - out};
	for (size_t i = 0; i < p->name_bytes; i++)
		if (p->name[i] == ':') {
			p->file = p->name;
			p->file_bytes = i;
			p->name += i + 1;
			p->name_bytes -= i + 1;
			break; /* a C++ name, "a::b", is left with ":b", which matches nothing */
		}
	return true;
}

static bool ends_like(const struct pattern *p, const char *name)
{
	if (glob_matches(p->name, p->name_bytes, name))
		return true;
	for (; *name; name++)
		if (*name == '.' && glob_matches(p->name, p->name_bytes, name + 1))
			return true;
	return false;
}

static bool ends_in(const char *text, size_t length, const char *end)
{
	size_t n = text_length(end);
	for (size_t i = 0; i < n; i++)
		if (length < n || text[length - n + i] != end[i])
			return false;
	return true;
}

/* "service" is service.py, too. */
static bool is_file(const struct pattern *p, const char *file)
{
	char stem[256];
	for (size_t i = 0; i < p->file_bytes; i++)
		if (p->file[i] == '/')
			return glob_matches(p->file, p->file_bytes, file);
	file = text_basename(file);
	if (glob_matches(p->file, p->file_bytes, file))
		return true;
	size_t bytes = text_length(file);
	if (!ends_in(file, bytes, ".py") || bytes >= sizeof stem)
		return false;
	bytes_copy(stem, file, bytes - 3);
	stem[bytes - 3] = 0;
	return glob_matches(p->file, p->file_bytes, stem);
}

/* "srv.app.handlers.Service.reply"; of a long path its end. */
static void join(char joined[JOINED_MOST], const char *file, const char *name)
{
	size_t bytes = text_length(file), at = 0;
	if (ends_in(file, bytes, ".py"))
		bytes -= 3;
	if (ends_in(file, bytes, "/__init__"))
		bytes -= 9;
	if (bytes > JOINED_MOST / 2) {
		file += bytes - JOINED_MOST / 2;
		bytes = JOINED_MOST / 2;
	}
	if (bytes && *file == '/') {
		file++;
		bytes--;
	}
	for (; at < bytes; at++)
		joined[at] = (char)(file[at] == '/' ? '.' : file[at]);
	joined[at++] = '.';
	text_append(joined, JOINED_MOST, at, name);
}

bool below_names_source(const char *file, const char *name)
{
	char joined[JOINED_MOST];
	const char *rest = taken;
	struct pattern p;
	bool below = false;
	if (!*taken)
		return false;
	join(joined, file, name);
	while (next_pattern(&rest, &p))
		if (p.file ? is_file(&p, file) && ends_like(&p, name) : ends_like(&p, joined))
			below = !p.out;
	return below;
}

bool below_names_only(const char *patterns)
{
	struct pattern p;
	while (patterns && next_pattern(&patterns, &p)) {
		if (p.out)
			continue;
		if (p.file && ends_in(p.file, p.file_bytes, ".py"))
			return true;
		for (size_t i = 0; !p.file && i < p.name_bytes; i++)
			if (p.name[i] == '.')
				return true;
	}
	return false;
}

/* Modules are matched with the objects of the file when a frame of theirs is first asked for. */
#define MODULES_KNOWN 4097u
#define NOT_ASKED     0u
#define NONE	      1u /* an object k is k + 2 */

static const struct scp_below_file *latest;
static uint16_t object_of[MODULES_KNOWN]; /* by number of the module */

static const struct scp_below_object *objects(const struct scp_below_file *f)
{
	return (const struct scp_below_object *)(f + 1);
}

static const struct scp_below_range *ranges(const struct scp_below_file *f)
{
	return (const struct scp_below_range *)(objects(f) + f->objects);
}

/* Whole? It is the tool's, but a disk can have been full. */
static bool is_sound(const struct scp_below_file *f, uint64_t bytes)
{
	const struct scp_below_object *o = (const struct scp_below_object *)(f + 1);
	uint64_t tables = sizeof *f + f->objects * sizeof(struct scp_below_object) +
			  f->ranges * sizeof(struct scp_below_range);
	if (!bytes_equal(f->magic, SCP_BELOW_MAGIC, sizeof f->magic) || f->bytes != bytes ||
	    tables >= bytes || ((const char *)f)[bytes - 1] ||
	    (f->names && (f->names < tables || f->names >= bytes)))
		return false;
	for (uint32_t i = 0; i < f->objects; i++)
		if (o[i].first > f->ranges || o[i].count > f->ranges - o[i].first ||
		    o[i].path < tables || o[i].path >= bytes ||
		    o[i].build_id_bytes > sizeof o[i].build_id)
			return false;
	return true;
}

static const struct scp_below_file *map(const char *path)
{
	struct scp_below_file head;
	long fd = sys_open_given(path, O_RDONLY, sizeof head);
	if (fd < 0)
		return NULL;
	const struct scp_below_file *f = NULL;
	if (sys_read((int)fd, &head, sizeof head) == (long)sizeof head &&
	    head.bytes > sizeof head && head.bytes < 1u << 30) {
		char last;
		f = sys_mmap(head.bytes, PROT_READ, MAP_PRIVATE, (int)fd, 0);
		/* A file that is shorter than it says would be a fault later. */
		if (sys_failed(f) || sys4(SYS_pread64, fd, &last, 1, head.bytes - 1) != 1 ||
		    !is_sound(f, head.bytes)) {
			if (!sys_failed(f))
				sys_munmap((void *)(uintptr_t)f, head.bytes);
			f = NULL;
		}
	}
	sys_close((int)fd);
	return f;
}

bool below_open(const char *path, const char *patterns)
{
	latest = path && *path ? map(path) : NULL;
	if (latest) {
		below_names_take(latest->names ? (const char *)latest + latest->names : NULL);
		return true;
	}
	below_names_take(patterns);
	if (patterns)
		latest = below_search(patterns);
	return latest || (patterns && (below_names_only(patterns) || below_search_is_python()));
}

const struct scp_below_file *below_latest(void)
{
	return latest;
}

void below_close(const struct scp_below_file *f)
{
	if (f)
		sys_munmap((void *)(uintptr_t)f, f->bytes);
	if (f == latest)
		latest = NULL;
}

void below_forget_modules(void)
{
	for (unsigned i = 0; i < MODULES_KNOWN; i++)
		object_of[i] = NOT_ASKED;
}

static uint16_t find_object(const struct scp_below_file *f, uint32_t module)
{
	for (uint32_t i = 0; i < f->objects && i < UINT16_MAX - 2; i++) {
		const struct scp_below_object *o = &objects(f)[i];
		if (modules_is(module, (const char *)f + o->path, o->build_id, o->build_id_bytes))
			return (uint16_t)(i + 2);
	}
	return NONE;
}

bool below_contains(const struct scp_below_file *f, uint64_t frame)
{
	uint32_t module = SCP_FRAME_MODULE(frame);
	if (!f || !module || module >= MODULES_KNOWN)
		return false;
	if (object_of[module] == NOT_ASKED)
		object_of[module] = find_object(f, module);
	uint32_t known = object_of[module]; /* perhaps of the next session already */
	if (known == NONE || known - 2 >= f->objects)
		return false;
	const struct scp_below_object *o = &objects(f)[known - 2];
	/* A return address may be the first byte after a function. */
	uint64_t at = SCP_FRAME_OFFSET(frame) - !SCP_FRAME_EXACT(frame);
	uint32_t low = o->first, high = o->first + o->count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (ranges(f)[middle].end <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low < o->first + o->count && ranges(f)[low].start <= at;
}
