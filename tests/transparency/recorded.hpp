// Answers of the real llama-server as tools/record-answers wrote them: what the client sent, byte
// for byte, and what came back. Throws std::runtime_error for a file that is none.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace slotswap::test {

struct Recorded {
  std::string name;
  std::string request;
  std::string answer;
  bool closed = false;  // the server closed the connection behind it
};

std::vector<Recorded> read_recorded(std::filesystem::path const& file);

// The files of the folder, in the order of their names.
std::vector<std::filesystem::path> recorded_files();

}  // namespace slotswap::test
