// SPDX-License-Identifier: Apache-2.0
/* Small things that libc has but that code inside a target must not borrow
 * from it: string helpers without locale or allocation, and the compiler and
 * memory-order idioms of this library. With it come bool and the standard integers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define COLD	    __attribute__((noinline, cold))
#define HIDDEN	    __attribute__((visibility("hidden")))
#define EXPORT	    __attribute__((visibility("default")))
/* A large array of zeros: it lies behind all small variables, which share pages that way. */
#define LARGE __attribute__((section(".bss.large")))

/* Orders memory accesses against a signal handler of the same thread, or a
 * reader of the mapping after our death: the compiler must not move them. */
#define compiler_barrier() __asm__ volatile("" ::: "memory")
/* Orders our stores for a live reader in another process (free on x86). */
#define publish_barrier() __atomic_thread_fence(__ATOMIC_RELEASE)

/* Bytes in front of the first `end`; all where there is none. */
static inline size_t text_part(const char *s, char end)
{
	size_t n = 0;
	while (s[n] && s[n] != end)
		n++;
	return n;
}

static inline size_t text_length(const char *s)
{
	return text_part(s, 0);
}

static inline bool text_equal(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

static inline bool text_begins_with(const char *text, const char *with)
{
	while (*with && *text == *with)
		text++, with++;
	return !*with;
}

/* Append `s` at `at` of a buffer of `room` bytes; always terminates, cuts what
 * does not fit. Returns the new length. */
static inline size_t text_append(char *buf, size_t room, size_t at, const char *s)
{
	while (*s && at + 1 < room)
		buf[at++] = *s++;
	if (room)
		buf[at] = 0;
	return at;
}

static inline size_t text_append_number(char *buf, size_t room, size_t at, uint64_t v)
{
	char digits[21];
	size_t n = sizeof digits;
	digits[--n] = 0;
	do
		digits[--n] = (char)('0' + v % 10);
	while (v /= 10);
	return text_append(buf, room, at, digits + n);
}

static inline const char *text_basename(const char *path)
{
	const char *base = path;
	for (; *path; path++)
		if (*path == '/')
			base = path + 1;
	return base;
}

static inline void bytes_copy(void *to, const void *from, size_t n)
{
	unsigned char *d = to;
	const unsigned char *s = from;
	while (n--)
		*d++ = *s++;
}

static inline bool bytes_equal(const void *a, const void *b, size_t n)
{
	const unsigned char *x = a, *y = b;
	while (n && x[n - 1] == y[n - 1])
		n--;
	return !n;
}

#define TEXT_DIGITS 19 /* of a number: so many fit in 64 bits */

/* The number whose digits begin at text[at]; returns where they end. */
static inline long text_number(const char *text, long at, long bytes, uint64_t *value)
{
	uint64_t v = 0;
	for (; at < bytes && text[at] >= '0' && text[at] <= '9'; at++)
		v = v * 10 + (uint64_t)(text[at] - '0');
	*value = v;
	return at;
}

/* Below 0: it is none. */
static inline int text_hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Which of the texts it is; `count`: none. */
static inline uint32_t text_index(const char *text, const char *const *of, uint32_t count)
{
	uint32_t i = 0;
	while (i < count && !text_equal(text, of[i]))
		i++;
	return i;
}

/* The value in "NAME=value"; NULL: another name. */
static inline const char *text_value_of(const char *variable, const char *name)
{
	while (*name && *variable == *name)
		variable++, name++;
	return !*name && *variable == '=' ? variable + 1 : NULL;
}

/* FNV-1a: what the text adds to `h`, which is TEXT_HASH or that of the text before. */
#define TEXT_HASH UINT64_C(0xcbf29ce484222325)
static inline uint64_t text_hash(uint64_t h, const char *s, size_t max)
{
	for (size_t i = 0; i < max && s[i]; i++)
		h = (h ^ (uint8_t)s[i]) * UINT64_C(0x100000001b3);
	return h;
}

/* Whoever takes a flag may do what is for one thread at a time; nobody waits for it. */
static inline bool flag_take(uint32_t *flag)
{
	uint32_t idle = 0;
	return __atomic_compare_exchange_n(flag, &idle, 1, false, __ATOMIC_SEQ_CST,
					   __ATOMIC_RELAXED);
}

static inline void flag_give(uint32_t *flag)
{
	__atomic_store_n(flag, 0, __ATOMIC_SEQ_CST);
}

static inline uint64_t least_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Marsaglia's xorshift64 (2003), 13-7-17, of a state that is not 0. Upper bits are the better. */
static inline uint64_t random_next(uint64_t *state)
{
	uint64_t x = *state;
	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return *state = x;
}

/* A finaliser of MurmurHash3 (public domain): every input bit reaches every output bit. */
static inline uint64_t hash_mix(uint64_t h)
{
	h ^= h >> 33;
	h *= UINT64_C(0xff51afd7ed558ccd);
	h ^= h >> 33;
	h *= UINT64_C(0xc4ceb9fe1a85ec53);
	return h ^ h >> 33;
}

/* A state of random_next's that is 0 begins. */
static inline void random_seed(uint64_t *state, const void *whose, uint64_t now_ns)
{
	if (!*state)
		*state = hash_mix((uint64_t)(uintptr_t)whose ^ now_ns) | 1;
}
