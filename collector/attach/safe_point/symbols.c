// SPDX-License-Identifier: GPL-3.0-or-later
#include "collector/attach/safe_point/safe_point_private.h"

#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/array.h"

/* glibc's documentation says of few functions which locks they take; these lists come from its
 * source, 2.17 to 2.42. A name too many costs a chance to attach, one too few a deadlock. */
#define LONGEST_NAME 64

/* Each name stands between two blanks. */
static const struct {
	enum safe_point_meaning meaning;
	const char *names;
} lists[] = {
	{SAFE_POINT_HOLDS,
	 " _Exit _Fork _IO_popen _IO_proc_close _IO_proc_open __backtrace __brk __call_tls_dtors "
	 "__cxa_at_quick_exit __cxa_atexit __cxa_finalize __cxa_thread_atexit_impl __dcgettext "
	 "__dgettext __dlopen __dlsym __duplocale __fork __freelocale __gconv __gconv_close "
	 "__gconv_get_alias_db __gconv_get_cache __gconv_get_modules_db __gconv_open "
	 "__gconv_transliterate __libc_dlclose __libc_dlerror_result __libc_dlopen_mode "
	 "__libc_dlsym __libc_dlvsym __libc_fork __libc_freeres __libc_pthread_fork __libc_system "
	 "__libc_thread_freeres __libc_vfork __lll_lock_wait_private __newlocale __nptl_setxid "
	 "__nss_configure_lookup __nss_database_get __nss_database_lookup __nss_lookup "
	 "__nss_lookup_function __nss_next __posix_spawn __pthread_atfork __pthread_exit "
	 "__register_atfork __resolv_context_get __run_exit_handlers __sbrk __textdomain "
	 "__unregister_atfork __uselocale __vfork _dl_addr _dl_catch_error _dl_catch_exception "
	 "_dl_find_object _dl_open_hook _dl_open_hook2 _dl_signal_error _dl_signal_exception "
	 "_dl_sym _dl_vsym _exit abort at_quick_exit backtrace bind_textdomain_codeset "
	 "bindtextdomain brk daemon dcgettext dcngettext dgettext dl_iterate_phdr dladdr dladdr1 "
	 "dlclose dlerror dlinfo dlmopen dlopen dlsym dlvsym dngettext duplocale execl execle "
	 "execlp execv execve execveat execvp execvpe exit fexecve fnmatch_l fork forkpty "
	 "freelocale getaddrinfo getgrgid getgrgid_r getgrnam getgrnam_r getgrouplist "
	 "gethostbyaddr gethostbyaddr_r gethostbyname gethostbyname2 gethostbyname2_r "
	 "gethostbyname_r getnameinfo getprotobyname getprotobyname_r getpwnam getpwnam_r getpwuid "
	 "getpwuid_r getservbyname getservbyname_r getservbyport getservbyport_r gettext iconv "
	 "iconv_close iconv_open initgroups login_tty mcheck mcheck_pedantic mprobe mtrace "
	 "muntrace newlocale ngettext on_exit openpty pclose popen posix_spawn posix_spawnp "
	 "pthread_atfork pthread_attr_init pthread_cancel pthread_create pthread_exit "
	 "pthread_getattr_default_np pthread_getattr_np pthread_kill_other_threads_np "
	 "pthread_setattr_default_np quick_exit sbrk setegid seteuid setgid setgroups setlocale "
	 "setregid setresgid setresuid setreuid setuid system textdomain thrd_create thrd_exit "
	 "uselocale vfork wordexp "},
	{SAFE_POINT_ALLOCATES,
	 " __default_morecore __libc_alloc_buffer_alloc_array __libc_alloc_buffer_allocate "
	 "__libc_calloc __libc_dynarray_resize __libc_free __libc_mallinfo __libc_malloc "
	 "__libc_mallopt __libc_memalign __libc_pvalloc __libc_realloc __libc_reallocarray "
	 "__libc_scratch_buffer_grow __libc_scratch_buffer_grow_preserve "
	 "__libc_scratch_buffer_set_array_size __libc_valloc __malloc_check_init "
	 "__malloc_hugepage_config __morecore aligned_alloc calloc cfree free free_aligned_sized "
	 "free_sized mallinfo mallinfo2 malloc malloc_get_state malloc_info malloc_set_state "
	 "malloc_stats malloc_trim malloc_usable_size mallopt memalign posix_memalign pvalloc "
	 "realloc reallocarray valloc "},
	{SAFE_POINT_WAITS,
	 " __clock_nanosleep __connect __fcntl __nanosleep __poll __poll_chk __ppoll_chk __pread64 "
	 "__read __read_chk __recv __recv_chk __recvfrom_chk __select __send __sigsuspend "
	 "__sigtimedwait __wait __waitpid __write accept accept4 aio_suspend aio_suspend64 "
	 "clock_nanosleep cnd_timedwait cnd_wait connect epoll_pwait epoll_pwait2 epoll_wait fcntl "
	 "fcntl64 flock io_getevents lockf mq_receive mq_timedreceive msgrcv msgsnd nanosleep "
	 "pause poll ppoll pread pread64 preadv pselect pthread_barrier_wait pthread_clockjoin_np "
	 "pthread_cond_clockwait pthread_cond_timedwait pthread_cond_wait pthread_join "
	 "pthread_timedjoin_np read readv recv recvfrom recvmmsg recvmsg select sem_clockwait "
	 "sem_timedwait sem_wait semop semtimedop send sendfile sendfile64 sendmmsg sendmsg sendto "
	 "sigsuspend sigtimedwait sigwait sigwaitinfo sleep splice tee thrd_join thrd_sleep usleep "
	 "wait wait3 wait4 waitid waitpid write writev "},
	{SAFE_POINT_BLOCKS,
	 " __pthread_mutex_lock __pthread_rwlock_rdlock __pthread_rwlock_wrlock mtx_lock "
	 "mtx_timedlock pthread_mutex_clocklock pthread_mutex_lock pthread_mutex_timedlock "
	 "pthread_rwlock_clockrdlock pthread_rwlock_clockwrlock pthread_rwlock_rdlock "
	 "pthread_rwlock_timedrdlock pthread_rwlock_timedwrlock pthread_rwlock_wrlock "
	 "pthread_spin_lock "},
	{SAFE_POINT_OUTERMOST,
	 " __clone __clone3 __clone_internal __libc_start_main clone clone3 start_thread "},
};

