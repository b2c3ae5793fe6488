// SPDX-License-Identifier: GPL-3.0-or-later
/* Functions that do the work or wait, and are called from outside of their library: what
 * only reads a field would cost more to time than to call. Libraries are named where a
 * program may open them later (Python's modules); allocators are whatever the program is
 * linked with. */
#include "collector/select/selection_groups.h"

#include <string.h>

static const struct {
	const char *name, *patterns;
} groups[] = {
	{"ssl", "libssl.so*:SSL_read,libssl.so*:SSL_read_ex,libssl.so*:SSL_write,"
		"libssl.so*:SSL_write_ex,libssl.so*:SSL_peek,libssl.so*:SSL_do_handshake,"
		"libssl.so*:SSL_connect,libssl.so*:SSL_accept,libssl.so*:SSL_shutdown,"
		"libgnutls.so*:gnutls_record_recv,libgnutls.so*:gnutls_record_send,"
		"libgnutls.so*:gnutls_handshake,libgnutls.so*:gnutls_bye"},
	{"alloc", "malloc,calloc,realloc,free,reallocarray,posix_memalign,aligned_alloc,memalign"},
	{"thread", "pthread_mutex_lock,pthread_mutex_timedlock,pthread_rwlock_rdlock,"
		   "pthread_rwlock_wrlock,pthread_cond_wait,pthread_cond_timedwait,"
		   "pthread_cond_clockwait,pthread_join,pthread_barrier_wait,sem_wait,"
		   "sem_timedwait,sem_clockwait"},
	{"zlib", "libz.so*:deflate,libz.so*:inflate,libz.so*:compress,libz.so*:compress2,"
		 "libz.so*:uncompress,libz.so*:uncompress2,libz.so*:crc32,libz.so*:adler32,"
		 "libz.so*:gzread,libz.so*:gzwrite"},
	{"sqlite", "libsqlite3.so*:sqlite3_prepare_v2,libsqlite3.so*:sqlite3_prepare_v3,"
		   "libsqlite3.so*:sqlite3_step,libsqlite3.so*:sqlite3_exec,"
		   "libsqlite3.so*:sqlite3_reset,libsqlite3.so*:sqlite3_finalize,"
		   "libsqlite3.so*:sqlite3_open_v2,libsqlite3.so*:sqlite3_close_v2"},
	{"libpq", "libpq.so*:PQexec,libpq.so*:PQexecParams,libpq.so*:PQexecPrepared,"
		  "libpq.so*:PQprepare,libpq.so*:PQgetResult,libpq.so*:PQconnectdb,"
		  "libpq.so*:PQconnectdbParams,libpq.so*:PQsendQuery*,libpq.so*:PQconsumeInput"},
};

const char selection_groups_names[] = "ssl, alloc, thread, zlib, sqlite, libpq";

const char *selection_groups_find(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof(groups) / sizeof(*groups); i++)
		if (strlen(groups[i].name) == length && !strncmp(groups[i].name, name, length))
			return groups[i].patterns;
	return NULL;
}
