// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/support/copy_fixture.h"

#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <elfutils/libdwelf.h>

#include "tests/unit/support/report_fixture.h"

char copy_directory[] = "/tmp/scprof-test-XXXXXX", copy_path[PATH_MAX];
struct prof_module copy_module[COPY_MODULES];
struct profile copy_profile;

int copy_first(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n + 1;
}

int copy_second(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n + 2;
}

const char *copy_file(const char *name)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", copy_directory, name);
	return path;
}

void copy_shell(const char *format, ...)
{
	char command[1000];
	va_list args;
	int at = snprintf(command, sizeof(command), "cd %s && ", copy_directory);

	va_start(args, format);
	vsnprintf(command + at, sizeof(command) - (size_t)at, format, args);
	va_end(args);
	assert_int_equal(system(command), 0);
}

static void read_build_id(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	const void *bits;
	ssize_t bytes;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	bytes = dwelf_elf_gnu_build_id(elf, &bits);
	assert_in_range(bytes, 8, SCP_BUILD_ID_MAX);
	for (size_t i = 0; i < COPY_MODULES; i++) {
		memcpy(copy_module[i].build_id, bits, (size_t)bytes);
		copy_module[i].build_id_bytes = (uint32_t)bytes;
	}
	elf_end(elf);
	close(fd);
}

int copy_make(void **state)
{
	(void)state;
	strcpy(copy_directory + sizeof(copy_directory) - 7, "XXXXXX");
	if (!mkdtemp(copy_directory) || chmod(copy_directory, 0755) != 0)
		return -1;
	copy_shell("cp /proc/%d/exe app && chmod 755 app", getpid());
	read_build_id();
	copy_module[0].path = strcpy(copy_path, copy_file("app"));
	copy_profile = (struct profile){.module = copy_module, .modules = 1};
	return 0;
}

int copy_remove(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", copy_directory);
	return system(command);
}

void copy_apart(void (*body)(void))
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		signal(SIGBUS, SIG_DFL); /* cmocka would go on */
		alarm(900);
		body();
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static int first_bias(struct dl_phdr_info *info, size_t size, void *bias)
{
	(void)size;
	*(uintptr_t *)bias = info->dlpi_addr;
	return 1; /* the program itself comes first */
}

uint64_t copy_offset(int (*function)(int))
{
	uintptr_t bias = 0;

	dl_iterate_phdr(first_bias, &bias);
	return (uintptr_t)function - bias;
}

const struct symbol *copy_symbol(struct symbolizer *s, uint32_t number, int (*function)(int))
{
	struct prof_frame frame = {.module = number & 0xffff, .exact = true};
	size_t count;

	frame.offset = copy_offset(function) & ((UINT64_C(1) << 47) - 1);
	return symbolize_frame(s, &frame, &count);
}

bool copy_is_called(const struct symbol *symbol, const char *name)
{
	return symbol->function && !strcmp(symbol->function, name);
}

struct symbolizer *copy_begin(bool guarded)
{
	struct symbolizer *s = symbolize_new(&copy_profile);

	CHECK(s);
	if (guarded)
		symbolize_guard(s);
	return s;
}