/* What a function of libc of that name means. */
static enum safe_point_meaning libc_names_meaning(const char *name)
{
	char wanted[LONGEST_NAME];

	if (strchr(name, ' ') != NULL ||
	    snprintf(wanted, sizeof(wanted), " %s ", name) >= (int)sizeof(wanted))
		return SAFE_POINT_NOTHING;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		if (strstr(lists[i].names, wanted) != NULL)
			return lists[i].meaning;
	return SAFE_POINT_NOTHING;
}

#define MOST_SYMBOLS (1u << 20)
#define MOST_STRINGS (1u << 26)
#define LOCK_BYTES   16384u /* of _rtld_global */
#define RECURSIVE    1u	    /* PTHREAD_MUTEX_RECURSIVE_NP */

struct gnu_hash {
	uint32_t buckets, first, filter_words, shift;
};

static uint64_t buckets_at(const struct safe_point_object *o, const struct gnu_hash *g)
{
	return o->gnu_hash + sizeof(*g) + (uint64_t)g->filter_words * sizeof(uint64_t);
}

static bool defines(const Elf64_Sym *s, unsigned type)
{
	return s->st_shndx != SHN_UNDEF && s->st_value != 0 && ELF64_ST_TYPE(s->st_info) == type;
}

/* *place, if symbol number `index` has that name. True: it is the default version. */
static bool symbol_is(const struct safe_point_object *o, pid_t pid, uint32_t index,
		      const char *name, struct safe_point_place *place)
{
	Elf64_Sym s;
	char text[LONGEST_NAME] = "";
	size_t length = strlen(name) + 1;
	if (length > sizeof(text) ||
	    !memory_read(pid, o->symbols + (uint64_t)index * sizeof(s), &s, sizeof(s)) ||
	    !(defines(&s, STT_FUNC) || defines(&s, STT_OBJECT)) ||
	    !memory_read(pid, o->strings + s.st_name, text, length) ||
	    memcmp(text, name, length) != 0)
		return false;
	uint16_t version = 0;
	if (o->versions != 0)
		memory_read(pid, o->versions + (uint64_t)index * sizeof(version), &version,
			    sizeof(version));
	bool usual = (version & 0x8000) == 0;
	if (usual || place->address == 0)
		*place = (struct safe_point_place){o->bias + s.st_value, s.st_size};
	return usual;
}

