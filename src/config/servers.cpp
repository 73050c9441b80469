// The list of llama-servers.
#include "address.hpp"
#include "sections.hpp"

#include <sys/stat.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace slotswap::config {
namespace {

void read_url(Section const& section, ServerUrl& url, ServerPlaces& places) {
  std::string text;
  places.url = section.place_of("url");
  if (!section.needed_text("url", text)) return;
  auto const problem = parse_url(text, url);
  places.url_good = !problem.has_value();
  if (!problem) return;
  // A password in a URL is not repeated.
  auto const what = text.find('@') == std::string::npos ? " " + shown(text) : std::string();
  section.error(places.url, "url", "not a server's URL" + what + ": " + *problem);
}

void read_api_key(Section const& section, std::string& api_key) {
  std::string text;
  if (!section.text("api_key", text) || text == "none") return;
  // It becomes a header's value; it is never shown.
  if (std::any_of(text.begin(), text.end(), [](char c) { return c <= ' ' || c > '~'; })) {
    section.error(section.place_of("api_key"), "api_key", "a key is ASCII without blanks");
    return;
  }
  api_key = text;
}

void read_ca_file(Section const& section, std::string& ca_file, ServerPlaces& places) {
  std::string path;
  places.ca_file = section.place_of("ca_file");
  if (!section.text("ca_file", path) || path.empty()) return;
  auto const fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    section.error(places.ca_file, "ca_file",
                  shown(path) + " cannot be read: " + std::strerror(errno));
    return;
  }
  struct stat about {};
  auto const is_file = ::fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
  ::close(fd);
  if (is_file) {
    ca_file = path;
  } else {
    section.error(places.ca_file, "ca_file", shown(path) + " is no file");
  }
}

void read_server(Section const& section, Config& config, Places& places) {
  Server server;
  ServerPlaces where;
  where.name = section.place_of("name");
  section.needed_text("name", server.name);
  read_url(section, server.url, where);
  read_api_key(section, server.api_key);
  read_ca_file(section, server.ca_file, where);
  section.seconds("connect_seconds", server.connect, some_seconds);
  section.seconds("first_byte_seconds", server.first_byte, any_seconds);
  section.seconds("idle_stream_seconds", server.idle_stream, any_seconds);
  auto models = static_cast<std::uint64_t>(server.models_max);
  if (section.count("models_max", models, 0, 9999)) server.models_max = static_cast<int>(models);
  section.seconds("load_timeout_seconds", server.load_timeout, any_seconds);
  config.servers.push_back(std::move(server));
  places.servers.push_back(where);
}

}  // namespace

void read_servers(Section const& top, Config& config, Places& places) {
  auto const* const entry = top.find("servers");
  if (entry == nullptr) {
    top.reading().findings.error(top.place(),
                                 "`servers` is missing: a list of servers with `name` and `url`");
    return;
  }
  for (auto const& item : map_items(top.reading(), *entry)) {
    read_server(Section(top.reading(), item, "a server"), config, places);
  }
}

}  // namespace slotswap::config
