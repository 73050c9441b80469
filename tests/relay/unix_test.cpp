// Unix sockets: clients that come through one, and a server behind one.
#include "relay/stage.hpp"
#include "relay/tls_client.hpp"
#include "relay/unix_sockets.hpp"
#include "support/temp_dir.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>

namespace slotswap::test {
namespace {

constexpr Milliseconds patience{20'000};

class UnixFront {
 public:
  explicit UnixFront(std::string const& tls = "") : tls_(tls) {}

  std::string path() const { return folder.file("http.sock"); }
  void start() {
    auto text = config_for(upstream.url());
    std::string const plain = "listen: 127.0.0.1:0\n";
    text.replace(text.find(plain), plain.size(),
                 "listen: {address: 'unix:" + path() + "'" + tls_ + "}\n");
    proxy.emplace(text);
  }

  TempDir folder;
  ScriptedUpstream upstream;
  telemetry::CapturedLog log;
  std::optional<RunningProxy> proxy;

 private:
  std::string tls_;
};

TEST(RelayUnix, clients_are_served_through_a_socket_and_named_so_in_the_log) {
  UnixFront front;
  front.start();
  EXPECT_EQ(front.log.count("event=listen address=unix:" + front.path() + " for=clients"), 1U);
  auto client = connect_unix(front.path());
  client.send(get);
  auto server = front.upstream.serve(make_answer("ok"));
  EXPECT_EQ(read_answer(client).body, "ok");
  EXPECT_TRUE(eventually([&] { return front.log.count(" peer=unix") == 1; }));
  client.send(get);
  read_request(server);
  client.close();
  EXPECT_TRUE(server.closed_within(patience));
}

TEST(RelayUnix, tls_goes_through_a_socket_as_well) {
  Authority authority;
  auto const own = authority.issue("DNS:localhost");
  UnixFront front(", tls: {cert: " + own.file + ", key: " + own.key_file + "}");
  front.start();
  TlsClient client(connect_unix(front.path()), authority);
  ASSERT_TRUE(client.handshake());
  client.send("GET /slotswap/health HTTP/1.1\r\nHost: p\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(client.read_to_end().starts_with("HTTP/1.1 200 OK\r\n"));
}

TEST(RelayUnix, the_file_is_for_owner_and_group_whatever_the_umask_and_goes_at_the_end) {
  for (mode_t const mask : {mode_t{0}, mode_t{0777}}) {
    UnixFront front;
    auto const before = ::umask(mask);
    front.start();
    ::umask(before);
    struct stat about {};
    ASSERT_EQ(::lstat(front.path().c_str(), &about), 0);
    EXPECT_TRUE(S_ISSOCK(about.st_mode));
    EXPECT_EQ(about.st_mode & 07777U, 0660U);
    front.proxy->stop();
    EXPECT_FALSE(std::filesystem::exists(front.path()));
  }
}

TEST(RelayUnix, a_file_that_nobody_listens_on_is_replaced) {
  UnixFront front;
  UnixListener dead(front.path());
  dead.close();
  front.start();
  auto client = connect_unix(front.path());
  client.send("GET /slotswap/health HTTP/1.1\r\nHost: p\r\n\r\n");
  EXPECT_EQ(read_answer(client).status, 200);
}

std::string start_error(UnixFront& front) {
  try {
    front.start();
  } catch (std::runtime_error const& error) {
    return error.what();
  }
  return "it started";
}

TEST(RelayUnix, a_socket_that_is_alive_is_left_to_its_owner) {
  UnixFront front;
  UnixListener alive(front.path());
  EXPECT_NE(start_error(front).find("another process listens there"), std::string::npos);
  auto client = connect_unix(front.path());
  alive.accept();
}

TEST(RelayUnix, any_other_file_is_left_alone) {
  UnixFront front;
  std::ofstream(front.path()) << "mine";
  EXPECT_NE(start_error(front).find("is no socket"), std::string::npos);
  EXPECT_EQ(std::filesystem::file_size(front.path()), 4U);
}

TEST(RelayUnix, the_end_leaves_a_file_that_another_one_has_made_meanwhile) {
  UnixFront front;
  front.start();
  std::filesystem::remove(front.path());
  UnixListener other(front.path());
  front.proxy->stop();
  EXPECT_TRUE(std::filesystem::exists(front.path()));
}

TEST(RelayUnix, a_server_is_reached_through_a_socket_and_its_connection_kept) {
  TempDir folder;
  UnixListener server(folder.file("llama.sock"));
  RunningProxy proxy(config_for("unix:" + folder.file("llama.sock")));
  RawClient client(proxy.port());
  client.send(get);
  auto connection = server.accept();
  EXPECT_EQ(read_request(connection).header("host"), "localhost");
  connection.send(make_answer("one"));
  EXPECT_EQ(read_answer(client).body, "one");
  client.send(get);
  read_request(connection);
  connection.send(make_answer("two"));
  EXPECT_EQ(read_answer(client).body, "two");
  client.send(get);
  read_request(connection);
  client.close();
  EXPECT_TRUE(connection.closed_within(patience));
}

TEST(RelayUnix, a_server_that_is_not_there_is_a_502_with_its_path) {
  TempDir folder;
  auto const path = folder.file("llama.sock");
  telemetry::CapturedLog log;
  RunningProxy proxy(config_for("unix:" + path));
  expect_problem(request(proxy.port(), "GET", "/v1/x"), 502, "upstream_unreachable");
  UnixListener server(path);
  server.close();
  auto const answer = request(proxy.port(), "GET", "/v1/x");
  expect_problem(answer, 502, "upstream_unreachable");
  EXPECT_NE(answer.body.find("unix:" + path + ": Connection refused"), std::string::npos)
      << answer.body;
}

// connect() says EAGAIN then, at once, where TCP would wait.
TEST(RelayUnix, a_server_whose_line_is_full_is_waited_for) {
  TempDir folder;
  auto const path = folder.file("llama.sock");
  UnixListener server(path, 0);
  RunningProxy proxy(config_for("unix:" + path));
  auto first = connect_unix(path);
  RawClient client(proxy.port());
  client.send(get);
  EXPECT_EQ(client.read_within(Milliseconds{60}), "");
  auto const turned_up = server.accept();
  auto connection = server.accept();
  read_request(connection);
  connection.send(make_answer("ok"));
  EXPECT_EQ(read_answer(client).body, "ok");
}

TEST(RelayUnix, a_server_whose_line_stays_full_is_a_504) {
  TempDir folder;
  auto const path = folder.file("llama.sock");
  UnixListener server(path, 0);
  RunningProxy proxy(config_for("unix:" + path, "connect_seconds: 0.1"));
  auto first = connect_unix(path);
  expect_problem(request(proxy.port(), "GET", "/v1/x"), 504, "upstream_timeout");
}

}  // namespace
}  // namespace slotswap::test
