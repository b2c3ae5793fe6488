// SPDX-License-Identifier: GPL-3.0-or-later
/* Opened when slots are led already: what do its words hold, and do its calls work? */
#include <unistd.h>

ssize_t (*late_pointer)(int, void *, size_t) = read;
ssize_t (*const late_constant[1])(int, void *, size_t) = {read};

long late_read(int fd, char *buf, long n);
void *late_word(int which);

long late_read(int fd, char *buf, long n)
{
	return read(fd, buf, (size_t)n) + late_pointer(fd, buf, 0) + late_constant[0](fd, buf, 0);
}

void *late_word(int which)
{
	return which ? (void *)late_constant[0] : (void *)late_pointer;
}
