// Messages changed at random, the same each run: nothing crashes, and how the bytes are cut changes
// nothing.
#include "feeding.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace slotswap::http {
namespace {

class Mutator {
 public:
  std::size_t below(std::size_t limit) { return random_() % limit; }

  std::string mutate(std::string text) {
    for (auto count = below(4); count > 0 && !text.empty(); --count) {
      auto const at = below(text.size());
      switch (below(5)) {
        case 0:
          text[at] = static_cast<char>(below(256));
          break;
        case 1:
          text.erase(at, 1 + below(4));
          break;
        case 2:
          text.insert(at, pieces_[below(pieces_.size())]);
          break;
        case 3:
          text.insert(at, text.substr(below(text.size()), below(24)));
          break;
        default:
          text[at] = "\r\n :,;0"[below(7)];
          break;
      }
    }
    return text;
  }

  testing::Cut random_cut() {
    return [this](std::size_t) { return 1 + below(9); };
  }

 private:
  std::mt19937 random_{4711};  // NOLINT: the same mutations each run
  std::vector<std::string> pieces_ = {"\r\n",
                                      "\r\n\r\n",
                                      "Transfer-Encoding: chunked\r\n",
                                      "Content-Length: 3\r\n",
                                      "Connection: close\r\n",
                                      "Host: y\r\n",
                                      " ",
                                      "0\r\n\r\n",
                                      "1;a=\"b\"\r\nx\r\n",
                                      "HTTP/1.1 100 Continue\r\n\r\n"};
};

TEST(Mutation, a_request_reads_the_same_however_it_is_cut) {
  std::vector<std::string> const seeds = {
      "GET /v1/models?a=b HTTP/1.1\r\nHost: x\r\nAccept: */*\r\n\r\nGET / HTTP/1.1\r\n",
      "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n{\"a\"}",
      "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: "
      "chunked\r\n\r\n3\r\nabc\r\nb;e=f\r\n0123456789a\r\n0\r\nT: u\r\n\r\nnext",
      "\r\nHEAD / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
  };
  Mutator mutator;
  std::size_t accepted = 0;
  std::size_t refused = 0;
  for (auto round = 0; round < 6'000; ++round) {
    auto const input = mutator.mutate(seeds[mutator.below(seeds.size())]);
    auto const at_once = testing::feed_request(input);
    ASSERT_EQ(testing::feed_request(input, testing::by(1)), at_once) << input;
    ASSERT_EQ(testing::feed_request(input, mutator.random_cut()), at_once) << input;
    accepted += at_once.done ? 1U : 0U;
    refused += at_once.code.empty() ? 0U : 1U;
  }
  EXPECT_GT(accepted, 1'000U);
  EXPECT_GT(refused, 1'000U);
}

TEST(Mutation, a_response_reads_the_same_however_it_is_cut) {
  std::vector<std::string> const seeds = {
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nServer: llama.cpp\r\n\r\nabcdeHTTP/1.1",
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: "
      "chunked\r\n\r\n4\r\ndata\r\n0\r\nT: u\r\n\r\nrest",
      "HTTP/1.0 500 Internal Server Error\r\n\r\nuntil the end",
      "HTTP/1.1 204 No Content\r\nKeep-Alive: timeout=5, max=100\r\n\r\n",
  };
  Mutator mutator;
  std::size_t accepted = 0;
  std::size_t refused = 0;
  for (auto round = 0; round < 6'000; ++round) {
    auto const input = mutator.mutate(seeds[mutator.below(seeds.size())]);
    auto const to_head = mutator.below(8) == 0;
    auto const at_once = testing::feed_response(input, testing::whole(), to_head);
    ASSERT_EQ(testing::feed_response(input, testing::by(1), to_head), at_once) << input;
    ASSERT_EQ(testing::feed_response(input, mutator.random_cut(), to_head), at_once) << input;
    accepted += at_once.done ? 1U : 0U;
    refused += at_once.code.empty() ? 0U : 1U;
  }
  EXPECT_GT(accepted, 1'000U);
  EXPECT_GT(refused, 1'000U);
}

}  // namespace
}  // namespace slotswap::http
