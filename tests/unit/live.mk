# SPDX-License-Identifier: GPL-3.0-or-later
# Live pictures: differences of readings, their intervals, when to stop.
LIVE_TESTS = $(addprefix $(BUILD)/tests/unit/,test_profile_since test_live_means test_live_window test_stats_stopping)
UNIT_TESTS += $(LIVE_TESTS)

$(BUILD)/tests/unit/test_profile_since: %: %.o $(BUILD)/tests/unit/simulate.o $(BUILD)/libprofile.a
	$(CC) $(SAN) -o $@ $^ -lcmocka -lm

$(BUILD)/tests/unit/test_live_window: %: %.o $(addprefix $(BUILD)/tests/unit/,simulate.o recording.o) \
		$(BUILD)/report/live/means.o $(addprefix $(BUILD)/lib,$(addsuffix .a,report profile stats))
	$(CC) $(SAN) -o $@ $^ $(TOOL_LIBS) -lcmocka

$(BUILD)/tests/unit/test_stats_stopping: %: %.o $(addprefix $(BUILD)/tests/unit/,simulate.o recording.o) \
		$(BUILD)/libstats.a
	$(CC) $(SAN) -o $@ $^ -lcmocka -lgsl -lgslcblas -lm

$(BUILD)/tests/unit/test_live_means: %: %.o $(addprefix $(BUILD)/tests/unit/,simulate.o recording.o report_fixture.o) \
		$(BUILD)/report/live/means.o $(addprefix $(BUILD)/lib,$(addsuffix .a,report profile stats))
	$(CC) $(SAN) -o $@ $^ $(TOOL_LIBS) -lcmocka
