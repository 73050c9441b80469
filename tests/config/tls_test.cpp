// Certificates and keys in the configuration: what is read, and each way they can be wrong.
#include "support.hpp"
#include "support/certificates.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <unistd.h>

namespace slotswap::config {
namespace {

std::string tls_of(test::Certificate const& one, std::string const& more = "") {
  return "{cert: " + one.file + ", key: " + one.key_file + more + "}";
}
std::string with_listen(std::string const& tls) {
  return servers + routes + "listen:\n  address: a:1\n  tls: " + tls + "\n";
}
std::string with_https(std::string const& keys) {
  return "servers:\n  - name: main\n    url: https://h\n    " + keys + "\n" + routes;
}

TEST(ConfigTls, of_listeners_is_read_and_printed) {
  test::Authority authority;
  auto const one = authority.issue("DNS:a");
  auto const loaded = load(servers + routes + "listen: {address: 'a:1', tls: " +
                           tls_of(one, ", client_ca: " + authority.file()) +
                           "}\nadmin: {address: '[::1]:2', tls: " + tls_of(one) + "}\n");
  ASSERT_EQ(listed(loaded.errors) + listed(loaded.warnings), "");
  auto const& listen = loaded.config.listen;
  EXPECT_EQ(to_string(listen), "a:1");
  ASSERT_TRUE(listen.tls.has_value());
  EXPECT_EQ(listen.tls->cert, one.file);
  EXPECT_EQ(listen.tls->key, one.key_file);
  EXPECT_EQ(listen.tls->client_ca, authority.file());
  ASSERT_TRUE(loaded.config.admin && loaded.config.admin->tls);
  EXPECT_EQ(loaded.config.admin->tls->client_ca, "");
  auto const text = print(loaded.config);
  auto const again = load(text);
  EXPECT_EQ(listed(again.errors), "");
  EXPECT_EQ(print(again.config), text);
  EXPECT_EQ(again.config.admin.value().tls.value().key, one.key_file);
}

TEST(ConfigTls, may_be_off_and_admin_too) {
  for (auto const* const off : {"off", "false", "'off'"}) {
    auto const loaded = load(with_listen(off) + "admin: " + off + "\n");
    EXPECT_EQ(listed(loaded.errors), "");
    EXPECT_FALSE(loaded.config.listen.tls);
    EXPECT_FALSE(loaded.config.admin);
  }
}

TEST(ConfigTls, of_a_server_is_read_and_printed) {
  test::Authority authority;
  auto const own = authority.issue("DNS:a");
  auto const loaded =
      load("servers: [{name: m, url: 'https://h', server_name: Llama.Example, ca_file: " +
           authority.file() + ", client_cert: " + own.file + ", client_key: " + own.key_file +
           "}]\n" + routes);
  ASSERT_EQ(listed(loaded.errors) + listed(loaded.warnings), "");
  auto const& server = loaded.config.servers.at(0);
  EXPECT_EQ(server.server_name, "llama.example");
  EXPECT_EQ(server.files.cert, own.file);
  EXPECT_EQ(server.files.key, own.key_file);
  EXPECT_TRUE(server.files.verify);
  auto const text = print(loaded.config);
  EXPECT_EQ(print(load(text).config), text);
}

TEST(ConfigTls, errors_of_the_map) {
  struct Row {
    std::string text;
    std::string errors;
  };
  for (auto const& row : {
           Row{with_listen("on"),
               "5:8: `tls`: expected a map with `cert` and `key`, or off, found `on`\n"},
           Row{with_listen("{}"), "5:8: `cert` is missing in tls\n5:8: `key` is missing in tls\n"},
           Row{with_listen("{cert: '', key: k}"), "5:15: `cert`: must not be empty\n"},
           Row{servers + routes + "listen: {tls: off}\n", "3:9: `address` is missing in listen\n"},
           Row{servers + routes + "listen: {address: x}\n",
               "3:19: `address`: expected HOST:PORT or unix:/path, found `x`: the port is "
               "missing\n"},
           Row{servers + routes + "listen: {address: 'a:1', cert: b}\n",
               "3:26: unknown key `cert` in listen; it belongs into `tls`\n"},
           Row{servers + routes + "listen: 'off'\n",
               "3:9: `listen`: expected HOST:PORT or unix:/path, found `off`: the port is "
               "missing\n"},
           Row{servers + routes + "listen: a:1\nadmin: {address: 'a:1'}\n",
               "4:8: `admin`: the same address as `listen`\n"},
       }) {
    EXPECT_EQ(listed(load(row.text).errors), row.errors) << row.text;
  }
}

TEST(ConfigTls, errors_of_the_files) {
  Folder const folder;
  test::Authority authority;
  auto const one = authority.issue("DNS:a");
  auto const other = authority.issue("DNS:b");
  auto const weak = authority.issue_weak("DNS:c");
  auto const rubbish = folder.file("r", "rubbish");
  auto const locked = folder.file("locked.key", "");
  ASSERT_EQ(std::system(("openssl pkey -in " + one.key_file + " -aes128 -passout pass:x -out " +
                         locked + " 2>/dev/null")
                            .c_str()),
            0);
  auto const files = [](std::string const& cert, std::string const& key,
                        std::string const& more = "") {
    return servers + routes + "listen:\n  address: a:1\n  tls:\n    cert: " + cert +
           "\n    key: " + key + "\n" + more;
  };
  struct Row {
    std::string text;
    std::string errors;
  };
  for (auto const& row : {
           Row{files("/no/cert", one.key_file),
               "6:11: `cert`: `/no/cert` cannot be read: No such file or directory\n"},
           Row{files("/", one.key_file), "6:11: `cert`: `/` is no file\n"},
           Row{files(rubbish, one.key_file),
               "6:11: `cert`: `" + rubbish + "` holds no certificate in PEM form\n"},
           Row{files(one.key_file, one.key_file),
               "6:11: `cert`: `" + one.key_file + "` holds no certificate in PEM form\n"},
           Row{files(one.file, "/no/key"),
               "7:10: `key`: `/no/key` cannot be read: No such file or directory\n"},
           Row{files(one.file, rubbish),
               "7:10: `key`: `" + rubbish + "` holds no private key in PEM form\n"},
           Row{files(one.file, locked),
               "7:10: `key`: `" + locked + "` has a passphrase; give a key without one\n"},
           Row{files(one.file, other.key_file),
               "7:10: `key`: `" + other.key_file +
                   "` does not belong to the certificate in `cert`\n"},
           Row{files(one.file, weak.key_file),
               "7:10: `key`: `" + weak.key_file +
                   "` does not belong to the certificate in `cert`\n"},
           Row{files(weak.file, weak.key_file),
               "6:11: `cert`: `" + weak.file + "` cannot be used: ee key too small\n"},
           Row{files(one.file, one.key_file, "    client_ca: /no/ca\n"),
               "8:16: `client_ca`: `/no/ca` cannot be read: No such file or directory\n"},
           Row{files(one.file, one.key_file, "    client_ca: " + rubbish + "\n"),
               "8:16: `client_ca`: `" + rubbish + "` holds no certificate in PEM form\n"},
           Row{with_https("ca_file: /no/ca"),
               "4:14: `ca_file`: `/no/ca` cannot be read: No such file or directory\n"},
           Row{with_https("ca_file: /"), "4:14: `ca_file`: `/` is no file\n"},
           Row{with_https("ca_file: " + rubbish),
               "4:14: `ca_file`: `" + rubbish + "` holds no certificate in PEM form\n"},
           Row{with_https("client_cert: " + one.file),
               "4:18: `client_cert`: `client_cert` and `client_key` go together\n"},
           Row{with_https("client_key: " + one.key_file),
               "4:17: `client_key`: `client_cert` and `client_key` go together\n"},
           Row{with_https("client_cert: " + one.file + "\n    client_key: " + other.key_file),
               "5:17: `client_key`: `" + other.key_file +
                   "` does not belong to the certificate in `client_cert`\n"},
           Row{with_https("server_name: h:1"),
               "4:18: `server_name`: expected a name or an address without a port, found `h:1`\n"},
           Row{with_https("verify: fasle"),
               "4:13: `verify`: expected one of true, false, found `fasle`; did you mean "
               "`false`?\n"},
       }) {
    EXPECT_EQ(listed(load(row.text).errors), row.errors) << row.text;
  }
}

TEST(ConfigTls, a_key_that_may_not_be_read_is_an_error) {
  if (::geteuid() == 0) GTEST_SKIP() << "root reads everything";
  test::Authority authority;
  auto const one = authority.issue("DNS:a");
  ASSERT_EQ(::chmod(one.key_file.c_str(), 0), 0);
  EXPECT_NE(listed(load(with_listen(tls_of(one))).errors).find("Permission denied"),
            std::string::npos);
}

TEST(ConfigTls, warnings) {
  struct Row {
    std::string text;
    std::string warnings;
  };
  std::string const plain = "servers:\n  - name: main\n    url: http://h\n    ";
  std::string const not_used = "` is not used: the server's URL is no https\n";
  for (auto const& row : {
           Row{with_https("verify: false"),
               "4:13: `verify`: the certificate of the server `main` is not looked at: whoever is "
               "in between can read and change everything\n"},
           Row{with_https("verify: true"), ""},
           Row{plain + "verify: false\n" + routes, "4:13: `verify" + not_used},
           Row{plain + "server_name: a\n" + routes, "4:18: `server_name" + not_used},
           Row{plain + "client_cert: a\n" + routes, "4:18: `client_cert" + not_used},
           Row{plain + "ca_file: ''\n" + routes, ""},
       }) {
    auto const loaded = load(row.text);
    EXPECT_EQ(listed(loaded.errors), "") << row.text;
    EXPECT_EQ(listed(loaded.warnings), row.warnings) << row.text;
  }
}

}  // namespace
}  // namespace slotswap::config
