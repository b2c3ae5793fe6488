// SPDX-License-Identifier: GPL-3.0-or-later
/* A kernel that tells of no vDSO, as emulators are: getauxval says so by errno, which is to be 0
 * when this program begins. */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <unistd.h>

/* The program's own, which libraries find, too. */
unsigned long getauxval(unsigned long type)
{
	unsigned long (*libc)(unsigned long) = dlsym(RTLD_NEXT, "getauxval");

	if (type != AT_SYSINFO_EHDR)
		return libc(type);
	errno = ENOENT;
	return 0;
}

int main(void)
{
	int first = errno, second = write(1, "", 0) + errno;

	printf("%d %d\n", first, second);
	return first || second;
}
