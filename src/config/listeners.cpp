// listen and admin: HOST:PORT or unix:/path, alone or as the `address` of a map with `tls`.
#include "address.hpp"
#include "certificates.hpp"
#include "sections.hpp"
#include "socket_paths.hpp"

namespace slotswap::config {
namespace {

constexpr std::string_view address_words = "HOST:PORT or unix:/path";

void read_address(Section const& section, std::string_view key, Value const& read,
                  ListenAddress& address) {
  if (auto const problem = parse_listen(read.text, address)) {
    section.error(
        read.place, key,
        "expected " + std::string(address_words) + ", found " + shown(read.text) + ": " + *problem);
    return;
  }
  if (address.path.empty()) return;
  if (auto const problem = problem_of_own_socket(address.path))
    section.error(read.place, key, *problem);
}

void read_tls(Section const& section, ListenAddress& address) {
  auto const* const entry = section.find("tls");
  if (entry == nullptr) return;
  if (entry->value->kind != Node::Kind::map) {
    auto const read = section.value("tls", "a map with `cert` and `key`, or off");
    if (!read || read->text == "off" || read->text == "false") return;
    section.error(read->place, "tls",
                  "expected a map with `cert` and `key`, or off, found " + shown(read->text));
    return;
  }
  Section const inner(section.reading(), entry->value, "tls");
  tls::ServerFiles files;
  auto const has_cert = inner.needed_text("cert", files.cert);
  auto const has_key = inner.needed_text("key", files.key);
  inner.text("client_ca", files.client_ca);
  address.tls = files;
  if (has_cert && has_key) check_certificates(inner, files);
}

// True: it is there, and not `off`.
bool read_listener(Section const& top, std::string_view key, std::string_view expected,
                   ListenAddress& address) {
  auto const* const entry = top.find(key);
  if (entry == nullptr) return false;
  if (entry->value->kind == Node::Kind::map) {
    Section const section(top.reading(), entry->value, key);
    std::string ignored;
    if (section.needed_text("address", ignored)) {
      if (auto const read = section.value("address", address_words))
        read_address(section, "address", *read, address);
    }
    read_tls(section, address);
    return true;
  }
  auto const read = top.value(key, expected);
  if (!read) return false;
  auto const may_be_off = key == "admin";
  if (may_be_off && (read->text == "off" || read->text == "false")) return false;
  read_address(top, key, *read, address);
  return true;
}

}  // namespace

void read_listeners(Section const& top, Config& config, Places& places) {
  read_listener(top, "listen", "HOST:PORT, unix:/path or a map with `address`", config.listen);
  ListenAddress admin;
  places.admin = top.place_of("admin");
  if (read_listener(top, "admin", "HOST:PORT, unix:/path, a map with `address`, or off", admin))
    config.admin = admin;
}

}  // namespace slotswap::config
