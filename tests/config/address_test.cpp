#include "address.hpp"

#include "globs.hpp"
#include "suggest.hpp"

#include <slotswap/base/text.hpp>

#include <gtest/gtest.h>

namespace slotswap::config {
namespace {

constexpr auto const* whole_path =
    "a unix socket is given by its whole path: unix:/run/slotswap/http.sock";

TEST(Url, is_read_into_the_root_of_a_server) {
  struct Row {
    char const* text;
    char const* canonical;
  };
  for (auto const& row : {
           Row{"http://127.0.0.1:9931", "http://127.0.0.1:9931"},
           Row{"http://127.0.0.1:9931/", "http://127.0.0.1:9931"},
           Row{"http://127.0.0.1:9931/v1", "http://127.0.0.1:9931"},
           Row{"http://127.0.0.1:9931/v1//", "http://127.0.0.1:9931"},
           Row{"http://h/v1/v1", "http://h:80"},
           Row{"HTTPS://Example.ORG", "https://example.org:443"},
           Row{"https://example.org:8443/llama/v1/", "https://example.org:8443/llama"},
           Row{"http://h/a//b/", "http://h:80/a//b"},
           Row{"http://h/v10", "http://h:80/v10"},
           Row{"http://[::1]:8080/v1", "http://[::1]:8080"},
           Row{"http://llama_server", "http://llama_server:80"},
           Row{"unix:/run/llama.sock", "unix:/run/llama.sock"},
           Row{"unix:///run/llama.sock", "unix:/run/llama.sock"},
       }) {
    ServerUrl url;
    EXPECT_EQ(parse_url(row.text, url), std::nullopt) << row.text;
    EXPECT_EQ(url.text, row.canonical);
    ServerUrl again;
    EXPECT_EQ(parse_url(url.text, again), std::nullopt);
    EXPECT_EQ(again.text, url.text);
  }
  ServerUrl url;
  EXPECT_EQ(parse_url("https://[FE80::1]:8443/llama/v1/", url), std::nullopt);
  EXPECT_TRUE(url.tls);
  EXPECT_EQ(url.host, "fe80::1");
  EXPECT_EQ(url.port, 8443);
  EXPECT_EQ(url.prefix, "/llama");
}

TEST(Url, that_is_none_says_why) {
  struct Row {
    char const* text;
    char const* problem;
  };
  for (auto const& row : {
           Row{"127.0.0.1:9931", "it must start with http://, https:// or unix:/"},
           Row{"ftp://h", "it must start with http://, https:// or unix:/"},
           Row{"http+unix://%2Frun", "it must start with http://, https:// or unix:/"},
           Row{"/run/llama.sock", "a unix socket is written unix:/run/llama.sock"},
           Row{"unix:llama.sock", whole_path},
           Row{"unix:", whole_path},
           Row{"unix:/run/", whole_path},
           Row{"http://", "`` is no host"},
           Row{"http://:80", "`` is no host"},
           Row{"http://h:0", "`0` is no port (1 to 65535)"},
           Row{"http://h:65536", "`65536` is no port (1 to 65535)"},
           Row{"http://h:", "`` is no port (1 to 65535)"},
           Row{"http://h:8o", "`8o` is no port (1 to 65535)"},
           Row{"http://300.1.1.1", "`300.1.1.1` is no host"},
           Row{"http://a b", "`a b` is no host"},
           Row{"http://[::g]", "`::g` is no host"},
           Row{"http://[::1", "`[` without `]`"},
           Row{"http://[::1]8080", "only `:PORT` may follow the host"},
           Row{"http://::1:80", "an IPv6 address stands in brackets: [::1]:9940"},
           Row{"http://u:p@h", "no user and password in a URL; use `api_key`"},
           Row{"http://h/?a=b", "a URL here has no query and no fragment"},
           Row{"http://h#x", "a URL here has no query and no fragment"},
           Row{"http://h/a b", "a path of a URL is ASCII without blanks"},
           Row{"http://h/v1/chat/completions", "give the server's root, not a path of its API"},
       }) {
    ServerUrl url;
    EXPECT_EQ(parse_url(row.text, url).value_or("fine"), row.problem) << row.text;
    EXPECT_TRUE(url.text.empty());
  }
}

TEST(Listen, takes_hosts_and_ports) {
  ListenAddress address;
  EXPECT_EQ(parse_listen("0.0.0.0:0", address), std::nullopt);
  EXPECT_EQ(base::host_and_port(address.host, address.port), "0.0.0.0:0");
  EXPECT_EQ(parse_listen("[::1]:65535", address), std::nullopt);
  EXPECT_EQ(address.host, "::1");
  EXPECT_EQ(base::host_and_port(address.host, address.port), "[::1]:65535");
  EXPECT_EQ(parse_listen("9940", address), "the host is missing: 127.0.0.1:9940");
  EXPECT_EQ(parse_listen("localhost", address), "the port is missing");
  EXPECT_EQ(parse_listen(":9940", address), "`` is no host");
  EXPECT_EQ(parse_listen("h:65536", address), "`65536` is no port (0 to 65535)");
  EXPECT_EQ(parse_listen("h:-1", address), "`-1` is no port (0 to 65535)");
  EXPECT_EQ(to_string(address), "[::1]:65535");
  EXPECT_EQ(parse_listen("/run/x", address), "a unix socket is written unix:/run/x");
  EXPECT_EQ(parse_listen("unix:x", address), whole_path);
  auto const longest = "/" + std::string(106, 'x');
  EXPECT_EQ(parse_listen("unix:" + longest + "x", address),
            "the path of a unix socket has at most 107 bytes");
  EXPECT_EQ(parse_listen("unix:" + longest, address), std::nullopt);
  EXPECT_EQ(address.path, longest);
  EXPECT_EQ(to_string(address), "unix:" + longest);
}

TEST(Globs, that_cover_others) {
  struct Row {
    char const* earlier;
    char const* later;
    bool covered;
  };
  for (auto const& row :
       {Row{"*", "a", true}, Row{"*", "a*b?", true}, Row{"**", "*", true}, Row{"a", "a", true},
        Row{"a", "b", false}, Row{"a*", "ab*c", true}, Row{"a*", "*", false}, Row{"a?", "ab", true},
        Row{"a?", "a*", false}, Row{"?*", "*?", true}, Row{"?*", "*", false},
        Row{"*a*", "bab", true}, Row{"*a*b", "xaxb*b", true}, Row{"ab*", "a*", false},
        Row{"??", "?", false}, Row{"qwen*", "qwen3-32b", true}}) {
    EXPECT_EQ(covers(row.earlier, row.later), row.covered) << row.earlier << " " << row.later;
  }
}

TEST(Globs, covering_agrees_with_matching) {
  // Every pair of short globs: what is called covered matches no text that the earlier does not.
  std::vector<std::string> all{""};
  std::vector<std::string> texts{""};
  for (std::size_t i = 0; i < all.size() && all[i].size() < 3; ++i) {
    for (auto const c : {'a', 'b', '*', '?'}) all.push_back(all[i] + c);
  }
  for (std::size_t i = 0; i < texts.size() && texts[i].size() < 4; ++i) {
    for (auto const c : {'a', 'b', 'c'}) texts.push_back(texts[i] + c);
  }
  for (auto const& earlier : all) {
    for (auto const& later : all) {
      if (!covers(earlier, later)) continue;
      for (auto const& text : texts) {
        ASSERT_TRUE(base::glob_match(earlier, text) || !base::glob_match(later, text))
            << earlier << " " << later << " " << text;
      }
    }
  }
}

TEST(Suggest, finds_slips_and_leaves_other_words_alone) {
  Words const known{"save_path", "max_files", "max_gib", "id"};
  EXPECT_EQ(nearest("max_file", known), "max_files");
  EXPECT_EQ(nearest("max-files", known), "max_files");
  EXPECT_EQ(nearest("maxFiles", known), "max_files");
  EXPECT_EQ(nearest("svae_path", known), "save_path");
  EXPECT_EQ(nearest("ide", known), "id");
  EXPECT_EQ(nearest("banana", known), std::nullopt);
  EXPECT_EQ(nearest("", known), std::nullopt);
  EXPECT_EQ(nearest(std::string(1000, 'a'), known), std::nullopt);
}

}  // namespace
}  // namespace slotswap::config
