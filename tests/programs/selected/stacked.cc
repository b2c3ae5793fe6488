// SPDX-License-Identifier: GPL-3.0-or-later
/* Calls the functions of stacked_lib from frames of every kind, and prints what they return, and
 * how often each was called. Usage: stacked ROUNDS [too_many|generated|small_stack|handler] */
#include "stacked.h"

#include <alloca.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <csignal>
#include <initializer_list>
#include <pthread.h>
#include <sys/mman.h>

static uint64_t result;
static long made, rounds, thrown, left;

static void add(uint64_t x)
{
	result = result * 31 + x;
}

static void add_double(double x)
{
	uint64_t bits;
	memcpy(&bits, &x, sizeof bits);
	add(bits);
}

static long back(struct page_of_words p)
{
	p.v[7] += 5;
	return by_value(p);
}

#define TEN(x)                                                                                     \
	(x), (x) + 1.5, (x) + 2, (x) + 3, (x) + 4, (x) + 5, (x) + 6, (x) + 7, (x) + 8, (x) + 9
#define FIFTY(x) TEN(x), TEN(x * 2), TEN(x * 3), TEN(x * 4), TEN(x * 5)
#define EIGHT(x) (x), (x)*2, (x)*3, (x)*4, (x)*5, (x)*6, (x)*7, (x)*8
#define FORTY(x) EIGHT(x), EIGHT(x + 9), EIGHT(x + 5), EIGHT(x + 3), EIGHT(x + 1)

/* All of them, in the frame of the function that uses it. */
#define CALL_ALL(n)                                                                                \
	do {                                                                                       \
		static struct page_of_words p;                                                     \
		static struct many_words m;                                                        \
		struct aligned_words a, b;                                                         \
		for (int i_ = 0; i_ < 500; i_++)                                                   \
			p.v[i_] = (n) + i_ * 5;                                                    \
		for (int i_ = 0; i_ < 1500; i_++)                                                  \
			m.v[i_] = (n) ^ i_;                                                        \
		for (int i_ = 0; i_ < 16; i_++)                                                    \
			a.v[i_] = (n) + i_, b.v[i_] = i_ - (n);                                    \
		made++;                                                                            \
		add(by_value(p));                                                                  \
		add(many_by_value((n), m));                                                        \
		add(aligned_by_value((n), a, 3, b));                                               \
		p = large_result(p, (long double)(n) + 2);                                         \
		add(p.v[3] + p.v[499]);                                                            \
		double x_ = (double)(n);                                                           \
		add_double(                                                                        \
			of_doubles(200, FIFTY(x_), FIFTY(x_ + 1), FIFTY(x_ + 2), FIFTY(x_ + 3)));  \
		add(of_forty(FORTY(n)));                                                           \
		add(nested(p, back, (n)));                                                         \
		add(registers_only((n), &p));                                                      \
	} while (0)

__attribute__((noinline)) static void plain(long n)
{
	CALL_ALL(n);
}

__attribute__((noinline, optimize("no-omit-frame-pointer"))) static void with_frame_pointer(long n)
{
	CALL_ALL(n);
}

__attribute__((noinline, optimize("O0"))) static void not_optimized(long n)
{
	CALL_ALL(n);
}

/* With a frame of another size each time. */
__attribute__((noinline)) static void with_alloca(long n)
{
	char *room = (char *)alloca((size_t)(n % 7) * 240 + 16);
	memset(room, (int)n, 16);
	CALL_ALL(n);
	add((uint64_t)room[n % 16]);
}

__attribute__((noinline)) static void by_tail_call(long n)
{
	struct page_of_words p = {{n, 3, 5}};
	p.v[499] = n;
	left++;
	add(tail_call(p));
}

__attribute__((noinline)) static void with_large_array(long n)
{
	char room[10000];
	memset(room, (int)n, sizeof room);
	__asm__ volatile("" : : "r"(room) : "memory");
	CALL_ALL(n);
	add((uint64_t)room[n % 16]);
}

__attribute__((noinline)) static void inside_exception(long n)
{
	struct page_of_words p = {{n, 2, 3}};
	try {
		thrown++;
		add(throws(p));
	} catch (long &x) {
		add(x);
		CALL_ALL(n);
	}
}

