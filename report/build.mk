# SPDX-License-Identifier: GPL-3.0-or-later
REPORT_SRC = \
	report/account.c \
	report/callgrind.c \
	report/csv.c \
	report/csv_others.c \
	report/csv_write.c \
	report/demangle.c \
	report/diff_estimate.c \
	report/diff_json.c \
	report/diff_judge.c \
	report/diff_model.c \
	report/diff_pair.c \
	report/diff_path.c \
	report/diff_runs.c \
	report/diff_text.c \
	report/diff_warnings.c \
	report/diff_words.c \
	report/doubts.c \
	report/estimate.c \
	report/folded.c \
	report/function_names.c \
	report/graph.c \
	report/group.c \
	report/gzip.c \
	report/json.c \
	report/json_parts.c \
	report/json_steady.c \
	report/match.c \
	report/match_key.c \
	report/match_modules.c \
	report/model.c \
	report/names.c \
	report/numbers.c \
	report/order.c \
	report/pprof.c \
	report/pprof.pb-c.c \
	report/print.c \
	report/site.c \
	report/stacks.c \
	report/steadiness.c \
	report/symbolize.c \
	report/symbolize_fetch.c \
	report/symbolize_inline.c \
	report/symbolize_jit.c \
	report/symbolize_module.c \
	report/table.c \
	report/table_print.c \
	report/terminal.c \
	report/text.c \
	report/text_apart.c \
	report/text_others.c \
	report/text_path.c \
	report/text_sites.c \
	report/text_steady.c \
	report/utf8.c \
	report/warnings.c \
	report/weights.c \
	report/words.c

# pprof's messages, from their description.
$(BUILD)/report/pprof.pb-c.c: report/pprof.proto
	@mkdir -p $(@D)
	protoc-c --proto_path=report --c_out=$(BUILD)/report $<
$(BUILD)/report/pprof.pb-c.o: $(BUILD)/report/pprof.pb-c.c
	$(CC) $(TOOL_CFLAGS) -c -o $@ $<
$(BUILD)/report/pprof.o: $(BUILD)/report/pprof.pb-c.c
CFLAGS_report_pprof = -I$(BUILD)/report
