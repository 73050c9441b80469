// Holds our chunked reader against Beast's: where both accept, they must see the same bytes and the
// same end.
#include "feeding.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace slotswap::http {
namespace {

namespace beast = boost::beast;

class Reference final : public beast::http::basic_parser<true> {
 public:
  Reference() {
    body_limit(boost::none);
    eager(true);
  }
  std::string body;

 private:
  using View = beast::string_view;
  void on_request_impl(beast::http::verb, View, View, int, beast::error_code&) override {}
  void on_response_impl(int, View, int, beast::error_code&) override {}
  void on_field_impl(beast::http::field, View, View, beast::error_code&) override {}
  void on_header_impl(beast::error_code&) override {}
  void on_body_init_impl(boost::optional<std::uint64_t> const&, beast::error_code&) override {}
  std::size_t on_body_impl(View text, beast::error_code&) override { return keep(text); }
  void on_chunk_header_impl(std::uint64_t, View, beast::error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, View text, beast::error_code&) override {
    return keep(text);
  }
  void on_finish_impl(beast::error_code&) override {}
  std::size_t keep(View text) {
    body.append(text.data(), text.size());
    return text.size();
  }
};

TEST(ChunkedReference, where_both_accept_they_agree) {
  std::string const head = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
  std::vector<std::string> const seeds = {
      "5\r\nhello\r\n0\r\n\r\nGET",
      "a;x=y\r\n0123456789\r\n1\r\n\r\r\n0\r\nA: b\r\n\r\nGET",
      "02 ; n=\"q;\"\r\n\r\n\r\n0;z\r\nTrailer: 1\r\nOther:\r\n\r\nPOST",
  };
  constexpr std::string_view alphabet("0123a;\r\n \t:\"=xF\0\x7F\xC3", 18);
  std::mt19937 random(20'240'601);  // NOLINT: the same mutations each run
  auto const below = [&random](std::size_t limit) { return random() % limit; };
  std::size_t both = 0;
  for (auto round = 0; round < 20'000; ++round) {
    auto body = seeds[below(seeds.size())];
    for (auto count = below(3); count > 0; --count) {
      auto const at = below(body.size());
      auto const c = alphabet[below(alphabet.size())];
      if (below(3) == 0) {
        body.insert(at, 1, c);
      } else if (below(2) == 0) {
        body.erase(at, 1);
      } else {
        body[at] = c;
      }
    }
    auto const input = head + body;
    Reference reference;
    beast::error_code ec;
    auto const used = reference.put(boost::asio::buffer(input), ec);
    if (ec || !reference.is_done()) continue;
    auto const ours = testing::feed_request(input);
    if (!ours.code.empty()) continue;
    ++both;
    ASSERT_TRUE(ours.done) << body;
    ASSERT_EQ(ours.body, reference.body) << body;
    ASSERT_EQ(ours.rest, input.substr(used)) << body;
  }
  EXPECT_GT(both, 5'000U);
}

}  // namespace
}  // namespace slotswap::http
