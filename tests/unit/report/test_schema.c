// SPDX-License-Identifier: GPL-3.0-or-later
/* The published schema has every field of the tables that JSON and CSV walk: by its name, with its
 * type, and required. SCHEMA names the file. (That JSON has nothing beside the schema is checked
 * with real documents, in tests/commands/report/formats.bats.) */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "report/render/json/row_fields.h"

static json_t *schema;

static int read_schema(void **state)
{
	(void)state;
	schema = json_load_file(SCHEMA, 0, NULL);
	return schema ? 0 : -1;
}

static int free_schema(void **state)
{
	(void)state;
	json_decref(schema);
	return 0;
}

static bool has(const json_t *array, const char *text)
{
	size_t i;
	json_t *item;

	json_array_foreach(array, i, item) if (!strcmp(json_string_value(item), text)) return true;
	return false;
}

/* "type" is one name or several; a text may have "enum" instead. */
static bool allows(const json_t *property, const char *type)
{
	const json_t *types = json_object_get(property, "type");

	if (!types)
		return !strcmp(type, "string") && json_object_get(property, "enum");
	return json_is_array(types) ? has(types, type) : !strcmp(json_string_value(types), type);
}

static void check_table(const char *row, const struct row_field *fields, bool always_known)
{
	static const char *const types[] = {[ROW_NUMBER] = "number",
					    [ROW_COUNT] = "integer",
					    [ROW_COUNT32] = "integer",
					    [ROW_FLAG] = "boolean",
					    [ROW_TEXT] = "string"};
	const json_t *def = json_object_get(json_object_get(schema, "$defs"), row);
	const json_t *properties = json_object_get(def, "properties");

	assert_non_null(properties);
	for (const struct row_field *f = fields; f->name; f++) {
		const json_t *property = json_object_get(properties, f->name);

		if (!property || !allows(property, types[f->type]) ||
		    ((f->type == ROW_NUMBER || !always_known) && !allows(property, "null")))
			fail_msg("%s.%s is not as in the schema", row, f->name);
		if (!has(json_object_get(def, "required"), f->name))
			fail_msg("%s.%s is not required", row, f->name);
	}
}

static void sites(void **state)
{
	(void)state;
	check_table("site", row_fields_function, true);
	check_table("site", row_fields_volume, true);
	check_table("site", row_fields_estimate, true);
	check_table("site", row_fields_overhead, true);
	check_table("site", row_fields_cost, false);
	check_table("site", row_fields_windows, false);
	check_table("site", row_fields_total, true);
	check_table("site", row_fields_size, true);
	check_table("interval", row_fields_interval, true);
}

static void other_rows(void **state)
{
	(void)state;
	check_table("gap", row_fields_gap, true);
	check_table("thread", row_fields_thread, true);
	check_table("process", row_fields_process, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sites),
		cmocka_unit_test(other_rows),
	};

	return cmocka_run_group_tests_name("the published schema", tests, read_schema, free_schema);
}
