// SPDX-License-Identifier: GPL-3.0-or-later
/* Claim: whatever is written over the profile while the program runs, the program does not notice.
 * It overwrites all profiles in $SCPROF_OUT itself, from one end to the other: before each step
 * below, and then all the time, by a thread, while the steps are done again.
 * Usage: overwritten PLUGIN.so */
#include "target.h"

#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "scprof.h"
#include "scprof_format.h"

#define REGIONS_NAMED 17000 /* a number in the range of regions' names, of which there are few */
#define ROUNDS	      2
#define TOGETHER      20 /* steps while the thread overwrites */
#define PATH_BITS     10

typedef int entry_function(const int fd[2]);

static int pair[2];
static const char *plugin;
static unsigned turn; /* never the same path twice, for new_paths */

/* PAGE_CLOCK: each word is the number of a clock that is not mapped here. DUE: noise, but that each
 * entry closes a batch at its next call, and is of a function that there is not. */
enum pattern { ZEROS, ONES, NOISE, PAGE_CLOCK, DUE, PATTERNS };

static unsigned long noise(void)
{
	static unsigned long x = 88172645463325252ul;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x;
}

/* Records lie at multiples of 64 bytes; see struct scp_entry. */
static void make_due(unsigned long *words, size_t count)
{
	for (size_t i = 0; i < count; i += 8) {
		words[i + offsetof(struct scp_entry, function) / 8] = REGIONS_NAMED;
		words[i + offsetof(struct scp_entry, calls) / 8] = 5;
		words[i + offsetof(struct scp_entry, batch_end) / 8 % 8] = 6;
	}
}

static void fill(unsigned long *words, size_t count, enum pattern pattern)
{
	for (size_t i = 0; i < count; i++)
		words[i] = pattern == ZEROS	   ? 0
			   : pattern == ONES	   ? ~0ul
			   : pattern == PAGE_CLOCK ? SCP_CLOCK_PAGE * 0x100000001ul
						   : noise();
	if (pattern == DUE)
		make_due(words, count);
}

static void overwrite(const char *path, enum pattern pattern)
{
	static unsigned long block[8192];
	struct stat st;
	int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY);

	fill(block, sizeof block / sizeof *block, pattern);
	if (fd < 0 || fstat(fd, &st) < 0)
		die(path);
	for (off_t at = 0; at < st.st_size; at += (off_t)sizeof block) {
		size_t rest = (size_t)(st.st_size - at);

		syscall(SYS_pwrite64, fd, block, rest < sizeof block ? rest : sizeof block, at);
	}
	syscall(SYS_close, fd);
}

/* Returns how many there were. */
static int overwrite_all(enum pattern pattern)
{
	const char *directory = getenv("SCPROF_OUT");
	DIR *d = directory ? opendir(directory) : NULL;
	char path[4096];
	int found = 0;

	for (struct dirent *e; d && (e = readdir(d));) {
		const char *end = strrchr(e->d_name, '.');

		if (*e->d_name == '.' || !end || strcmp(end, ".scp") != 0)
			continue;
		snprintf(path, sizeof path, "%s/%s", directory, e->d_name);
		overwrite(path, pattern);
		found++;
	}
	if (d)
		closedir(d);
	return found;
}

/* The bits of `way` are the path. */
NOINLINE static void descend(unsigned way, int depth)
{
	if (depth == 0) {
		exchange(pair);
	} else if (way & 1) {
		descend(way >> 1, depth - 1);
		__asm__ volatile("# 1" ::: "memory");
	} else {
		descend(way >> 1, depth - 1);
		__asm__ volatile("# 0" ::: "memory");
	}
}

static void new_paths(void)
{
	for (int i = 0; i < 40; i++)
		descend(turn++, PATH_BITS);
}

/* Batches close, and are joined to larger ones; sizes vary. */
static void known_paths(void)
{
	char data[256] = {0};

	for (size_t i = 0; i < 3000; i++) {
		size_t bytes = 1 + i * 37 % 255;

		if (send(pair[0], data, bytes, 0) != (ssize_t)bytes ||
		    recv(pair[1], data, sizeof data, 0) != (ssize_t)bytes)
			die("send, recv");
	}
}

static void region(void)
{
	for (int i = 0; i < 100; i++) {
		SCPROF_BEGIN("outer");
		exchange(pair);
		SCPROF_BEGIN("inner");
		SCPROF_END;
		SCPROF_END;
		SCPROF_POINT("here");
	}
}

static void *work_in_thread(void *nothing)
{
	new_paths();
	return nothing;
}

static void thread(void)
{
	pthread_t id;

	for (int i = 0; i < 4; i++) {
		if (pthread_create(&id, NULL, work_in_thread, NULL))
			die("pthread_create");
		pthread_join(id, NULL);
	}
}

static void child(void)
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		new_paths();
		overwrite_all(NOISE);
		new_paths();
		exit(7);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status) ||
	    WEXITSTATUS(status) != 7)
		say("a child ended with %#x\n", (unsigned)status);
}

static void library(void)
{
	void *handle = dlopen(plugin, RTLD_NOW);
	entry_function *call = handle ? (entry_function *)dlsym(handle, "plugin_a") : NULL;

	if (!call)
		die(plugin);
	call(pair);
	dlclose(handle);
	exchange(pair); /* all memos are stale: every module is compared */
}

static void (*const steps[])(void) = {new_paths, known_paths, region, thread, child, library};
#define STEPS (sizeof steps / sizeof *steps)

static volatile int done, passes;

static void *overwrite_always(void *nothing)
{
	while (!done)
		overwrite_all((enum pattern)(passes++ % PATTERNS));
	return nothing;
}

static void all_together(void)
{
	pthread_t id;

	if (pthread_create(&id, NULL, overwrite_always, NULL))
		die("pthread_create");
	for (unsigned i = 0; i < TOGETHER || passes < 3 * PATTERNS; i++)
		if (steps[i % STEPS] != child) /* a file may be gone before it is opened */
			steps[i % STEPS]();
	done = 1;
	pthread_join(id, NULL);
}

int main(int argc, char **argv)
{
	int found = 0;

	if (argc != 2)
		return 2;
	plugin = argv[1];
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
		die("socketpair");
	for (unsigned i = 0; i < STEPS; i++)
		steps[i]();
	for (int round = 0; round < ROUNDS; round++)
		for (unsigned i = 0; i < STEPS * PATTERNS; i++) {
			found += overwrite_all((enum pattern)(i % PATTERNS));
			steps[i / PATTERNS]();
		}
	all_together();
	if (getenv("LD_PRELOAD") && !found)
		say("no profile was found\n");
	say("done\n");
	return 5;
}
