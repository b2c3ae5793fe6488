// SPDX-License-Identifier: Apache-2.0
#include "include/scprof_names.h"
#include "preload/causal/causal.h"
#include "preload/function/function.h"
#include "preload/function/region_name.h"
#include "preload/function/selected.h"
#include "preload/process/modules.h"
#include "preload/process/process.h"
#include "preload/system/glob.h"
#include "preload/table/path_tree.h"

struct scp_causal_page *causal_page;

#define UNSEEN (SCP_PATH_TRUNCATED | SCP_PATH_LIMITED | SCP_PATH_SMALL_STACK) /* outer frames */

/* Two sites are the same one, in whatever processes they are, by the function's name, and frames as
 * module and offset. A line of Python is another one in each process. */

struct causal_key {
	uint64_t hash;	  /* never 0 */
	const char *name; /* of the function, as it is shown */
	bool in_handler;  /* or that is not known */
};

static const char *name_of(uint32_t function, const char **library)
{
	uint32_t group;
	*library = "";
	if (function < FN_COUNT)
		return function_info[function].shown;
	return function_is_region(function) ? region_name_text(function, library, &group)
					    : selected_name(function);
}

static uint64_t add(uint64_t hash, uint64_t word)
{
	return hash_mix(hash * 31 + word);
}

static uint64_t add_frame(uint64_t hash, uint64_t frame)
{
	uint32_t module = SCP_FRAME_MODULE(frame);
	uint64_t offset = SCP_FRAME_OFFSET(frame);
	if (module == SCP_FRAME_SOURCE)
		return add(add(add(hash, 1), process.file->pid), offset);
	return add(add(hash, modules_identity(module)), offset);
}

/* The innermost frame of the program's language, or else the innermost frame. */
static uint64_t find_site(const struct scp_thread *t, uint32_t node)
{
	uint64_t frame, first;
	uint32_t out = path_tree_out(t, node, &first);
	frame = first;
	while (out && SCP_FRAME_MODULE(frame) != SCP_FRAME_SOURCE)
		out = path_tree_out(t, out, &frame);
	return SCP_FRAME_MODULE(frame) == SCP_FRAME_SOURCE ? frame : first;
}

/* `by`: enum scp_causal_by, others as PATH. False: it is no site of the program's. */
static bool causal_key_make(struct causal_key *k, const struct scp_thread *t,
			    const struct scp_site *s, uint32_t by)
{
	const char *library;
	uint32_t out = s->node;
	k->name = name_of(s->function, &library);
	if (!k->name || !out)
		return false;
	k->hash = text_hash(text_hash(TEXT_HASH, k->name, SIZE_MAX) * 31, library, SIZE_MAX);
	k->in_handler = path_tree_flags(t, out) & UNSEEN;
	while (out) {
		uint64_t frame;
		out = path_tree_out(t, out, &frame);
		k->in_handler |= SCP_FRAME_EXACT(frame);
		if (by != SCP_CAUSAL_BY_SITE && by != SCP_CAUSAL_BY_FUNCTION)
			k->hash = add_frame(k->hash, frame);
	}
	if (by == SCP_CAUSAL_BY_SITE)
		k->hash = add_frame(k->hash, find_site(t, s->node));
	k->hash = add(k->hash, k->in_handler);
	k->hash += !k->hash;
	return true;
}

/* The page's hash table of sites, and the name of progress. */
#define TRIES 256u /* entries that are looked at for one key */

static const char *const outcomes[SCP_OUTCOMES] = {SCP_OUTCOME_NAMES};

/* As the page had it when it was mapped. */
static struct {
	char name[SCP_CAUSAL_NAME_BYTES + 1];
	uint32_t outcome;
} progress;

/* NAME@OUTCOME is cut at the last '@', if an outcome follows. */
static uint32_t split(char *name)
{
	size_t at = text_length(name);
	while (at && name[at] != '@')
		at--;
	for (uint32_t i = 0; at && i < SCP_OUTCOMES; i++)
		if (outcomes[i] && text_equal(name + at + 1, outcomes[i])) {
			name[at] = 0;
			return i;
		}
	return SCP_COMPLETED;
}

