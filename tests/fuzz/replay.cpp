// Runs the targets on files, without libFuzzer: replay FOLDER, where FOLDER/TARGET/ holds the inputs.
#include <filesystem>
#include <fstream>
#include <iterator>

#include "target.h"

int main(int count, char** arguments) {
  if (count != 2) return 2;
  int inputs = 0;
  for (const auto& [name, target] : fuzz::targets()) {
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(arguments[1]) / name)) {
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string input{std::istreambuf_iterator<char>(file), {}};
      std::fprintf(stderr, "%s\n", entry.path().c_str());  // the last one is where it crashed
      fuzz::run(target, reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
      ++inputs;
    }
  }
  std::printf("%d inputs of %zu targets passed\n", inputs, fuzz::targets().size());
  return inputs > 0 ? 0 : 1;
}
