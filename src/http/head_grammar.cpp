#include "head_grammar.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include <limits>
#include <string>
#include <utility>

namespace slotswap::http {

namespace {

namespace beast = boost::beast;
using beast::http::error;

// Beast calls these while it reads; it is told to skip the body, so it is done with the head.
template <bool is_request>
class Grammar final : public beast::http::basic_parser<is_request> {
 public:
  explicit Grammar(std::size_t max_fields) : max_fields_(max_fields) {
    this->header_limit(std::numeric_limits<std::uint32_t>::max());
    this->skip(true);
  }

  RequestHead request;
  ResponseHead response;
  bool too_many_fields = false;

 private:
  using View = beast::string_view;

  void on_request_impl(beast::http::verb /*method*/, View method, View target, int version,
                       beast::error_code& /*ec*/) override {
    request.method.assign(method.data(), method.size());
    request.target.assign(target.data(), target.size());
    request.minor = version % 10;
  }
  void on_response_impl(int status, View reason, int version, beast::error_code& /*ec*/) override {
    response.status = status;
    response.reason.assign(reason.data(), reason.size());
    response.minor = version % 10;
  }
  void on_field_impl(beast::http::field /*known*/, View name, View value,
                     beast::error_code& ec) override {
    auto& fields = is_request ? request.fields : response.fields;
    if (fields.size() == max_fields_) {
      too_many_fields = true;
      ec = error::header_limit;
      return;
    }
    fields.add(std::string(name.data(), name.size()), std::string(value.data(), value.size()));
  }
  void on_header_impl(beast::error_code& /*ec*/) override {}
  void on_body_init_impl(boost::optional<std::uint64_t> const& /*length*/,
                         beast::error_code& /*ec*/) override {}
  std::size_t on_body_impl(View body, beast::error_code& /*ec*/) override { return body.size(); }
  void on_chunk_header_impl(std::uint64_t /*size*/, View /*extensions*/,
                            beast::error_code& /*ec*/) override {}
  std::size_t on_chunk_body_impl(std::uint64_t /*remain*/, View body,
                                 beast::error_code& /*ec*/) override {
    return body.size();
  }
  void on_finish_impl(beast::error_code& /*ec*/) override {}

  std::size_t max_fields_;
};

template <bool is_request>
beast::error_code read(Grammar<is_request>& grammar, std::string_view text) {
  beast::error_code ec;
  auto const used = grammar.put(boost::asio::buffer(text.data(), text.size()), ec);
  // The text ends with the first blank line, so it can be neither too short nor too long.
  if (!ec && (!grammar.is_done() || used != text.size())) ec = error::bad_field;
  return ec;
}

bool about_framing(beast::error_code const& ec) {
  return ec == error::bad_content_length || ec == error::multiple_content_length ||
         ec == error::bad_transfer_encoding;
}

std::string because(beast::error_code const& ec) {
  return ec == error::need_more ? std::string("a line ends too early") : ec.message();
}

}  // namespace

base::Result<RequestHead> parse_request_head(std::string_view text, std::size_t max_fields) {
  Grammar<true> grammar(max_fields);
  auto const ec = read(grammar, text);
  if (!ec) return std::move(grammar.request);
  if (grammar.too_many_fields) {
    return base::Fault(
        base::Side::client, "too_many_fields",
        "The request has more than " + std::to_string(max_fields) + " header fields.");
  }
  return base::Fault(base::Side::client, about_framing(ec) ? "bad_framing" : "bad_request",
                     "The request's head is malformed: " + because(ec) + ".");
}

base::Result<ResponseHead> parse_response_head(std::string_view text, std::size_t max_fields) {
  Grammar<false> grammar(max_fields);
  auto const ec = read(grammar, text);
  if (!ec) return std::move(grammar.response);
  return base::Fault(
      base::Side::server, "bad_upstream_response",
      grammar.too_many_fields
          ? "The upstream server's response has too many header fields."
          : "The upstream server's response head is malformed: " + because(ec) + ".");
}

}  // namespace slotswap::http
