// SPDX-License-Identifier: GPL-3.0-or-later
/* Feeds mutants of profiles to the commands that read profiles. (fuzz_reader.c searches the
 * reader alone.)
 *
 * mutate [OPTION...] FILE...   mutants of the files, in turn, the same for a seed
 *   -s SEED      (default: 1)
 *   -n FIRST     the first mutant's number (default: 0)
 *   -c COUNT     how many (default: 1000)
 *   -t SECONDS   stop then, however many there were
 *   -k TURNS     commands that each mutant is given to, of all in turn (default: 4)
 *   -y           let commands find the symbols of the profiles' modules: 100 times as slow
 *   -r           no mutants: the files as they are, and all commands
 *
 * A mutant is either refused with a message, or every command ends with a status that it
 * documents; JSON is JSON, and a merged profile can be read. What crashes, leaks, takes more than
 * 20 s of CPU time or 4 GiB is kept in ./mutant.SEED.NUMBER.scp, and the next mutants follow. Exit
 * status: 0 nothing was found, 1 something was, 2 wrong usage.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/fuzz/mutant_commands.h"
#include "tests/fuzz/mutation.h"
#include "profile/profile.h"

#define CPU_SECONDS  20	 /* a mutant takes 0.1 s under the sanitizers */
#define WALL_SECONDS 300 /* one that waits for ever; the machine may be busy */
#define MOST_MEMORY  (UINT64_C(4) << 30)
#define BATCH	     1000 /* mutants a process: leaks show when it ends */

#if defined(__SANITIZE_ADDRESS__)
/* The address space is the sanitizer's: it watches what is resident. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "hard_rss_limit_mb=4096:allocator_may_return_null=1:max_allocation_size_mb=4096";
}
#endif

struct seed_file {
	const char *path;
	uint8_t *data;
	size_t size;
	struct mutation_map *map;
};

static struct {
	uint64_t seed, first, count, turns;
	double seconds;
	bool replay, symbols;
	struct seed_file *file;
	size_t files;
} wishes = {.seed = 1, .count = 1000, .turns = 4};

/* What a worker tells, also where it dies. */
struct told {
	uint64_t at; /* the mutant's number */
	uint64_t done, accepted, refused;
	char command[MUTANT_COMMAND];
};
static struct told *told;

static struct mutant_files files;

static void fail(const char *what)
{
	fprintf(stderr, "mutate: %s: %s\n", what, strerror(errno));
	exit(2);
}

/* In the memory of the machine, and a new one each time. */
static void store(const char *path, const uint8_t *data, size_t size)
{
	int fd;

	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		fail(path);
	close(fd);
}

static bool is_accepted(void)
{
	struct profile_error error = {""};
	const char *path = files.mutant;
	struct profile *p;

	snprintf(told->command, sizeof(told->command), "open");
	p = profile_open(&path, 1, &error);
	if (!p && strlen(error.text) < 20)
		mutant_give_up("refused without a message");
	if (p)
		profile_free(p);
	return p;
}

static void begin_watch(void)
{
	struct itimerval limit = {.it_value = {.tv_sec = CPU_SECONDS}};

	setitimer(ITIMER_PROF, &limit, NULL);
	alarm(WALL_SECONDS);
}

static const struct seed_file *file_of(uint64_t number)
{
	return &wishes.file[number % wishes.files];
}

static size_t make(uint64_t number, uint8_t *to)
{
	const struct seed_file *f = file_of(number);

	if (!wishes.replay)
		return mutation_make(f->map, wishes.seed * UINT64_C(0xd1342543de82ef95) + number,
				     to);
	memcpy(to, f->data, f->size);
	return f->size;
}

static void try_one(uint64_t number, uint8_t *room)
{
	const struct seed_file *f = file_of(number);
	uint64_t turns = wishes.replay ? mutant_commands : wishes.turns;
	char line[sizeof(told->command)];

	told->at = number;
	begin_watch();
	store(files.mutant, room, make(number, room));
	store(files.good, f->data, f->size);
	if (is_accepted()) {
		told->accepted++;
		for (uint64_t i = 0; i < turns; i++) {
			/* Its own turns whichever file it is of, so that all meet. */
			mutant_command_name(number / wishes.files * turns + i, line, sizeof(line));
			snprintf(told->command, sizeof(told->command), "%s", line);
			mutant_command_run(line, &files);
		}
	} else {
		told->refused++;
	}
	told->done++;
}

