# SPDX-License-Identifier: GPL-3.0-or-later
"""check_schema.py SCHEMA JSON...: the documents follow the published schema, and have
no field that it does not tell of."""
import copy
import json
import sys

import jsonschema


def closed(schema):
    """The published schema lets a document have more; here nothing may be undocumented."""
    if isinstance(schema, dict):
        schema = {k: closed(v) for k, v in schema.items()}
        if isinstance(schema.get("properties"), dict) and "type" in schema:
            schema["additionalProperties"] = False
    elif isinstance(schema, list):
        schema = [closed(v) for v in schema]
    return schema


def main(schema_path, *documents):
    with open(schema_path, encoding="utf-8") as f:
        schema = json.load(f)
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)
    strict = kind(closed(copy.deepcopy(schema)))
    bad = 0
    for path in documents:
        with open(path, encoding="utf-8") as f:
            document = json.load(f)
        for error in strict.iter_errors(document):
            print("%s: %s: %s" % (path, "/".join(map(str, error.absolute_path)), error.message[:300]))
            bad += 1
    return 1 if bad or not documents else 0


sys.exit(main(*sys.argv[1:]))
