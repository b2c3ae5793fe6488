// SPDX-License-Identifier: GPL-3.0-or-later
/* Waits of a millisecond, by the clock that it gives (given_clock.h), until the tool has stopped
 * recording, then as many again, however fast the machine is. Says how many there were until then,
 * of which the last may have ended after the stop. */
#include <poll.h>
#include <sys/mman.h>

#include "given_clock.h"
#include "scprof_control.h"
#include "target.h"

static const struct scp_control_page *control_page(void)
{
	const char *path = getenv("SCPROF_CONTROL");
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	void *page;

	if (fd < 0)
		die("no page of control");
	page = mmap(NULL, SCP_CONTROL_BYTES, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (page == MAP_FAILED)
		die("mmap");
	return page;
}

static NOINLINE void wait_once(void)
{
	given_step = 800000 + given_random(400000);
	poll(NULL, 0, 1);
	given_step = 0;
	NO_TAIL_CALL();
}

int main(void)
{
	const struct scp_control_page *page = control_page();
	long waits = 0;

	while (__atomic_load_n(&page->word, __ATOMIC_ACQUIRE) & 1) {
		wait_once();
		waits++;
	}
	for (long i = 0; i < waits; i++)
		wait_once();
	say("%ld waits while it was recorded\n", waits);
	return 0;
}
