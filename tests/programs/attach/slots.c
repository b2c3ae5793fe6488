// SPDX-License-Identifier: GPL-3.0-or-later
/* Opens the library itself, has its slots led there and put back, and looks at all memory that the
 * loader writes to. Usage: slots LIBRARY SCENARIO [OBJECT]. Status 0: all as it should be. */
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scprof.h"
#include "scprof_attach.h"

#define THREADS	  32
#define CYCLES	  250
#define MOST_TEXT (1 << 20)

static struct {
	bool (*begin)(void);
	void (*write)(void), (*put_back)(void);
	bool (*stubs)(const char *path);
	struct scp_attach_slots *n;
	void *own;
} api;

static ssize_t (*volatile data_pointer)(int, void *, size_t) = read;
static ssize_t (*const volatile constant_pointer)(int, void *, size_t) = read;
static int zero = -1; /* /dev/zero */

static void fail(const char *what)
{
	fprintf(stderr, "slots: %s\n", what);
	exit(1);
}

static void check(bool holds, const char *what)
{
	if (!holds)
		fail(what);
}

/* Is it an address in the library? */
static bool is_led(const void *function)
{
	Dl_info a, b;
	return dladdr(function, &a) && dladdr(api.own, &b) && a.dli_fbase == b.dli_fbase;
}

/* A program at a fixed address may have an address for a function of a library: its own way to it,
 * by a slot. */
static bool is_own_way(const void *function)
{
	Dl_info a, b;
	return dladdr(function, &a) && dladdr(&api, &b) && a.dli_fbase == b.dli_fbase;
}

/* What the loader writes to, of every object but the library: a copy, or a comparison with it. */
struct copy {
	uint8_t *bytes;
	size_t at;
	bool compare;
	size_t differ;
};

static void take_range(struct copy *c, const uint8_t *from, size_t n)
{
	for (size_t i = 0; i < n; i++, c->at++) {
		if (!c->compare)
			c->bytes[c->at] = from[i];
		else
			c->differ += c->bytes[c->at] != from[i];
	}
}

static int take_object(struct dl_phdr_info *o, size_t size, void *data)
{
	Dl_info own;
	(void)size;
	if (dladdr(api.own, &own) && o->dlpi_addr == (ElfW(Addr))own.dli_fbase)
		return 0;
	bool is_system = strstr(o->dlpi_name, "/libc.so") || strstr(o->dlpi_name, "/ld-");
	for (int i = 0; i < o->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &o->dlpi_phdr[i];
		bool wanted = p->p_type == PT_GNU_RELRO ||
			      (p->p_type == PT_LOAD && (p->p_flags & PF_W) && !is_system);
		if (wanted) /* of libc and the loader: memory and locks change all the time */
			take_range(data, (const uint8_t *)(o->dlpi_addr + p->p_vaddr), p->p_memsz);
	}
	return 0;
}

static struct copy copy_memory(void)
{
	struct copy c = {.bytes = mmap(NULL, 64 << 20, PROT_READ | PROT_WRITE,
				       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)};
	dl_iterate_phdr(take_object, &c);
	return c;
}

static size_t differing_bytes(struct copy *c)
{
	size_t was = c->at;
	c->compare = true;
	c->at = c->differ = 0;
	dl_iterate_phdr(take_object, c);
	check(c->at == was, "other objects are loaded than before");
	return c->differ;
}

/* Mappings of files, with their protection. `all`: any mapping, but for what this reads into. */
static char *read_maps(bool all)
{
	static char text[2][MOST_TEXT];
	static int which;
	char *to = text[which ^= 1], line[600];
	size_t at = 0;
	FILE *f = fopen("/proc/self/maps", "r");
	if (!f)
		fail("no list of mappings");
	while (at < MOST_TEXT && fgets(line, sizeof line, f))
		if (all || strchr(line, '/'))
			at += (size_t)snprintf(to + at, MOST_TEXT - at, "%s", line);
	fclose(f);
	return to;
}

