// SPDX-License-Identifier: GPL-3.0-or-later
/* A library whose functions `scprof bench` measures: idle, at work, in a bad mood. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT int some_data = 1;
static uint64_t state = 3;
static unsigned long calls;

/* Of made_clock.so, where that is preloaded. */
extern void made_clock_pass(uint64_t ns) __attribute__((weak));

/* Each step needs the one before, and the first the last of the call before. In made-up time it
 * takes a nanosecond. */
static void work(unsigned long steps)
{
	uint64_t x = state;

	if (made_clock_pass) {
		made_clock_pass(steps);
		return;
	}

	for (unsigned long i = 0; i < steps; i++) {
		x *= 0x9e3779b97f4a7c15;
		__asm__ volatile("" : "+r"(x));
	}
	state = x;
}

static void pause_ms(long ms)
{
	struct timespec t = {ms / 1000, ms % 1000 * 1000000};

	nanosleep(&t, NULL);
}

EXPORT void empty(void);
void empty(void)
{
}

EXPORT void steps(unsigned long count);
void steps(unsigned long count)
{
	work(count);
}

static uint64_t monotonic_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Takes so long by CLOCK_MONOTONIC, or longer. */
EXPORT void last(unsigned long ns);
void last(unsigned long ns)
{
	uint64_t from = monotonic_ns();

	while (monotonic_ns() - from < ns)
		;
}

/* One call, the `when`th, sleeps for 50 ms. */
EXPORT void hiccup(unsigned long when);
void hiccup(unsigned long when)
{
	work(10000);
	if (++calls == when)
		pause_ms(50);
}

/* Every call takes longer than the one before. */
EXPORT void tire(void);
void tire(void)
{
	work(100 * ++calls);
}

EXPORT void slow_start(void);
void slow_start(void)
{
	if (!calls++)
		pause_ms(20);
	work(1000);
}

EXPORT void crash(void);
void crash(void)
{
	raise(SIGSEGV);
}

EXPORT void crash_at(unsigned long when);
void crash_at(unsigned long when)
{
	if (++calls == when)
		raise(SIGSEGV);
}

EXPORT void leave(int status);
void leave(int status)
{
	exit(status);
}

EXPORT void endless(void);
void endless(void)
{
	for (;;)
		pause_ms(1000);
}

EXPORT void multiply(void);
void multiply(void)
{
	if (!fork())
		pause_ms(200);
}

EXPORT void print(const char *text);
void print(const char *text)
{
	puts(text);
	fflush(stdout);
}

static void expect(int right)
{
	if (!right)
		abort();
}

/* scprof bench ... mixed f64:1.5 int:-5 str:hello f32:-2 buf:100 null int:0xff f64:3 */
EXPORT void mixed(long a, const char *text, const unsigned char *buffer, const void *none, long b,
		  double x, float y, double z);
void mixed(long a, const char *text, const unsigned char *buffer, const void *none, long b,
	   double x, float y, double z)
{
	expect(a == -5 && b == 255 && !none);
	expect(x == 1.5 && y == -2 && z == 3);
	expect(!strcmp(text, "hello"));
	expect(strlen((const char *)buffer) == 100 && (uintptr_t)buffer % 64 == 0);
}

EXPORT void all_fourteen(long a, long b, long c, long d, long e, long f, double p, double q,
			 double r, double s, double t, double u, double v, double w);
void all_fourteen(long a, long b, long c, long d, long e, long f, double p, double q, double r,
		  double s, double t, double u, double v, double w)
{
	expect(a == 1 && b == 2 && c == 3 && d == 4 && e == 5 && f == 6);
	expect(p == 1 && q == 2 && r == 3 && s == 4 && t == 5 && u == 6 && v == 7 && w == 8);
}
