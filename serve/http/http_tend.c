// SPDX-License-Identifier: GPL-3.0-or-later
/* Trouble of the server itself. The log says when it begins and when it is over, /healthz as long
 * as it lasts. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "serve/http/http_private.h"

#define LATELY_NS     (UINT64_C(60) * 1000000000)
#define TEXT(number)  TEXT_(number)
#define TEXT_(number) #number
#define CROWDED                                                                                    \
	"too many connections: clients were refused in the last minute; " TEXT(                    \
		CONNECTIONS_MOST) " may be open at a time, " TEXT(CONNECTIONS_OF_ONE) " from one " \
										      "address"

int http_tend_take_descriptor(void)
{
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static void give(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Is a descriptor left besides the spare one? If not, the spare one is closed, so that the next
 * client can ask /healthz. */
static bool descriptors_left(struct http *h)
{
	int one;
	bool left;

	if (h->spare < 0)
		h->spare = http_tend_take_descriptor();
	one = http_tend_take_descriptor();
	left = one >= 0 || (errno != EMFILE && errno != ENFILE);
	give(&one);
	if (!left)
		give(&h->spare);
	return left;
}

static enum http_trouble find_trouble(struct http *h)
{
	uint64_t now_ns = monotonic_now_ns();

	connections_tend(&h->connections, now_ns);
	if (!descriptors_left(h)) {
		connections_drop_one(&h->connections, now_ns);
		return HTTP_NO_DESCRIPTORS;
	}
	return connections_refused_since(&h->connections, now_ns - LATELY_NS) ? HTTP_CROWDED
									      : HTTP_WELL;
}

const char *http_tend_trouble_text(enum http_trouble trouble)
{
	switch (trouble) {
	case HTTP_CROWDED:
		return CROWDED;
	case HTTP_NO_DESCRIPTORS:
		return "no file descriptors are left: clients wait and new profiles are not "
		       "followed; raise the limit (ulimit -n, LimitNOFILE=) or follow fewer "
		       "profiles (--max-files)";
	case HTTP_WELL:
		break;
	}
	return "clients and profiles have room again";
}

const char *http_tend(struct http *h)
{
	enum http_trouble trouble = find_trouble(h);
	bool news;

	renderings_tend(&h->renderings);
	pthread_mutex_lock(&h->lock);
	news = trouble != h->trouble;
	h->trouble = trouble;
	pthread_mutex_unlock(&h->lock);
	return news ? http_tend_trouble_text(trouble) : http_failures_news(h);
}