/* The commands' complaints go nowhere; the sanitizers' stay on descriptor 2. */
static void be_quiet(void)
{
	int text = open(files.text, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	FILE *nowhere = fopen("/dev/null", "we");

	if (fd < 0 || text < 0 || dup2(text, STDOUT_FILENO) < 0 || dup2(fd, STDIN_FILENO) < 0 ||
	    !nowhere)
		fail("/dev/null");
	close(fd);
	close(text);
	stderr = nowhere;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void work(uint64_t from, uint64_t to, double end)
{
	uint8_t *room;
	size_t most = 1;

	for (size_t i = 0; i < wishes.files; i++)
		most = wishes.file[i].size > most ? wishes.file[i].size : most;
	room = malloc(most);
	if (!room)
		fail("memory");
#if !defined(__SANITIZE_ADDRESS__)
	setrlimit(RLIMIT_AS, &(struct rlimit){MOST_MEMORY, MOST_MEMORY});
#endif
	setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
	be_quiet();
	for (uint64_t i = from; i < to && (end <= 0 || now() < end); i++)
		try_one(i, room);
	free(room);
	exit(0); /* leaks are reported now */
}

static void keep_finding(int status)
{
	char path[128], why[64];
	uint8_t *room = malloc(file_of(told->at)->size);

	if (!room)
		fail("memory");
	snprintf(path, sizeof(path), "mutant.%llu.%llu.scp", (unsigned long long)wishes.seed,
		 (unsigned long long)told->at);
	store(path, room, make(told->at, room));
	free(room);
	if (WIFSIGNALED(status))
		snprintf(why, sizeof(why), "signal %d%s", WTERMSIG(status),
			 WTERMSIG(status) == SIGPROF   ? ", it took too long"
			 : WTERMSIG(status) == SIGALRM ? ", it waited too long"
						       : "");
	else
		snprintf(why, sizeof(why), "status %d", WEXITSTATUS(status));
	printf("mutate: %s: mutant %llu of %s, kept in %s\n  %s (= is %s)\n", why,
	       (unsigned long long)told->at, file_of(told->at)->path, path, told->command,
	       file_of(told->at)->path);
}

/* Numbers from..to - 1, in processes of their own; returns how many findings. */
static uint64_t run_batch(uint64_t from, uint64_t to, double end)
{
	uint64_t found = 0;
	int status;
	pid_t pid;

	while (from < to && (end <= 0 || now() < end)) {
		uint64_t done = told->done;

		fflush(stdout);
		pid = fork();
		if (pid == 0)
			work(from, to, end);
		if (pid < 0 || waitpid(pid, &status, 0) != pid)
			fail("a process");
		if (status == 0)
			break;
		found++;
		if (told->done - done == to - from) {
			printf("mutate: status %d after mutants %llu to %llu of seed %llu: a "
			       "leak?\n",
			       status, (unsigned long long)from, (unsigned long long)to - 1,
			       (unsigned long long)wishes.seed);
			break;
		}
		keep_finding(status);
		from = told->at + 1;
	}
	return found;
}

static void load(struct seed_file *f, const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	*f = (struct seed_file){.path = path};
	if (fd < 0 || fstat(fd, &st) < 0 || st.st_size <= 0)
		fail(path);
	f->size = (size_t)st.st_size;
	f->data = malloc(f->size);
	if (!f->data || read(fd, f->data, f->size) != (ssize_t)f->size)
		fail(path);
	close(fd);
	f->map = mutation_map_new(f->data, f->size);
	if (f->map && !wishes.symbols)
		mutation_hide_modules(f->map, f->data);
	if (!f->map && !wishes.replay) {
		errno = EINVAL;
		fail(path);
	}
}

static int usage(void)
{
	fputs("usage: mutate [-s SEED] [-n FIRST] [-c COUNT] [-t SECONDS] [-k TURNS] [-y] [-r] "
	      "FILE...\n",
	      stderr);
	return 2;
}

static int parse(int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "s:n:c:t:k:yr")) != -1) {
		if (option == 's')
			wishes.seed = strtoull(optarg, NULL, 10);
		else if (option == 'n')
			wishes.first = strtoull(optarg, NULL, 10);
		else if (option == 'c')
			wishes.count = strtoull(optarg, NULL, 10);
		else if (option == 't')
			wishes.seconds = strtod(optarg, NULL);
		else if (option == 'k')
			wishes.turns = strtoull(optarg, NULL, 10);
		else if (option == 'y')
			wishes.symbols = true;
		else if (option == 'r')
			wishes.replay = true;
		else
			return -1;
	}
	return optind < argc ? 0 : -1;
}

static void prepare(int argc, char **argv)
{
	wishes.files = (size_t)(argc - optind);
	wishes.file = calloc(wishes.files, sizeof(*wishes.file));
	told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!wishes.file || told == MAP_FAILED)
		fail("memory");
	for (size_t i = 0; i < wishes.files; i++)
		load(&wishes.file[i], argv[optind + (int)i]);
	if (wishes.replay) {
		wishes.first = 0;
		wishes.count = wishes.files;
	}
	snprintf(files.mutant, sizeof(files.mutant), "/dev/shm/mutant.%d.scp", (int)getpid());
	snprintf(files.good, sizeof(files.good), "/dev/shm/mutant.%d.good.scp", (int)getpid());
	snprintf(files.out, sizeof(files.out), "/dev/shm/mutant.%d.out", (int)getpid());
	snprintf(files.text, sizeof(files.text), "/dev/shm/mutant.%d.text", (int)getpid());
	unsetenv("DEBUGINFOD_URLS"); /* no mutant waits for a server */
}

static void finish(void)
{
	unlink(files.mutant);
	unlink(files.good);
	unlink(files.out);
	unlink(files.text);
	for (size_t i = 0; i < wishes.files; i++) {
		if (wishes.file[i].map)
			mutation_map_free(wishes.file[i].map);
		free(wishes.file[i].data);
	}
	free(wishes.file);
}

int main(int argc, char **argv)
{
	uint64_t found = 0, last, at;
	double end;

	if (parse(argc, argv))
		return usage();
	prepare(argc, argv);
	end = wishes.seconds > 0 ? now() + wishes.seconds : 0;
	last = wishes.first + wishes.count;
	for (at = wishes.first; at < last && (end <= 0 || now() < end); at += BATCH)
		found += run_batch(at, at + BATCH < last ? at + BATCH : last, end);
	printf("%llu mutants of seed %llu: %llu accepted, %llu refused; %llu findings\n",
	       (unsigned long long)(told->accepted + told->refused),
	       (unsigned long long)wishes.seed, (unsigned long long)told->accepted,
	       (unsigned long long)told->refused, (unsigned long long)found);
	finish();
	return found > 0;
}
