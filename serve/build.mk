# SPDX-License-Identifier: GPL-3.0-or-later
SERVE_SRC = \
	serve/agent.c \
	serve/agent_find.c \
	serve/agent_meet.c \
	serve/agent_read.c \
	serve/connections.c \
	serve/counters.c \
	serve/gauges.c \
	serve/http.c \
	serve/http_answer.c \
	serve/http_failures.c \
	serve/http_models.c \
	serve/http_tend.c \
	serve/index_page.c \
	serve/label.c \
	serve/metrics.c \
	serve/metrics_write.c \
	serve/negotiate.c \
	serve/pool.c \
	serve/pprof_window.c \
	serve/renderer.c \
	serve/renderer_wire.c \
	serve/rendering.c \
	serve/renderings.c \
	serve/request.c \
	serve/row_counters.c \
	serve/shares.c \
	serve/snapshot.c \
	serve/source.c \
	serve/variance_counter.c

MICROHTTPD_CFLAGS := $(shell pkg-config --cflags libmicrohttpd 2>/dev/null)
MICROHTTPD_LIBS := $(shell pkg-config --libs libmicrohttpd 2>/dev/null || echo -lmicrohttpd)
CFLAGS_serve_http = $(MICROHTTPD_CFLAGS)
