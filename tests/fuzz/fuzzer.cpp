// The entry points of libFuzzer. The environment variable FUZZ_TARGET names the target.
#include "target.h"

namespace {

fuzz::Target chosen = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  const char* name = std::getenv("FUZZ_TARGET");
  const auto found = fuzz::targets().find(name == nullptr ? "" : name);
  if (found == fuzz::targets().end()) {
    std::fprintf(stderr, "FUZZ_TARGET must be one of:");
    for (const auto& [known, target] : fuzz::targets()) std::fprintf(stderr, " %s", known.c_str());
    std::fprintf(stderr, "\n");
    std::exit(2);
  }
  chosen = found->second;
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::run(chosen, data, size);
  return 0;
}
