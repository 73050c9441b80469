#include "real/states.hpp"

#include "support/http_client.hpp"

#include <slotswap/json/scan.hpp>

#include <boost/json/value.hpp>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace slotswap::test {
namespace {

namespace fs = std::filesystem;

constexpr std::int32_t magic = 0x67677371;

State read_manifest(fs::path const& manifest) {
  std::ifstream file(manifest);
  std::string const text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  auto const parsed = json::parse(text);
  if (parsed.has_error()) throw std::runtime_error(manifest.string() + " cannot be read");
  auto const stem = manifest.stem().string();
  State state;
  state.session = stem.substr(stem.rfind('_') + 1);
  state.data = manifest.parent_path() / std::string(parsed->at("data").as_string());
  state.tokens = parsed->at("tokens").to_number<std::int64_t>();
  state.bytes = parsed->at("bytes").to_number<std::uintmax_t>();
  if (fs::file_size(state.data) != state.bytes)
    throw std::runtime_error(state.data.string() + " has another size than its manifest says");
  return state;
}

}  // namespace

std::vector<fs::path> files_in(fs::path const& folder, std::string const& ending) {
  std::vector<fs::path> found;
  for (auto const& entry : fs::directory_iterator(folder)) {
    if (entry.path().filename().string().ends_with(ending)) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<State> states_in(fs::path const& folder) {
  std::vector<State> states;
  for (auto const& manifest : files_in(folder, ".json")) states.push_back(read_manifest(manifest));
  return states;
}

std::vector<std::int32_t> tokens_in(fs::path const& path) {
  std::ifstream file(path, std::ios::binary);
  std::array<std::int32_t, 6> head{};
  file.read(reinterpret_cast<char*>(head.data()), sizeof head);
  if (!file || head[0] != magic || head[3] != -1 || head[5] < 0)
    throw std::runtime_error(path.string() + " is no slot file that this test knows");
  std::vector<std::int32_t> tokens(static_cast<std::size_t>(head[5]));
  file.read(reinterpret_cast<char*>(tokens.data()),
            static_cast<std::streamsize>(tokens.size() * sizeof tokens[0]));
  if (!file) throw std::runtime_error(path.string() + " is cut");
  return tokens;
}

std::string text_in(fs::path const& path, std::uint16_t server, std::string const& model) {
  std::string body = "{\"model\":" + json::quote(model) + R"(,"tokens":[)";
  auto const tokens = tokens_in(path);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (i > 0) body += ',';
    body += std::to_string(tokens[i]);
  }
  auto const answer = request(server, "POST", "/detokenize", {}, body + "]}");
  auto const parsed = json::parse(answer.body);
  if (answer.status != 200 || parsed.has_error()) throw std::runtime_error(answer.body);
  return std::string(parsed->at("content").as_string());
}

}  // namespace slotswap::test
