#include "isa/isa_hash.h"

#include "base/sha256.h"
#include "isa/document.h"
#include "isa/document_json.h"

namespace moescope::isa {

std::string IsaHash(const InstructionSet& set) {
  return Sha256Name(WriteDocumentJson(DocumentOf(set)));
}

}  // namespace moescope::isa
