// SPDX-License-Identifier: Apache-2.0
/* A hash table that only grows: a slot is claimed by a compare-and-swap of a name that is
 * complete. Who loses a race for the same name has wasted a number, no more. */
#include "preload/function/region_name.h"
#include "preload/function/function.h"
#include "preload/process/file.h"
#include "preload/process/modules.h"
#include "include/scprof_format.h"

#define TEXT_BYTES (256u << 10)
#define SLOTS	   (4 * REGION_NAMES_MAX)

static struct name {
	uint64_t hash;
	const char *text, *library;
	uint32_t group;
	uint32_t described; /* 1: the record is in the file */
} names[REGION_NAMES_MAX] LARGE;
static uint32_t name_count;
void (*region_name_first)(void);
static LARGE char texts[TEXT_BYTES];
static uint32_t text_used;
static LARGE uint32_t slots[SLOTS]; /* index + 1; 0: free */

static bool same_text(const char *kept, const char *s, size_t max)
{
	size_t i = 0;
	while (i < max && s[i] && kept[i] == s[i])
		i++;
	return !kept[i] && (i == max || !s[i]);
}

static const char *keep_text(const char *s, size_t max)
{
	size_t n = 0;
	while (n < max && s[n])
		n++;
	if (__atomic_load_n(&text_used, __ATOMIC_RELAXED) + n + 1 > TEXT_BYTES)
		return NULL;
	uint32_t at = __atomic_fetch_add(&text_used, (uint32_t)n + 1, __ATOMIC_RELAXED);
	if (at + n + 1 > TEXT_BYTES)
		return NULL;
	bytes_copy(texts + at, s, n);
	return texts + at;
}

static uint32_t make(uint64_t hash, const char *text, const char *library, uint32_t group)
{
	if (__atomic_load_n(&name_count, __ATOMIC_RELAXED) >= REGION_NAMES_MAX)
		return 0;
	const char *kept = keep_text(text, REGION_NAME_MAX);
	const char *of = kept ? text_equal(library, REGION_NAMED_LIKE)
					 ? REGION_NAMED_LIKE
					 : keep_text(library, REGION_NAME_MAX)
			      : NULL;
	uint32_t i = of ? __atomic_fetch_add(&name_count, 1, __ATOMIC_RELAXED) : REGION_NAMES_MAX;
	if (i >= REGION_NAMES_MAX)
		return 0;
	names[i] = (struct name){hash, kept, of, group, 0};
	if (!i && region_name_first)
		region_name_first();
	return i + 1;
}

bool region_name_any(void)
{
	return __atomic_load_n(&name_count, __ATOMIC_RELAXED) != 0;
}

COLD uint32_t region_name(const char *text, const char *library, uint32_t group)
{
	uint64_t hash = text_hash(TEXT_HASH, text, REGION_NAME_MAX);
	uint32_t made = 0;
	hash = hash_mix(text_hash(hash * 31, library, REGION_NAME_MAX));
	for (uint32_t i = 0, at = (uint32_t)hash; i < SLOTS; i++, at++) {
		uint32_t *slot = &slots[at % SLOTS];
		uint32_t held = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
		if (!held) {
			if (!made && !(made = make(hash, text, library, group)))
				return 0;
			if (__atomic_compare_exchange_n(slot, &held, made, false, __ATOMIC_ACQ_REL,
							__ATOMIC_ACQUIRE))
				return REGION_FIRST + made - 1;
		}
		const struct name *n = &names[held - 1];
		if (n->hash == hash && same_text(n->text, text, REGION_NAME_MAX) &&
		    same_text(n->library, library, REGION_NAME_MAX))
			return REGION_FIRST + held - 1;
	}
	return 0;
}

COLD uint32_t region_name_pair(uint32_t from, uint32_t to, bool cycle)
{
	char text[REGION_NAME_MAX + 1];
	size_t n = 0;
	/* Half the room each, so that both ends can differ. */
	n = text_append(text, REGION_NAME_MAX / 2 - 8, 0, names[from - REGION_FIRST].text);
	n = text_append(text, sizeof text, n, " -> ");
	n = text_append(text, n + REGION_NAME_MAX / 2 - 8, n, names[to - REGION_FIRST].text);
	if (cycle)
		text_append(text, sizeof text, n, " (cycle)");
	return region_name(text, REGION_NAMED_LIKE, SCP_GROUP_REGION);
}

COLD const char *region_name_text(uint32_t id, const char **library, uint32_t *group)
{
	const struct name *n = &names[id - REGION_FIRST];
	*library = n->library;
	*group = n->group;
	return n->text;
}

/* Under the lock. */
static void write_record(uint32_t i)
{
	struct name *n = &names[i];
	if (n->described)
		return;
	struct scp_function *f =
		modules_record(&process.chunk, 0, SCP_REC_FUNCTION, function_record_bytes(n->text));
	if (!f)
		return;
	function_fill_record(f, REGION_FIRST + i, n->group, n->text);
	text_append(f->library, sizeof f->library, 0, n->library);
	file_publish_record(&process.chunk, f->rec.bytes);
	__atomic_store_n(&n->described, 1, __ATOMIC_RELEASE);
}

COLD bool region_name_describe(uint32_t id)
{
	uint32_t i = id - REGION_FIRST;
	uint64_t signals;
	if (__atomic_load_n(&names[i].described, __ATOMIC_ACQUIRE))
		return true;
	if (modules_enter(&signals)) {
		write_record(i);
		modules_leave(&signals);
	}
	return __atomic_load_n(&names[i].described, __ATOMIC_ACQUIRE);
}

void region_name_forget_records(void)
{
	uint32_t n = __atomic_load_n(&name_count, __ATOMIC_RELAXED);
	for (uint32_t i = 0; i < n && i < REGION_NAMES_MAX; i++)
		names[i].described = 0;
}
