// Bodies pass unchanged, whatever is in them and however long they are.
#include "relay/stage.hpp"

#include <gtest/gtest.h>

#include <future>

namespace slotswap::test {
namespace {

constexpr std::size_t mib = 1024 * 1024;

// Every byte value, with a period that no buffer size has.
std::string binary(std::size_t size) {
  std::string bytes(size, '\0');
  std::uint32_t state = 1;
  for (auto& byte : bytes) {
    state = state * 1'664'525U + 1'013'904'223U;
    byte = static_cast<char>(state >> 24U);
  }
  return bytes;
}

std::string post(std::string_view body) {
  return "POST /v1/x HTTP/1.1\r\nHost: p\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + std::string(body);
}

TEST(RelayBodies, p05_14_20_mb_go_up_unchanged) {
  Stage stage;
  auto const body = binary(20 * mib + 1);
  auto client = stage.client();
  client.send(post(body));
  SeenRequest seen;
  auto const server = stage.upstream.serve(make_answer("ok"), &seen);
  EXPECT_TRUE(seen.body == body);
  EXPECT_EQ(read_answer(client).body, "ok");
}

TEST(RelayBodies, p05_14_64_mib_come_down_unchanged) {
  auto const body = binary(64 * mib);
  for (auto const chunked : {false, true}) {
    Stage stage;
    auto client = stage.client();
    client.send(get);
    auto server = stage.upstream.accept();
    read_request(server);
    auto sending = std::async(std::launch::async, [&] {
      server.send(chunked ? chunked_head() + chunk(body) + "0\r\n\r\n" : make_answer(body));
    });
    auto const answer = read_answer(client);
    sending.get();
    EXPECT_TRUE(answer.complete);
    EXPECT_TRUE(answer.body == body);
  }
}

TEST(RelayBodies, p05_14_a_body_of_just_the_limit_passes) {
  Stage stage("", "limits: {body_mib: 1}\n");
  auto client = stage.client();
  auto const body = binary(mib);
  client.send(post(body));
  SeenRequest seen;
  auto const server = stage.upstream.serve(make_answer("ok"), &seen);
  EXPECT_TRUE(seen.body == body);
  auto other = stage.client();
  other.try_send(post(body + "x"));
  expect_problem(read_answer(other), 413, "body_too_large");
}

TEST(RelayBodies, a_chunked_request_cut_inside_a_character_arrives_whole_with_one_framing) {
  Stage stage;
  std::string const body = R"({"prompt":"Gr)"
                           "\xC3\xBC\xC3\x9F"
                           R"(e \u00e4","x":1e0})";
  auto client = stage.client();
  auto const cut = body.find('\xBC');
  client.send("POST /v1/x HTTP/1.1\r\nHost: p\r\nTransfer-Encoding: chunked\r\n\r\n" +
              chunk(body.substr(0, cut)));
  client.send(chunk(body.substr(cut)) + "0\r\n\r\n");
  SeenRequest seen;
  auto const server = stage.upstream.serve(make_answer("ok"), &seen);
  EXPECT_EQ(seen.body, body);
  EXPECT_EQ(seen.header("content-length"), std::to_string(body.size()));
  EXPECT_EQ(read_answer(client).body, "ok");
}

TEST(RelayBodies, an_empty_post_has_the_length_zero) {
  Stage stage;
  auto client = stage.client();
  client.send("POST /v1/x HTTP/1.1\r\nHost: p\r\n\r\n");
  SeenRequest seen;
  auto const server = stage.upstream.serve(make_answer(""), &seen);
  EXPECT_EQ(seen.header("content-length"), "0");
  auto const answer = read_answer(client);
  EXPECT_TRUE(answer.complete);
  EXPECT_EQ(answer.header("content-length"), "0");
}

TEST(RelayBodies, a_body_of_a_get_is_forwarded_and_not_taken_for_a_request) {
  Stage stage;
  auto client = stage.client();
  client.send(
      "GET /v1/x HTTP/1.1\r\nHost: p\r\nContent-Length: 33\r\n\r\n"
      "GET /inside HTTP/1.1\r\nHost: p\r\n\r\n");
  SeenRequest seen;
  auto const server = stage.upstream.serve(make_answer("ok"), &seen);
  EXPECT_EQ(seen.target, "/v1/x");
  EXPECT_EQ(seen.body.size(), 33U);
  EXPECT_EQ(read_answer(client).body, "ok");
}

}  // namespace
}  // namespace slotswap::test
