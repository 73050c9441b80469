// How the bytes are cut changes nothing; what is accepted is one answer as we send it on.
#include "fuzz/targets.hpp"
#include "http/feeding.hpp"

#include <slotswap/http/hygiene.hpp>

namespace slotswap::fuzz {

namespace {

constexpr std::string_view next = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

bool has_room(http::ResponseHead const& head) {
  return serialize(head).size() < 15'000 && head.fields.size() < 120;
}

void sent_on_it_is_one_message(http::ResponseHead head, std::string const& body, bool by_chunks) {
  head.minor = 1;
  http::strip_hop_by_hop(head.fields);
  std::string framed;
  if (by_chunks) {
    head.fields.set("Transfer-Encoding", "chunked");
    if (!body.empty()) http::append_chunk(framed, body);
    framed += http::last_chunk;
  } else {
    head.fields.set("Content-Length", std::to_string(body.size()));
    framed = body;
  }
  auto const read = http::testing::feed_response(serialize(head) + framed + std::string(next));
  require(read.done && read.body == body, "what is sent on has the same body");
  require(read.rest == next, "what is sent on ends where its framing says");
}

}  // namespace

void responses(std::string_view input) {
  Input const in(input);
  auto const to_head = (in.option & 0x40U) != 0;
  http::ResponseParser parser({}, to_head);
  auto const at_once = http::testing::feed(parser, in.text, http::testing::whole());
  require(http::testing::feed_response(in.text, http::testing::by(in.cut()), to_head) == at_once,
          "an answer reads the same however it is cut");
  auto const ended = at_once.code.empty() && parser.put_eof().has_value();
  auto const carries =
      ended && !to_head && parser.head().status != 204 && parser.head().status != 304;
  if (carries && has_room(parser.head()))
    sent_on_it_is_one_message(parser.head(), at_once.body, (in.option & 0x80U) != 0);
}

}  // namespace slotswap::fuzz
