# SPDX-License-Identifier: GPL-3.0-or-later
SERVE_SRC = \
	report/serve/agent/agent.c \
	report/serve/agent/agent_meet.c \
	report/serve/agent/agent_read.c \
	report/serve/agent/source.c \
	report/serve/http/http.c \
	report/serve/http/http_answer.c \
	report/serve/http/http_attach.c \
	report/serve/http/http_models.c \
	report/serve/http/http_peer.c \
	report/serve/http/request.c \
	report/serve/pages/gauges.c \
	report/serve/pages/index_page.c \
	report/serve/pages/index_tables.c \
	report/serve/pages/metrics.c \
	report/serve/pages/metrics_write.c \
	report/serve/render/renderer.c \
	report/serve/render/rendering.c \
	report/serve/render/sampled.c \
	report/serve/render/snapshot.c \
	report/serve/sums/counters.c \
	report/serve/sums/row_counters.c

MICROHTTPD_CFLAGS := $(shell pkg-config --cflags libmicrohttpd 2>/dev/null)
$(foreach f,http http_answer http_attach http_models http_peer,$(eval CFLAGS_report_serve_http_$f = $$(MICROHTTPD_CFLAGS)))

# The style of the index: the report page's colours and type, and what is its own.
INDEX_STYLE = $(BUILD)/report/serve/pages/index.css
INDEX_STYLES = report/render/html/page/base.css report/serve/pages/index.css
$(INDEX_STYLE): $(INDEX_STYLES)
	@mkdir -p $(@D)
	cat $(INDEX_STYLES) >$@

CFLAGS_report_serve_pages_index_page = -DINDEX_STYLE='"$(INDEX_STYLE)"'
$(BUILD)/report/serve/pages/index_page.o: $(INDEX_STYLE)