void causal_site_begin(const struct scp_causal_page *page)
{
	bytes_copy(progress.name, page->progress, SCP_CAUSAL_NAME_BYTES);
	progress.name[SCP_CAUSAL_NAME_BYTES] = 0;
	progress.outcome = split(progress.name);
}

uint32_t causal_site_progress(const char *name)
{
	return *progress.name && text_equal(progress.name, name) ? 1 + progress.outcome : 0;
}

/* Functions whose work is to wait for others. What they wait for is not delayed by a delay before
 * they are called. */
static bool waits(const char *name)
{
	static const char *const names[] = {SCP_WAITING_NAMES};
	static const char others[] =
		"poll,ppoll,select,pselect,epoll_wait,epoll_pwait,epoll_pwait2,recv,recvfrom,"
		"recvmsg,recvmmsg,read,readv,pthread_mutex_lock,mtx_lock,pthread_mutex_timedlock,"
		"pthread_mutex_clocklock,SSL_read,SSL_read_ex,SSL_accept,SSL_connect,"
		"SSL_do_handshake,gnutls_record_recv,gnutls_handshake,mq_receive,mq_timedreceive,"
		"pthread_rwlock_rdlock,pthread_rwlock_wrlock,msgrcv,io_getevents";
	const uint32_t count = sizeof names / sizeof *names;
	return text_index(name, names, count) < count || glob_list_matches(others, name);
}

static bool is_at_end(const struct scp_causal_page *page, uint32_t function, const char *name)
{
	uint32_t place = page->place;
	if (place == SCP_CAUSAL_BEGIN || place == SCP_CAUSAL_END)
		return place == SCP_CAUSAL_END;
	return function_is_region(function) || waits(name);
}

/* The key's place, entered if need be; SCP_CAUSAL_SITES: there is none. */
static uint32_t enter(struct scp_causal_page *page, const struct scp_thread *t,
		      const struct scp_site *s, const struct causal_key *key)
{
	for (uint32_t n = 0, i = (uint32_t)key->hash; n < TRIES; n++, i++) {
		struct scp_causal_site *e = &page->site[i & CAUSAL_SITE_INDEX];
		uint64_t held = __atomic_load_n(&e->key, __ATOMIC_RELAXED);
		if (!held && __atomic_compare_exchange_n(&e->key, &held, key->hash, false,
							 __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
			e->pid = process.file->pid;
			e->path = s->path;
			e->function = s->function;
			e->table = t->table_id;
			e->flags = key->in_handler ? SCP_CAUSAL_IN_HANDLER : 0;
			__atomic_store_n(&e->known, 1, __ATOMIC_RELEASE);
			__atomic_add_fetch(&page->sites, 1, __ATOMIC_RELAXED);
			return i & CAUSAL_SITE_INDEX;
		}
		if (held == key->hash)
			return i & CAUSAL_SITE_INDEX;
	}
	__atomic_add_fetch(&page->lost, 1, __ATOMIC_RELAXED);
	return SCP_CAUSAL_SITES;
}

COLD uint32_t causal_site_scan(const struct scp_thread *t, struct scp_site *s)
{
	struct scp_causal_page *page = causal_page_now();
	struct causal_key key;
	if (!page || !s->path)
		return CAUSAL_SITE_KNOWN; /* and again: others have this one, too */
	s->progress = 0;
	if (!t->file || !causal_key_make(&key, t, s, page->by)) {
		s->causal = CAUSAL_SITE_KNOWN; /* overhead_way.c's */
		return s->causal;
	}
	uint32_t at = enter(page, t, s, &key), state = CAUSAL_SITE_KNOWN;
	if (at < SCP_CAUSAL_SITES)
		state |= CAUSAL_SITE_ENTERED | at;
	if (key.in_handler)
		state |= CAUSAL_SITE_NEVER;
	if (is_at_end(page, s->function, key.name))
		state |= CAUSAL_SITE_AT_END;
	s->progress = causal_site_progress(key.name);
	compiler_barrier();
	s->causal = state;
	return state;
}
