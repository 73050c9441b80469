#include "address.hpp"

#include <slotswap/base/text.hpp>

#include <arpa/inet.h>
#include <sys/un.h>

#include <algorithm>
#include <charconv>

namespace slotswap::config {
namespace {

bool is_host_name(std::string_view host) {
  auto const fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_';
  };
  return !host.empty() && host.size() <= 253 && std::all_of(host.begin(), host.end(), fits);
}

bool is_host(std::string const& host, bool brackets) {
  in6_addr v6{};
  if (brackets) return ::inet_pton(AF_INET6, host.c_str(), &v6) == 1;
  in_addr v4{};
  auto const numeric = host.find_first_not_of("0123456789.") == std::string::npos;
  return is_host_name(host) && (!numeric || ::inet_pton(AF_INET, host.c_str(), &v4) == 1);
}

std::optional<unsigned> port_from(std::string_view text) {
  unsigned port = 0;
  auto const [end, ec] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (ec != std::errc{} || end != text.data() + text.size() || port > 65535) return std::nullopt;
  return port;
}

struct Authority {
  std::string host;
  std::optional<std::string_view> port;
};

// HOST, HOST:PORT, [V6], [V6]:PORT; what is wrong otherwise.
std::optional<std::string> split(std::string_view text, Authority& out) {
  auto const brackets = text.starts_with('[');
  auto rest = std::string_view();
  if (brackets) {
    auto const end = text.find(']');
    if (end == std::string_view::npos) return "`[` without `]`";
    out.host = base::to_lower(text.substr(1, end - 1));
    rest = text.substr(end + 1);
  } else {
    if (std::count(text.begin(), text.end(), ':') > 1)
      return "an IPv6 address stands in brackets: [::1]:9940";
    auto const colon = text.find(':');
    out.host = base::to_lower(text.substr(0, colon));
    if (colon != std::string_view::npos) rest = text.substr(colon);
  }
  if (!is_host(out.host, brackets)) return "`" + out.host + "` is no host";
  if (rest.empty()) return std::nullopt;
  if (rest.front() != ':') return "only `:PORT` may follow the host";
  out.port = rest.substr(1);
  return std::nullopt;
}

constexpr std::string_view unix_scheme = "unix:";

// unix:/path, and the same written as a URL, unix:///path.
std::optional<std::string> read_path(std::string_view text, std::string& path) {
  auto rest = text.substr(unix_scheme.size());
  while (rest.starts_with("//")) rest.remove_prefix(1);
  if (!rest.starts_with('/') || rest.ends_with('/'))
    return "a unix socket is given by its whole path: unix:/run/slotswap/http.sock";
  if (rest.size() >= sizeof(sockaddr_un::sun_path)) {
    return "the path of a unix socket has at most " +
           std::to_string(sizeof(sockaddr_un::sun_path) - 1) + " bytes";
  }
  path = rest;
  return std::nullopt;
}

std::string_view without_slashes(std::string_view text) {
  while (text.ends_with('/')) text.remove_suffix(1);
  return text;
}

// "" or "/some/path": a trailing /v1 is what clients are given, not the server's root.
std::optional<std::string> read_prefix(std::string_view path, std::string& prefix) {
  if (path.find_first_of("?#") != std::string_view::npos)
    return "a URL here has no query and no fragment";
  if (std::any_of(path.begin(), path.end(), [](char c) { return c <= ' ' || c > '~'; })) {
    return "a path of a URL is ASCII without blanks";
  }
  auto root = without_slashes(path);
  while (root.ends_with("/v1")) root = without_slashes(root.substr(0, root.size() - 3));
  if (root.find("/v1/") != std::string_view::npos)
    return "give the server's root, not a path of its API";
  prefix = root;
  return std::nullopt;
}

}  // namespace

std::string to_string(ListenAddress const& address) {
  if (!address.path.empty()) return std::string(unix_scheme) + address.path;
  return base::host_and_port(address.host, address.port);
}

std::optional<std::string> parse_listen(std::string_view text, ListenAddress& address) {
  if (text.starts_with(unix_scheme)) return read_path(text, address.path);
  if (text.starts_with('/')) return "a unix socket is written unix:" + std::string(text);
  Authority parts;
  if (port_from(text)) return "the host is missing: 127.0.0.1:" + std::string(text);
  if (auto problem = split(text, parts)) return problem;
  if (!parts.port) return "the port is missing";
  auto const port = port_from(*parts.port);
  if (!port) return "`" + std::string(*parts.port) + "` is no port (0 to 65535)";
  address.host = parts.host;
  address.port = static_cast<std::uint16_t>(*port);
  return std::nullopt;
}

std::optional<std::string> parse_url(std::string_view text, ServerUrl& url) {
  auto const mark = text.find("://");
  if (text.starts_with(unix_scheme)) {
    ServerUrl read;
    if (auto problem = read_path(text, read.path)) return problem;
    read.host = "localhost";
    read.text = "unix:" + read.path;
    url = read;
    return std::nullopt;
  }
  if (text.starts_with('/')) return "a unix socket is written unix:" + std::string(text);
  if (mark == std::string_view::npos) return "it must start with http://, https:// or unix:/";
  auto const scheme = base::to_lower(text.substr(0, mark));
  if (scheme != "http" && scheme != "https")
    return "it must start with http://, https:// or unix:/";
  auto const rest = text.substr(mark + 3);
  auto const authority = rest.substr(0, rest.find_first_of("/?#"));
  if (authority.find('@') != std::string_view::npos)
    return "no user and password in a URL; use `api_key`";
  Authority parts;
  if (auto problem = split(authority, parts)) return problem;
  ServerUrl read;
  read.tls = scheme == "https";
  read.host = parts.host;
  read.port = read.tls ? 443 : 80;
  if (parts.port) {
    auto const port = port_from(*parts.port);
    if (!port || *port == 0) return "`" + std::string(*parts.port) + "` is no port (1 to 65535)";
    read.port = static_cast<std::uint16_t>(*port);
  }
  if (auto problem = read_prefix(rest.substr(authority.size()), read.prefix)) return problem;
  read.text = scheme + "://" + base::host_and_port(read.host, read.port) + read.prefix;
  url = read;
  return std::nullopt;
}

}  // namespace slotswap::config
