// SPDX-License-Identifier: GPL-3.0-or-later
/* Calls an empty library function from very many random call paths through 50 functions with frames
 * of different sizes, twice from each, and prints the CPU time of the thread a call in nanoseconds:
 * of the first calls, of the second ones; then the mean number of frames in these functions, and
 * the most memory that the process had, in kB.
 *
 * Usage: random_paths tree|apart PATHS
 *   tree   a recursion: each function calls the empty one and then up to four others, so that a
 *          path has all frames but one of another path
 *   apart  paths of 6 to 62 frames that have next to nothing in common, none twice
 */
#include <err.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define FUNCTIONS 50
#define CHILDREN  4

struct visit {
	uint64_t random; /* the same for the same path: each round takes the same paths */
	uint32_t left;	 /* paths of this frame and below (tree), or frames below (apart) */
	uint32_t depth;
};

typedef void function(struct visit v);
static function *const tree[FUNCTIONS], *const apart[FUNCTIONS];
static uint64_t frames, calls;

/* splitmix64 (Steele, Lea and Flood 2014) */
static uint64_t random_after(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

static inline void call_once(uint32_t depth)
{
	frames += depth;
	calls++;
	send(-1, NULL, 0, 0);
}

/* Different children are different functions, so different paths. */
static inline void step_tree(struct visit v)
{
	uint32_t left = v.left - 1, children = (uint32_t)(v.random % CHILDREN) + 1;

	call_once(v.depth);
	for (uint32_t i = 0; i < children && left; i++) {
		uint64_t r = random_after(v.random + i);
		uint32_t part = i + 1 == children ? left : (uint32_t)(r % left) + 1;

		left -= part;
		tree[(v.random / CHILDREN + i) % FUNCTIONS](
			(struct visit){random_after(r), part, v.depth + 1});
	}
}

static inline void step_apart(struct visit v)
{
	if (v.left > 1)
		apart[v.random % FUNCTIONS](
			(struct visit){random_after(v.random), v.left - 1, v.depth + 1});
	else
		call_once(v.depth);
}

/* With rooms of different sizes, and a call of its own. */
#define FUNCTION(kind, n)                                                                          \
	__attribute__((noinline)) static void kind##_##n(struct visit v)                           \
	{                                                                                          \
		char room[8 * ((n)-9)];                                                            \
                                                                                                   \
		__asm__ volatile("" ::"r"(room));                                                  \
		step_##kind(v);                                                                    \
		__asm__ volatile("" ::: "memory");                                                 \
	}
#define ADDRESS(kind, n) kind##_##n,
#define TEN(DO, kind, n)                                                                           \
	DO(kind, n##0)                                                                             \
	DO(kind, n##1)                                                                             \
	DO(kind, n##2)                                                                             \
	DO(kind, n##3)                                                                             \
	DO(kind, n##4)                                                                             \
	DO(kind, n##5)                                                                             \
	DO(kind, n##6)                                                                             \
	DO(kind, n##7)                                                                             \
	DO(kind, n##8)                                                                             \
	DO(kind, n##9)
#define FIFTY(DO, kind)                                                                            \
	TEN(DO, kind, 1)                                                                           \
	TEN(DO, kind, 2)                                                                           \
	TEN(DO, kind, 3)                                                                           \
	TEN(DO, kind, 4)                                                                           \
	TEN(DO, kind, 5)
FIFTY(FUNCTION, tree)
FIFTY(FUNCTION, apart)
static function *const tree[FUNCTIONS] = {FIFTY(ADDRESS, tree)};
static function *const apart[FUNCTIONS] = {FIFTY(ADDRESS, apart)};

static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

__attribute__((noinline)) static double take_paths(bool as_tree, uint32_t paths)
{
	double from = cpu_ns();

	if (as_tree)
		tree[0]((struct visit){0, paths, 1});
	for (uint32_t i = 0; !as_tree && i < paths; i++) {
		uint64_t r = random_after(i);

		apart[r % FUNCTIONS](
			(struct visit){random_after(r), (uint32_t)(r / FUNCTIONS % 57) + 6, 1});
	}
	return (cpu_ns() - from) / paths;
}

/* Of this process alone: getrusage would count its starter's memory too. */
static long peak_memory_kb(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[256];
	long kb = 0;

	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "VmHWM: %ld", &kb) == 1)
			break;
	if (f)
		fclose(f);
	return kb;
}

int main(int argc, char **argv)
{
	bool as_tree = argc == 3 && !strcmp(argv[1], "tree");
	uint32_t paths = argc == 3 ? (uint32_t)atol(argv[2]) : 0;
	volatile int rounds = 2; /* not unrolled: one place in the program, so the same paths */
	double ns[2];

	if (!paths || (!as_tree && strcmp(argv[1], "apart")))
		errx(2, "usage: random_paths tree|apart PATHS");
	if (send(-1, NULL, 0, 0)) /* the linker's work for it is no path's */
		errx(1, "not the empty function");
	for (int i = 0; i < rounds; i++)
		ns[i] = take_paths(as_tree, paths);
	if (calls != 2u * paths)
		errx(1, "%llu calls", (unsigned long long)calls);
	printf("%.2f %.2f %.1f %ld\n", ns[0], ns[1], (double)frames / (double)calls,
	       peak_memory_kb());
	return 0;
}
