// From a file or a text to a Config or a list of what is wrong.
#include "environment.hpp"
#include "sections.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace slotswap::config {
namespace {

constexpr std::size_t largest_file = mib;

void read_tree(std::string_view text, Environment environment, Config& config, Findings& findings) {
  auto const root = parse_tree(text, findings);
  if (!root) return;
  if (root->kind != Node::Kind::map) {
    findings.only_error(
        root->place,
        "expected a map of keys such as `servers` and `routes`, found " + shown(*root));
    return;
  }
  Reading reading{findings, environment};
  Section const top(reading, root, "the configuration");
  Places places;
  read_general(top, config, places);
  read_servers(top, config, places);
  read_routes(top, config, places);
  check(config, places, findings);
}

// The file's bytes; what is wrong otherwise. One byte more than allowed tells that it is too large.
std::optional<std::string> slurp(std::string const& path, std::string& text) {
  auto const fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return std::strerror(errno);
  std::array<char, 16384> piece{};
  ssize_t size = 0;
  while (text.size() <= largest_file && (size = ::read(fd, piece.data(), piece.size())) > 0) {
    text.append(piece.data(), static_cast<std::size_t>(size));
  }
  auto const code = errno;
  ::close(fd);
  if (size < 0) return std::strerror(code);
  return std::nullopt;
}

}  // namespace

Loaded load_text(std::string const& text, std::string const& file, Environment environment) {
  Loaded loaded;
  std::string_view body(text);
  if (body.starts_with("\xEF\xBB\xBF")) body.remove_prefix(3);
  Findings findings(file, body);
  if (text.size() > largest_file) {
    findings.only_error({}, "larger than 1 MiB; that is no configuration");
  } else {
    read_tree(body, environment == nullptr ? process_environment : environment, loaded.config,
              findings);
  }
  findings.move_to(loaded);
  return loaded;
}

Loaded load_file(std::string const& path) {
  std::string text;
  if (auto const problem = slurp(path, text)) {
    Loaded loaded;
    loaded.errors.push_back({path, 0, 0, "cannot be read: " + *problem});
    return loaded;
  }
  return load_text(text, path);
}

}  // namespace slotswap::config
