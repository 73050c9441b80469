// How the bytes are cut changes nothing; what is accepted is one message as we send it on; a path
// is classed as the server will see it.
#include "fuzz/targets.hpp"
#include "http/feeding.hpp"

#include <slotswap/http/hygiene.hpp>
#include <slotswap/http/path.hpp>
#include <slotswap/llama/paths.hpp>

namespace slotswap::fuzz {

namespace {

constexpr std::string_view next = "GET /next HTTP/1.1\r\nHost: x\r\n\r\n";

// Below the limits, with room for a field that is added.
bool has_room(http::RequestHead const& head) {
  return serialize(head).size() < 15'000 && head.fields.size() < 120;
}

void sent_on_it_is_one_message(http::RequestHead head, std::string const& body) {
  head.minor = 1;
  http::strip_hop_by_hop(head.fields);
  head.fields.set("Host", "server");
  head.fields.set("Content-Length", std::to_string(body.size()));
  http::RequestParser parser({});
  auto const read = http::testing::feed(parser, serialize(head) + body + std::string(next),
                                        http::testing::whole());
  require(read.done && read.body == body, "what is sent on has the same body");
  require(read.rest == next, "what is sent on ends where its length says");
  require(parser.head().method == head.method && parser.head().target == head.target,
          "what is sent on has the same request line");
}

void slots_stay_closed(std::string_view method, std::string const& target) {
  auto const path = http::split_target(target).path;
  auto const work = llama::classify(method, path);
  require(llama::classify(method, path + "/") == work, "a slash at the end changes no class");
  require(llama::classify(method, "/" + path) == work, "a doubled slash changes no class");
}

}  // namespace

void requests(std::string_view input) {
  Input const in(input);
  http::RequestParser parser({});
  auto const at_once = http::testing::feed(parser, in.text, http::testing::whole());
  require(http::testing::feed_request(in.text, http::testing::by(in.cut())) == at_once,
          "a request reads the same however it is cut");
  require(http::split_target(http::encode_component(in.text)).path == in.text,
          "what is encoded decodes to itself");
  if (!at_once.done) return;
  slots_stay_closed(parser.head().method, parser.head().target);
  if (has_room(parser.head())) sent_on_it_is_one_message(parser.head(), at_once.body);
}

}  // namespace slotswap::fuzz