static void *thread(void *)
{
	for (long n = 0; n < rounds; n++)
		CALL_ALL(n);
	return NULL;
}

/* (target, words, count, top of the stack): copies the words there, and calls; no unwind table has
 * it. */
static const unsigned char generated_code[] = {0x55, 0x48, 0x89, 0xe5, 0x49, 0x89, 0xfb, 0x48,
					       0x89, 0xcc, 0x48, 0x89, 0xd1, 0x48, 0xc1, 0xe2,
					       0x03, 0x48, 0x29, 0xd4, 0x48, 0x89, 0xe7, 0xf3,
					       0x48, 0xa5, 0x41, 0xff, 0xd3, 0xc9, 0xc3};

/* On a stack that ends with the arguments, and nothing lies above it. */
static void from_generated_code(long (*by)(struct page_of_words))
{
	struct page_of_words p;
	char *code = (char *)mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *stack = (char *)mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(code, generated_code, sizeof generated_code);
	mprotect(stack + (1 << 20) - 4096, 4096, PROT_NONE);
	auto call =
		(long (*)(long (*)(struct page_of_words), const void *, long, void *))(void *)code;
	for (long n = 0; n < rounds; n++) {
		for (int i = 0; i < 500; i++)
			p.v[i] = n * i;
		add((uint64_t)call(by, &p, 500, stack + (1 << 20) - 4096));
	}
}

static void too_many()
{
	static struct too_many_words t;
	for (long n = 0; n < rounds; n++) {
		for (int i = 0; i < 25000; i++)
			t.v[i] = n + i;
		add(too_many_by_value(t));
	}
}

/* The words fit once, and not twice. */
static void *on_small_stack(void *)
{
	static struct many_words m;
	for (long n = 0; n < rounds; n++) {
		for (int i = 0; i < 1500; i++)
			m.v[i] = n * i;
		add((uint64_t)many_by_value(n, m));
	}
	return NULL;
}

static void small_stack()
{
	pthread_t other;
	pthread_attr_t attributes;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 24 << 10);
	if (pthread_create(&other, &attributes, on_small_stack, NULL))
		exit(99);
	pthread_join(other, NULL);
}

static void handle(int)
{
	struct page_of_words p;
	for (int i = 0; i < 500; i++)
		p.v[i] = rounds * i;
	add((uint64_t)by_value(p));
	add((uint64_t)of_forty(FORTY(rounds)));
}

/* On an alternate stack that has room for the words twice, and on one that has not. */
static void in_handlers()
{
	struct sigaction action = {};
	action.sa_handler = handle;
	action.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR1, &action, NULL);
	for (size_t bytes : {1u << 16, 14u << 10}) {
		stack_t stack = {malloc(bytes), 0, bytes};
		sigaltstack(&stack, NULL);
		for (long n = 0; n < rounds; n++)
			raise(SIGUSR1);
		stack.ss_flags = SS_DISABLE;
		sigaltstack(&stack, NULL);
		free(stack.ss_sp);
	}
}

int main(int argc, char **argv)
{
	pthread_t other;
	rounds = atol(argv[1]);
	if (argc > 2 && !strcmp(argv[2], "too_many")) {
		too_many();
	} else if (argc > 2 && !strcmp(argv[2], "small_stack")) {
		small_stack();
	} else if (argc > 2 && !strcmp(argv[2], "handler")) {
		in_handlers();
	} else if (argc > 2) {
		from_generated_code(by_value);
	} else {
		for (long n = 0; n < rounds; n++) {
			CALL_ALL(n);
			plain(n);
			with_frame_pointer(n);
			not_optimized(n);
			with_alloca(n);
			by_tail_call(n);
			with_large_array(n);
			inside_exception(n);
		}
		pthread_create(&other, NULL, thread, NULL);
		pthread_join(other, NULL);
	}
	printf("%llx\n", (unsigned long long)result);
	if (argc == 2)
		printf("aligned_by_value %ld\nby_value %ld\nlarge_result %ld\nmany_by_value %ld\n"
		       "nested %ld\nof_doubles %ld\nof_forty %ld\nregisters_only %ld\ntail_call "
		       "%ld\n"
		       "throws %ld\n",
		       made, 2 * made + left, made, made, made, made, made, made, left, thrown);
	return 0;
}