static void open_library(const char *path)
{
	void *h = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!h)
		fail(dlerror());
	api.begin = (bool (*)(void))dlsym(h, "slots_test_begin");
	api.write = (void (*)(void))dlsym(h, "slots_test_write");
	api.put_back = (void (*)(void))dlsym(h, "slots_test_put_back");
	api.stubs = (bool (*)(const char *))dlsym(h, "slots_test_stubs");
	api.n = dlsym(h, "slots_test_counts");
	api.own = (void *)api.write;
	check(api.begin && api.write && api.put_back && api.n, "the library has no slots to test");
}

static long read_all_ways(void)
{
	char x[4];
	return read(zero, x, 1) + data_pointer(zero, x, 1) + constant_pointer(zero, x, 1);
}

static void cycle(void)
{
	api.write();
	check(api.n->written > 0 && !api.n->failed, "nothing was written");
	check(is_own_way((void *)data_pointer) ||
		      (is_led((void *)data_pointer) && is_led((void *)constant_pointer)),
	      "a pointer does not lead to the library");
	check(read_all_ways() == 3, "a call has another result");
	api.put_back();
	check(api.n->put_back == api.n->written, "not all was put back");
	check(!api.n->changed && !api.n->gone && !api.n->failed, "something was not as it was");
	check(!is_led((void *)data_pointer), "a pointer still leads to the library");
}

/* Every byte and every mapping as before. */
static void scenario_restored(void)
{
	char *maps = read_maps(false);
	cycle(); /* has its memory from now on; lazily bound: what this program calls */
	check(!strcmp(maps, read_maps(false)), "mappings of files differ");
	struct copy memory = copy_memory();
	for (int i = 0; i < CYCLES; i++) {
		api.write();
		api.put_back();
	}
	check(differing_bytes(&memory) == 0, "memory differs");
	maps = read_maps(true);
	for (int i = 0; i < CYCLES; i++)
		cycle();
	check(!strcmp(maps, read_maps(true)), "mappings differ");
}

static void scenario_first(void)
{
	struct copy memory = copy_memory();
	api.write();
	check(api.n->written > 0, "nothing was written");
	api.put_back();
	check(differing_bytes(&memory) == 0, "memory differs");
}

static volatile bool stop;

static void *call_always(void *result)
{
	while (!stop)
		if (read_all_ways() != 3)
			*(bool *)result = true;
	return NULL;
}

static void scenario_threads(void)
{
	pthread_t thread[THREADS];
	bool wrong[THREADS] = {false};
	for (int i = 0; i < THREADS; i++)
		check(pthread_create(&thread[i], NULL, call_always, &wrong[i]) == 0, "no thread");
	for (int i = 0; i < CYCLES; i++)
		cycle();
	stop = true;
	for (int i = 0; i < THREADS; i++) {
		pthread_join(thread[i], NULL);
		check(!wrong[i], "a thread's call has another result");
	}
}

static ssize_t own_read(int fd, void *buf, size_t n)
{
	(void)fd, (void)buf;
	return (ssize_t)n;
}

static void scenario_changed(void)
{
	api.write();
	data_pointer = own_read;
	api.put_back();
	check(data_pointer == own_read, "the program's own was not left");
	check(api.n->changed == 1 || is_own_way((void *)constant_pointer), "and not counted");
	check(api.n->put_back + api.n->changed == api.n->written, "others were not put back");
}

static void *open_late(const char *path, int flags, bool expected)
{
	char x[4];
	void *h = flags < 0 ? dlmopen(LM_ID_NEWLM, path, RTLD_NOW) : dlopen(path, flags);
	if (!h)
		fail(dlerror());
	void *(*word)(int) = (void *(*)(int))dlsym(h, "late_word");
	long (*call)(int, char *, long) = (long (*)(int, char *, long))dlsym(h, "late_read");
	check(is_own_way(word(0)) || (is_led(word(0)) == expected && is_led(word(1)) == expected),
	      expected ? "a later object does not lead to the library"
		       : "an object of another namespace leads to the library");
	check(call(zero, x, 3) == 3, "a later object's call has another result");
	return h;
}

