// SPDX-License-Identifier: GPL-3.0-or-later
/* Addresses to listen on, from text and back. */
#include <arpa/inet.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/serve/http/http_private.h"

#include "profile/base/error.h"

#define PORT_DEFAULT "9464"

static int address_failed(struct profile_error *err, const char *text, const char *why)
{
	return error_set(
		err,
		"cannot listen on '%.100s': %s; give ADDRESS:PORT, such as 127.0.0.1:9464 or "
		"[::1]:9464",
		text, why);
}

/* host[] and port[] from the text; -1: too long, or brackets that do not match. */
static int split(const char *text, char host[64], char port[8])
{
	bool port_only = strspn(text, "0123456789") == strlen(text), six = *text == '[';
	size_t length = port_only ? 0 : strcspn(text, six ? "]" : ":");
	const char *rest = text + length;

	if (length >= 64 || (six && *rest++ != ']') || (!port_only && *rest && *rest != ':'))
		return -1;
	snprintf(host, 64, "%.*s", (int)length - six, text + six);
	if (!length)
		strcpy(host, "127.0.0.1");
	rest += *rest == ':';
	if (strlen(rest) >= 8 || (!*rest && rest[-1] == ':'))
		return -1;
	strcpy(port, *rest ? rest : PORT_DEFAULT);
	return 0;
}

void http_address_describe(struct http_address *a)
{
	const struct sockaddr_in *four = (const void *)&a->address;
	const struct sockaddr_in6 *six = (const void *)&a->address;
	bool is_six = a->address.ss_family == AF_INET6;
	char host[INET6_ADDRSTRLEN], port[8];

	getnameinfo((const void *)&a->address, a->bytes, host, sizeof(host), port, sizeof(port),
		    NI_NUMERICHOST | NI_NUMERICSERV);
	a->loopback = is_six ? IN6_IS_ADDR_LOOPBACK(&six->sin6_addr)
			     : ntohl(four->sin_addr.s_addr) >> 24 == 127;
	snprintf(a->text, sizeof(a->text), is_six ? "[%s]:%s" : "%s:%s", host, port);
}

int http_address_parse(struct http_address *a, const char *text, struct profile_error *err)
{
	struct sockaddr_in *four = (void *)&a->address;
	struct sockaddr_in6 *six = (void *)&a->address;
	char host[64], port[8];
	unsigned long number;

	*a = (struct http_address){0};
	if (!*text)
		return address_failed(err, text, "that is empty");
	if (split(text, host, port))
		return address_failed(err, text, "that is not an address with a port");
	number = strspn(port, "0123456789") == strlen(port) ? strtoul(port, NULL, 10) : 65536;
	if (number > 65535)
		return address_failed(err, text, "the port is not a number from 0 to 65535");
	if (!strcmp(host, "localhost"))
		strcpy(host, "127.0.0.1");
	if (inet_pton(AF_INET, host, &four->sin_addr) == 1) {
		four->sin_family = AF_INET;
		four->sin_port = htons((uint16_t)number);
		a->bytes = sizeof(*four);
	} else if (inet_pton(AF_INET6, host, &six->sin6_addr) == 1) {
		six->sin6_family = AF_INET6;
		six->sin6_port = htons((uint16_t)number);
		a->bytes = sizeof(*six);
	} else {
		return address_failed(err, text, "that is not an IP address");
	}
	http_address_describe(a);
	return 0;
}
