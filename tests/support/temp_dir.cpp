#include "support/temp_dir.hpp"

#include <stdlib.h>

#include <stdexcept>
#include <system_error>

namespace slotswap::test {

TempDir::TempDir() {
  auto pattern = (std::filesystem::temp_directory_path() / "slotswap-test-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = pattern;
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace slotswap::test
