// SPDX-License-Identifier: GPL-3.0-or-later
/* glibc's documentation says of few functions which locks they take; these lists come from its
 * source, 2.17 to 2.42. A name too many costs a chance to attach, one too few a deadlock. */
#include "collector/attach/safe_point/safe_point_private.h"

#include <stdio.h>
#include <string.h>

#define LONGEST 64

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

enum safe_point_meaning libc_names_meaning(const char *name)
{
	char wanted[LONGEST];

	if (strchr(name, ' ') != NULL ||
	    snprintf(wanted, sizeof(wanted), " %s ", name) >= (int)sizeof(wanted))
		return SAFE_POINT_NOTHING;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		if (strstr(lists[i].names, wanted) != NULL)
			return lists[i].meaning;
	return SAFE_POINT_NOTHING;
}
