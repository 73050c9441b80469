// The list of llama-servers.
#include "address.hpp"
#include "certificates.hpp"
#include "sections.hpp"
#include "socket_paths.hpp"

#include <algorithm>

namespace slotswap::config {
namespace {

void read_url(Section const& section, ServerUrl& url, ServerPlaces& places) {
  std::string text;
  places.url = section.place_of("url");
  if (!section.needed_text("url", text)) return;
  auto const problem = parse_url(text, url);
  places.url_good = !problem.has_value();
  if (!problem) {
    if (url.path.empty()) return;
    if (auto const bad = problem_of_socket(url.path)) section.error(places.url, "url", *bad);
    return;
  }
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

// A host's name as it stands in a certificate.
void read_server_name(Section const& section, std::string& out) {
  std::string name;
  if (!section.text("server_name", name) || name.empty()) return;
  ListenAddress parsed;
  auto const colon = name.find(':') != std::string::npos;
  auto const in_brackets = colon ? "[" + name + "]" : name;
  if (parse_listen(in_brackets + ":1", parsed)) {
    section.error(section.place_of("server_name"), "server_name",
                  "expected a name or an address without a port, found " + shown(name));
    return;
  }
  out = parsed.host;
}

void read_tls(Section const& section, Server& server, ServerPlaces& places) {
  section.text("ca_file", server.files.ca);
  read_server_name(section, server.server_name);
  section.text("client_cert", server.files.cert);
  section.text("client_key", server.files.key);
  section.flag("verify", server.files.verify, {"true", "false"});
  for (auto const* const key : {"ca_file", "server_name", "client_cert", "client_key"}) {
    if (auto const* const entry = section.find(key);
        entry != nullptr && entry->value->kind == Node::Kind::scalar && !entry->value->text.empty())
      places.for_https.push_back({key, section.place_of(key)});
  }
  if (!server.files.verify) places.for_https.push_back({"verify", section.place_of("verify")});
  if (!places.url_good || !server.url.tls) return;
  if (server.files.cert.empty() != server.files.key.empty()) {
    auto const* const given = server.files.cert.empty() ? "client_key" : "client_cert";
    section.error(section.place_of(given), given, "`client_cert` and `client_key` go together");
    return;
  }
  check_certificates(section, server.files);
  if (server.files.verify) return;
  section.warning(section.place_of("verify"), "verify",
                  "the certificate of the server " + shown(server.name) +
                      " is not looked at: whoever is in between can read and change everything");
}

void read_server(Section const& section, Config& config, Places& places) {
  Server server;
  ServerPlaces where;
  where.name = section.place_of("name");
  section.needed_text("name", server.name);
  read_url(section, server.url, where);
  read_api_key(section, server.api_key);
  read_tls(section, server, where);
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
