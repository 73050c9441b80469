// Recorded answers of the real llama-server, replayed by a stub: once straight to the client, once
// through slotswap. Both clients see the same, but for what `differs` lists.
#include "relay/stage.hpp"
#include "transparency/recorded.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace slotswap::test {
namespace {

// Names in lower case. docs/testing.md has the same list.
struct Field {
  std::string_view name;
  std::string_view why;
};
constexpr std::array differs{
    Field{"connection", "one hop's"},
    Field{"keep-alive", "one hop's"},
    Field{"transfer-encoding", "framed anew"},
    Field{"content-length", "framed anew; where both have one it is the same"},
    Field{"via", "slotswap names itself"},
    Field{"x-request-id", "slotswap's name for the request"},
};
constexpr std::array request_differs{
    Field{"host", "the server's own address"},
    Field{"connection", "one hop's"},
    Field{"transfer-encoding", "a body has a length"},
    Field{"content-length", "a body has a length"},
    Field{"via", "slotswap names itself"},
    Field{"x-request-id", "slotswap's name for the request"},
};

template <std::size_t size>
Headers without(std::array<Field, size> const& fields, Headers headers) {
  std::erase_if(headers, [&](auto const& header) {
    return std::ranges::find(fields, header.first, &Field::name) != fields.end();
  });
  return headers;
}

struct Exchange {
  HttpAnswer answer;
  SeenRequest seen;  // by the server
};

bool is_head(Recorded const& recorded) {
  return recorded.request.starts_with("HEAD ");
}

HttpAnswer straight(Recorded const& recorded) {
  ScriptedUpstream stub;
  RawClient client(stub.port());
  client.send(recorded.request);
  auto server = stub.accept();
  EXPECT_EQ(server.read_exact(recorded.request.size()), recorded.request);
  server.send(recorded.answer);
  if (recorded.closed) server.close();
  return read_answer(client, is_head(recorded));
}

Exchange through_slotswap(Recorded const& recorded) {
  Stage stage;
  auto client = stage.client();
  client.send(recorded.request);
  Exchange exchange;
  auto server = stage.upstream.serve(recorded.answer, &exchange.seen);
  if (recorded.closed) server.close();
  exchange.answer = read_answer(client, is_head(recorded));
  return exchange;
}

std::string first_line(std::string const& head) {
  // Without its version: slotswap's own is 1.1.
  auto const begin = head.find(' ');
  return head.substr(begin, head.find("\r\n") - begin);
}

void expect_same_answer(HttpAnswer const& answer, HttpAnswer const& plain) {
  EXPECT_EQ(first_line(answer.head), first_line(plain.head));
  EXPECT_EQ(without(differs, answer.headers), without(differs, plain.headers));
  auto const length = answer.header("content-length");
  auto const plain_length = plain.header("content-length");
  if (length && plain_length) {
    EXPECT_EQ(*length, *plain_length);
  }
  EXPECT_EQ(answer.body, plain.body);
  EXPECT_TRUE(plain.complete);
  EXPECT_TRUE(answer.complete);
}

// A request is read as an answer is, by the code that knows chunks.
std::string body_of(std::string const& request) {
  ScriptedUpstream stub;
  RawClient reader(stub.port());
  auto writer = stub.accept();
  auto const end_of_line = request.find("\r\n");
  auto const framed = request.find("\r\nContent-Length:") != std::string::npos ||
                      request.find("\r\nTransfer-Encoding:") != std::string::npos;
  writer.send("HTTP/1.1 200 OK" + request.substr(end_of_line));
  writer.close();
  return framed ? read_answer(reader).body : "";
}

void expect_same_request(SeenRequest const& seen, Recorded const& recorded) {
  auto const target_at = recorded.request.find(' ') + 1;
  EXPECT_EQ(seen.method, recorded.request.substr(0, target_at - 1));
  EXPECT_EQ(seen.target,
            recorded.request.substr(target_at, recorded.request.find(' ', target_at) - target_at));
  EXPECT_EQ(seen.body, body_of(recorded.request));
  // The client's head, read as slotswap's is.
  ScriptedUpstream stub;
  RawClient writer(stub.port());
  auto const end_of_line = recorded.request.find("\r\n");
  writer.send("GET / HTTP/1.1" + recorded.request.substr(end_of_line));
  auto server = stub.accept();
  EXPECT_EQ(without(request_differs, seen.headers),
            without(request_differs, read_request_head(server).headers));
}

struct Transparency : testing::TestWithParam<std::filesystem::path> {};

TEST_P(Transparency, an_answer_is_the_same_through_slotswap_and_straight) {
  for (auto const& recorded : read_recorded(GetParam())) {
    SCOPED_TRACE(recorded.name);
    auto const [answer, seen] = through_slotswap(recorded);
    expect_same_answer(answer, straight(recorded));
    expect_same_request(seen, recorded);
  }
}

INSTANTIATE_TEST_SUITE_P(Recorded, Transparency, testing::ValuesIn(recorded_files()),
                         [](auto const& file) { return file.param.stem().string(); });

TEST(TransparencyRecordings, are_at_least_150_with_names_of_their_own) {
  std::vector<std::string> names;
  for (auto const& file : recorded_files()) {
    for (auto const& recorded : read_recorded(file)) {
      names.push_back(file.stem().string() + " " + recorded.name);
    }
  }
  EXPECT_GE(names.size(), 150U);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

}  // namespace
}  // namespace slotswap::test