static struct safe_point_place find_by_gnu_hash(const struct safe_point_object *o, pid_t pid,
						const char *name)
{
	struct gnu_hash g;
	uint32_t hash = (uint32_t)elf_gnu_hash(name), index = 0;
	struct safe_point_place place = {0, 0};
	if (!memory_read(pid, o->gnu_hash, &g, sizeof(g)) || g.buckets == 0 ||
	    !memory_read(pid, buckets_at(o, &g) + 4ull * (hash % g.buckets), &index,
			 sizeof(index)) ||
	    index < g.first)
		return place;
	uint64_t chain = buckets_at(o, &g) + 4ull * g.buckets;
	for (unsigned i = 0; i < 1024; i++, index++) {
		uint32_t value;
		if (!memory_read(pid, chain + 4ull * (index - g.first), &value, sizeof(value)))
			break;
		if ((value | 1) == (hash | 1) && symbol_is(o, pid, index, name, &place))
			break;
		if ((value & 1) != 0)
			break;
	}
	return place;
}

/* How many symbols there are, which the GNU table tells by its last chain only. */
static uint32_t count_by_gnu_hash(const struct safe_point_object *o, pid_t pid)
{
	struct gnu_hash g;
	if (!memory_read(pid, o->gnu_hash, &g, sizeof(g)) || g.buckets == 0 ||
	    g.buckets > MOST_SYMBOLS)
		return 0;
	uint32_t *bucket = memory_copy(pid, buckets_at(o, &g), 4ull * g.buckets);
	uint32_t last = 0, value = 0;
	for (uint32_t i = 0; bucket != NULL && i < g.buckets; i++)
		if (bucket[i] > last)
			last = bucket[i];
	free(bucket);
	if (last < g.first)
		return 0;
	uint64_t chain = buckets_at(o, &g) + 4ull * g.buckets;
	for (; last < MOST_SYMBOLS; last++)
		if (!memory_read(pid, chain + 4ull * (last - g.first), &value, 4))
			return 0;
		else if ((value & 1) != 0)
			return last + 1;
	return 0;
}

static uint32_t count_by_sysv_hash(const struct safe_point_object *o, pid_t pid)
{
	uint32_t head[2] = {0, 0};
	if (!memory_read(pid, o->sysv_hash, head, sizeof(head)))
		return 0;
	return head[1] <= MOST_SYMBOLS ? head[1] : 0;
}

static uint32_t count_symbols(const struct safe_point_object *o, pid_t pid)
{
	if (o->symbols == 0 || o->strings == 0)
		return 0;
	return o->gnu_hash != 0	   ? count_by_gnu_hash(o, pid)
	       : o->sysv_hash != 0 ? count_by_sysv_hash(o, pid)
				   : 0;
}

struct safe_point_place symbols_find_place(const struct safe_point_object *o, pid_t pid,
					   const char *name)
{
	struct safe_point_place place = {0, 0};
	if (o->symbols == 0 || o->strings == 0)
		return place;
	if (o->gnu_hash != 0)
		return find_by_gnu_hash(o, pid, name);
	uint32_t count = o->sysv_hash != 0 ? count_by_sysv_hash(o, pid) : 0;
	for (uint32_t i = 0; i < count && !symbol_is(o, pid, i, name, &place); i++)
		;
	return place;
}

uint64_t symbols_find(const struct safe_point_object *o, pid_t pid, const char *name)
{
	return symbols_find_place(o, pid, name).address;
}

ARRAY_COMPARE(by_start, struct safe_point_symbol,
	      ARRAY_ORDER(a->start, b->start) ?: ARRAY_ORDER(b->meaning, a->meaning))

/* The allocator's own functions, which have no exported names, lie between those that have: from
 * the end of the neighbour before to the beginning of the one behind. */
