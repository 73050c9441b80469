#include <slotswap/json/scan.hpp>

#include <boost/json/parser.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>

namespace slotswap::json {

namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

base::Fault bad_json(std::string const& what, std::size_t at) {
  return {base::Side::client, "bad_json", what + " at byte " + std::to_string(at)};
}

}  // namespace

base::Result<boost::json::value> parse(std::string_view text, std::size_t max_depth) {
  boost::json::parse_options options;
  options.max_depth = max_depth;
  boost::json::parser parser({}, options);
  boost::json::error_code ec;
  // llama-server's parser steps over a byte order mark too.
  auto const begin = text.starts_with("\xEF\xBB\xBF") ? std::size_t{3} : std::size_t{0};
  auto const end = begin + parser.write_some(text.data() + begin, text.size() - begin, ec);
  if (ec) return bad_json(ec.message(), end);
  auto const rest =
      std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(end), text.end(), is_blank);
  if (rest != text.end()) {
    return bad_json("text after the value", static_cast<std::size_t>(rest - text.begin()));
  }
  return parser.release();
}

std::string quote(std::string_view text) {
  return boost::json::serialize(boost::json::string_view(text.data(), text.size()));
}

}  // namespace slotswap::json
