#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "isa/document.h"
#include "isa/document_diff.h"

namespace moescope::isa {

// The canonical text of a document, format moescope.isa version 1
// (schema/isa-v1.schema.json): one line per instruction, in canonical order. Equal instruction sets
// give equal bytes.
std::string WriteDocumentJson(const Document& document);

// Reads any text. IS001 no JSON, IS002 another schema or version, IS003 a key missing, unknown or
// of the wrong type, IS004 a value that is not allowed. What the encodings say is CheckDocument's.
absl::StatusOr<Document> ReadDocumentJson(std::string_view text, const std::string& path);

// A difference of documents as `moescope.isa_diff` version 1.
std::string DiffJson(const DocumentDiff& diff);

// The JSON Schema of the format.
std::string_view DocumentSchema();

}  // namespace moescope::isa