static void widen_allocator(struct safe_point_object *o)
{
	size_t n = o->functions;
	for (size_t i = 0; i < n; i++) {
		struct safe_point_symbol *s = &o->function[i];
		if (s->meaning != SAFE_POINT_ALLOCATES)
			continue;
		if (i > 0 && o->function[i - 1].end < s->start)
			s->start = o->function[i - 1].end;
		if (i + 1 < n && s->end < o->function[i + 1].start)
			s->end = o->function[i + 1].start;
	}
}

/* Sorted, and each address once: aliases have the worst meaning of all their names. */
static void sort_functions(struct safe_point_object *o)
{
	size_t kept = 0;
	ARRAY_SORT(o->function, o->functions, by_start);
	for (size_t i = 0; i < o->functions; i++)
		if (kept > 0 && o->function[kept - 1].start == o->function[i].start) {
			if (o->function[i].end > o->function[kept - 1].end)
				o->function[kept - 1].end = o->function[i].end;
		} else {
			o->function[kept++] = o->function[i];
		}
	o->functions = kept;
	widen_allocator(o);
}

bool symbols_read(struct safe_point_object *o, pid_t pid)
{
	uint32_t count = count_symbols(o, pid);
	uint64_t strings = o->string_bytes;
	if (count == 0 || strings == 0 || strings > MOST_STRINGS)
		return false;
	Elf64_Sym *symbol = memory_copy(pid, o->symbols, count * sizeof(*symbol));
	char *text = memory_copy(pid, o->strings, strings);
	o->function = calloc(count, sizeof(o->function[0]));
	bool ok = symbol != NULL && text != NULL && o->function != NULL;
	for (uint32_t i = 0; ok && i < count; i++) {
		const Elf64_Sym *s = &symbol[i];
		if (!(defines(s, STT_FUNC) || defines(s, STT_GNU_IFUNC)) || s->st_name >= strings ||
		    memchr(text + s->st_name, '\0', strings - s->st_name) == NULL)
			continue;
		uint64_t start = o->bias + s->st_value;
		o->function[o->functions++] = (struct safe_point_symbol){
			.start = start,
			.end = s->st_size < MOST_STRINGS ? start + s->st_size : start,
			.meaning = libc_names_meaning(text + s->st_name)};
	}
	if (ok)
		sort_functions(o);
	free(symbol);
	free(text);
	return ok && o->functions > 0;
}

const struct safe_point_symbol *symbols_at(const struct safe_point_object *o, uint64_t at)
{
	size_t low;
	BISECT(low, o->functions, o->function[low].start <= at);
	return low > 0 && at < o->function[low - 1].end ? &o->function[low - 1] : NULL;
}

/* glibc has its locks in _rtld_global, at a place of each release: that of dlopen, which it holds
 * while it runs constructors, first, that of the list of objects behind it. Both are recursive
 * mutexes, which tell by their words (of 64-bit machines) what they are: their kind, and an owner
 * just where they are locked. */
struct mutex {
	uint32_t lock, count, owner, users, kind, spins;
	uint64_t list[2];
};

static bool is_recursive_mutex(const uint8_t *at)
{
	struct mutex m;
	memcpy(&m, at, sizeof(m));
	return m.kind == RECURSIVE && m.spins == 0 && m.list[0] == 0 && m.list[1] == 0 &&
	       m.lock <= 2 && (m.owner == 0 || m.lock != 0) && (m.owner == 0) == (m.count == 0) &&
	       m.users <= 1;
}

uint64_t symbols_find_lock(const struct safe_point_object *loader, pid_t pid)
{
	uint64_t at = symbols_find(loader, pid, "_rtld_global");
	uint8_t data[LOCK_BYTES];
	if (at == 0 || at % 8 != 0)
		return 0;
	size_t bytes = memory_some(pid, at, data, sizeof(data));
	for (size_t i = 0; i + 2 * sizeof(struct mutex) <= bytes; i += 8)
		if (is_recursive_mutex(data + i) &&
		    is_recursive_mutex(data + i + sizeof(struct mutex)))
			return at + i;
	return 0;
}

bool symbols_lock_is_held(uint64_t lock, pid_t pid)
{
	struct mutex m;
	return lock != 0 && memory_read(pid, lock, &m, sizeof(m)) && m.lock != 0;
}
