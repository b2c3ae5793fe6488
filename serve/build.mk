# SPDX-License-Identifier: GPL-3.0-or-later
SERVE_SRC = \
	serve/agent/agent.c \
	serve/agent/agent_find.c \
	serve/agent/agent_meet.c \
	serve/agent/agent_read.c \
	serve/agent/listing.c \
	serve/agent/shares.c \
	serve/agent/source.c \
	serve/http/http.c \
	serve/http/http_address.c \
	serve/http/http_answer.c \
	serve/http/http_attach.c \
	serve/http/http_models.c \
	serve/http/http_peer.c \
	serve/http/http_health.c \
	serve/http/mhd.c \
	serve/http/request.c \
	serve/pages/gauges.c \
	serve/pages/index_head.c \
	serve/pages/index_page.c \
	serve/pages/index_processes.c \
	serve/pages/listing_page.c \
	serve/pages/metrics.c \
	serve/pages/metrics_write.c \
	serve/render/pprof_window.c \
	serve/render/renderer.c \
	serve/render/renderer_wire.c \
	serve/render/rendering.c \
	serve/render/renderings.c \
	serve/render/snapshot.c \
	serve/sums/counters.c \
	serve/sums/label.c \
	serve/sums/row_counters.c

MICROHTTPD_CFLAGS := $(shell pkg-config --cflags libmicrohttpd 2>/dev/null)
$(foreach f,http http_address http_answer http_attach http_health http_models http_peer mhd,$(eval CFLAGS_serve_http_$f = $$(MICROHTTPD_CFLAGS)))

# The style of the index: the report page's colours and type, and what is its own.
INDEX_STYLE = $(BUILD)/serve/pages/index.css
INDEX_STYLES = report/render/html/page/base.css serve/pages/index.css
$(INDEX_STYLE): $(INDEX_STYLES)
	@mkdir -p $(@D)
	cat $(INDEX_STYLES) >$@

CFLAGS_serve_pages_index_page = -DINDEX_STYLE='"$(INDEX_STYLE)"'
$(BUILD)/serve/pages/index_page.o: $(INDEX_STYLE)