static void scenario_later(const char *late)
{
	static const int flags[] = {RTLD_LAZY | RTLD_LOCAL, RTLD_NOW | RTLD_GLOBAL,
				    RTLD_LAZY | RTLD_DEEPBIND};
	api.write();
	for (unsigned i = 0; i < 3 * 100; i++) /* as a rule where it was before */
		check(dlclose(open_late(late, flags[i / 100], true)) == 0, "not closed");
	void *h = open_late(late, RTLD_LAZY, true);
	void *other = open_late(late, -1, false);
	void *(*word)(int) = (void *(*)(int))dlsym(h, "late_word");
	uint32_t gone = api.n->gone;
	api.put_back();
	check(gone > 0 && api.n->put_back + gone == api.n->written, "not all was put back");
	check(!is_led(word(0)) && !is_led(word(1)), "a later object still leads to the library");
	char *maps = read_maps(true);
	api.write();
	api.put_back();
	check(!strcmp(maps, read_maps(true)), "mappings differ");
	dlclose(h);
	dlclose(other);
}

/* A function may keep what it has once read. */
static __attribute__((noinline, noclone)) bool pass_region(void)
{
	SCPROF_BEGIN("passed");
	SCPROF_END;
	return scprof_find() != NULL;
}

static void scenario_regions(void)
{
	check(!pass_region(), "markers lead somewhere before");
	check(api.begin(), "no session");
	api.write();
	check(api.n->kept == 1, "the markers' slot was not written");
	for (int i = 0; i < 10; i++)
		check(pass_region(), "markers lead nowhere");
	api.put_back();
	check(pass_region(), "a marker would have called address 0");
	api.write();
	check(api.n->kept == 1 && pass_region(), "not used again");
}

static void scenario_forked(const char *late)
{
	api.write();
	fflush(NULL);
	pid_t child = fork();
	if (child == 0) {
		check(read_all_ways() == 3, "a child's call has another result");
		open_late(late, RTLD_LAZY, false);
		_exit(0);
	}
	int status = 1;
	check(waitpid(child, &status, 0) == child && status == 0, "the child failed");
	api.put_back();
}

/* Another object of the same functions is not kept. */
static void scenario_again(const char *stubs, const char *same)
{
	check(api.stubs(stubs), "the loader does not take the stubs");
	api.write(); /* has its memory */
	api.put_back();
	char *maps = read_maps(true);
	check(api.stubs(NULL) && api.stubs(same), "the loader does not take the same stubs");
	check(!strcmp(maps, read_maps(true)), "the same stubs were kept twice");
	check(!api.stubs("/dev/null"), "no object, and taken");
}

/* Calls that a test counts. */
static void scenario_calls(const char *stubs)
{
	char x[4];
	if (stubs)
		check(api.stubs(stubs), "the loader does not take the stubs");
	check(api.begin(), "no session");
	api.write();
	for (int i = 0; i < 10; i++) {
		read_all_ways();
		check(lseek(zero, 0, SEEK_SET) == 0, "a selected call has another result");
		dup2(zero, zero);
	}
	api.put_back();
	for (int i = 0; i < 10; i++)
		check(read(zero, x, 1) == 1 && lseek(zero, 0, SEEK_SET) == 0, "wrong");
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[2] : "", *object = argc > 3 ? argv[3] : NULL;
	check(argc > 2, "usage: slots LIBRARY SCENARIO [OBJECT]");
	open_library(argv[1]);
	zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	if (!strcmp(what, "restored"))
		scenario_restored();
	else if (!strcmp(what, "first"))
		scenario_first();
	else if (!strcmp(what, "threads"))
		scenario_threads();
	else if (!strcmp(what, "changed"))
		scenario_changed();
	else if (!strcmp(what, "later") && object)
		scenario_later(object);
	else if (!strcmp(what, "forked") && object)
		scenario_forked(object);
	else if (!strcmp(what, "regions"))
		scenario_regions();
	else if (!strcmp(what, "again") && argc > 4)
		scenario_again(object, argv[4]);
	else if (!strcmp(what, "calls"))
		scenario_calls(object);
	else
		fail("no such scenario");
	return 0;
}
