# SPDX-License-Identifier: GPL-3.0-or-later
# Unit tests of serve/: labels, limits, sums that only grow, requests.
SERVE_TESTS = $(addprefix $(BUILD)/tests/unit/,test_serve_request test_serve_counters test_serve_connections test_serve_turns)
AGENT_TESTS = $(addprefix $(BUILD)/tests/unit/,test_serve_agent test_serve_files test_serve_window test_serve_rendering)
UNIT_TESTS += $(SERVE_TESTS) $(AGENT_TESTS) $(addprefix $(BUILD)/tests/unit/,test_profile_window test_serve_spread)

$(SERVE_TESTS): %: %.o $(BUILD)/tests/unit/scp_build.o $(TOOL_ARCHIVES)
	$(CC) $(SAN) -o $@ $^ $(TOOL_LIBS) -lcmocka

$(AGENT_TESTS): %: %.o $(addprefix $(BUILD)/tests/unit/,place.o scp_build.o) $(TOOL_ARCHIVES)
	$(CC) $(SAN) -o $@ $^ $(TOOL_LIBS) -lcmocka

$(BUILD)/tests/unit/test_profile_window: %: %.o $(addprefix $(BUILD)/tests/unit/,scp_build.o scp_sample.o model_check.o) \
		$(BUILD)/libprofile.a
	$(CC) $(SAN) -o $@ $^ -lcmocka -lm

$(BUILD)/tests/unit/test_serve_spread: %: %.o $(addprefix $(BUILD)/tests/unit/,simulate.o recording.o) \
		$(BUILD)/serve/sums/variance_counter.o
	$(CC) $(SAN) -o $@ $^ -lcmocka -lm
