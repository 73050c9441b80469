// The framing corpus through the proxy, on sockets: what the client gets, and what the server saw
// of it, byte for byte, or that it saw nothing.
#include "relay/corpus.hpp"

#include "relay/stage.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>

namespace slotswap::test {
namespace {

constexpr Milliseconds patience{20'000};

std::string const& name_of(testing::TestParamInfo<CorpusCase> const& test) {
  return test.param.name;
}

struct Refusal {
  explicit Refusal(std::string const& words) {
    std::string refused;
    std::istringstream(words) >> refused >> status >> code;
  }
  int status = 0;
  std::string code;
};

// Without what slotswap says of itself, which the tests of headers are about.
std::string without_own_fields(std::string const& head) {
  std::string out;
  std::istringstream lines(head);
  for (std::string line; std::getline(lines, line);) {
    auto const own = line.starts_with("Via:") || line.starts_with("X-Request-Id:") ||
                     line.starts_with("X-Forwarded-");
    if (!own) out += line + '\n';
  }
  return out;
}

void replace(std::string& text, std::string_view what, std::string const& with) {
  auto const at = text.find(what);
  if (at != std::string::npos) text.replace(at, what.size(), with);
}

class RequestCorpus : public testing::TestWithParam<CorpusCase> {
 protected:
  void take(CorpusStep const& step) {
    SCOPED_TRACE(step.words);
    if (step.words == "send" || step.words == "then") {
      client.try_send(step.bytes);
    } else if (step.words == "end") {
      client.half_close();
    } else if (step.words == "continued") {
      EXPECT_EQ(read_head(client).status, 100);
    } else if (step.words == "forwarded") {
      forwarded(step.bytes);
    } else if (step.words == "kept") {
      client.send("GET /next HTTP/1.1\r\nHost: p\r\n\r\n");
      forwarded("GET /next HTTP/1.1\r\nHost: {host}\r\n\r\n");
    } else if (step.words == "closed" || step.words == "silent") {
      EXPECT_EQ(client.read_to_end(), "");
    } else {
      Refusal const refusal(step.words);
      expect_problem(read_answer(client), refusal.status, refusal.code);
      EXPECT_EQ(client.read_to_end(), "");
    }
  }

  void forwarded(std::string wanted) {
    replace(wanted, "{host}", "127.0.0.1:" + std::to_string(stage.upstream.port()));
    auto server = stage.upstream.accept();
    auto const seen = read_request(server);
    EXPECT_EQ(without_own_fields(seen.head) + seen.body, wanted);
    server.send(make_answer("ok", {{"Connection", "close"}}));
    // Nothing stands behind it.
    EXPECT_EQ(server.read_to_end(), "");
    EXPECT_EQ(read_answer(client).body, "ok");
  }

  Stage stage;
  RawClient client = stage.client();
};

TEST_P(RequestCorpus, p05_04_has_its_one_outcome) {
  for (auto const& step : GetParam().steps) take(step);
  // Had it made a connection more, this would meet what came there.
  stage.expect_alive();
  EXPECT_FALSE(stage.upstream.called());
}

INSTANTIATE_TEST_SUITE_P(corpus, RequestCorpus, testing::ValuesIn(read_corpus("requests")),
                         name_of);

class ResponseCorpus : public testing::TestWithParam<CorpusCase> {
 protected:
  void take(CorpusStep const& step) {
    SCOPED_TRACE(step.words);
    if (step.words.starts_with("ask ")) {
      asked = step.words.substr(4);
    } else if (step.words == "send") {
      ask();
      server->try_send(step.bytes);
    } else if (step.words == "end") {
      server->half_close();
    } else if (step.words == "answered") {
      answered(step.bytes);
    } else if (step.words == "whole" || step.words == "broken") {
      EXPECT_EQ(answer.complete, step.words == "whole");
      if (step.words == "broken") {
        EXPECT_TRUE(client.closed_within(patience));
      }
    } else if (step.words == "client kept") {
      client_kept = true;
    } else if (step.words == "client closed") {
      EXPECT_EQ(client.read_to_end(), "");
    } else if (step.words.starts_with("server ")) {
      server_is(step.words == "server kept");
    } else {
      Refusal const refusal(step.words);
      expect_problem(read_answer(client), refusal.status, refusal.code);
      client_kept = true;
    }
  }

  void ask() {
    auto const old = asked.ends_with(" 1.0");
    method = asked.substr(0, asked.find(' '));
    client.send(method + " /v1/x HTTP/1." + (old ? "0" : "1") + "\r\nHost: p\r\n\r\n");
    server.emplace(stage.upstream.accept());
    read_request(*server);
  }

  void answered(std::string const& wanted) {
    answer = read_head(client);
    try {
      read_body(client, answer, method == "HEAD");
    } catch (std::runtime_error const& error) {
      FAIL() << error.what();
    }
    EXPECT_EQ(without_own_fields(answer.head) + answer.body, wanted);
  }

  // The next request, of this client if it is kept, finds the server's connection or makes one.
  void server_is(bool kept) {
    stage.request_lines(1);
    if (!kept) {
      EXPECT_TRUE(server->closed_within(patience));
    }
    auto other = stage.client();
    auto& next = client_kept ? client : other;
    next.send("GET /next HTTP/1.1\r\nHost: p\r\n\r\n");
    if (!kept) server.emplace(stage.upstream.accept());
    EXPECT_EQ(read_request(*server).target, "/next");
    server->send(make_answer("next"));
    EXPECT_EQ(read_answer(next).body, "next");
  }

  Stage stage;
  RawClient client = stage.client();
  std::optional<RawClient> server;
  std::string asked = "GET";
  std::string method;
  HttpAnswer answer;
  bool client_kept = false;
};

TEST_P(ResponseCorpus, p05_04_has_its_one_outcome) {
  for (auto const& step : GetParam().steps) take(step);
}

INSTANTIATE_TEST_SUITE_P(corpus, ResponseCorpus, testing::ValuesIn(read_corpus("responses")),
                         name_of);

TEST(Corpus, names_each_case_once_and_has_as_many_as_were_promised) {
  for (auto const& [name, least] : {std::pair("requests", 120U), std::pair("responses", 60U)}) {
    std::set<std::string> names;
    for (auto const& one : read_corpus(name))
      EXPECT_TRUE(names.insert(one.name).second) << one.name;
    EXPECT_GE(names.size(), least);
  }
}

}  // namespace
}  // namespace slotswap::test
