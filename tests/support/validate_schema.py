"""Checks profiles with an independent JSON Schema implementation.

usage: validate_schema.py SCHEMA FOLDER

Every file in FOLDER/good must be valid, every file in FOLDER/bad must not be. Exits 1 and names the
files that are judged otherwise.
"""

import json
import pathlib
import sys

import jsonschema


def main() -> int:
    schema = json.loads(pathlib.Path(sys.argv[1]).read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    wrong = 0
    for verdict in ("good", "bad"):
        for path in sorted(pathlib.Path(sys.argv[2], verdict).iterdir()):
            errors = list(validator.iter_errors(json.loads(path.read_text())))
            if bool(errors) == (verdict == "bad"):
                continue
            wrong += 1
            print(f"{path}: expected {verdict}", *(e.message[:200] for e in errors[:3]), sep="\n  ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
