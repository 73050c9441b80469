// The manifest as text. Written in one order of members, so that two can be compared by eye; read
// strictly, because it decides which file is handed to a server that believes it.
#include <slotswap/store/state.hpp>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <limits>

namespace slotswap::store {
namespace {

namespace json = boost::json;

/// Takes members out of an object and keeps the first complaint.
class Members {
 public:
  explicit Members(json::object const& object) : object_(object) {}

  std::string text(std::string_view name) {
    auto const* const value = find(name);
    if (value != nullptr && !value->is_string()) complain(name, "is not a string");
    return value != nullptr && value->is_string()
               ? std::string(value->get_string().c_str(), value->get_string().size())
               : std::string();
  }

  std::optional<std::string> optional_text(std::string_view name) {
    if (!object_.contains(name)) return std::nullopt;
    return text(name);
  }

  std::int64_t integer(std::string_view name, std::int64_t least) {
    auto const* const value = find(name);
    if (value == nullptr) return least;
    if (!value->is_int64()) {
      complain(name, value->is_uint64() ? "is too large" : "is not an integer");
      return least;
    }
    if (value->get_int64() < least) complain(name, "is too small");
    return value->get_int64();
  }

  /// The parser makes what fits an int64 an int64, and only what does not a uint64.
  std::uint64_t count(std::string_view name, std::int64_t least) {
    auto const* const value = find(name);
    if (value != nullptr && value->is_uint64()) return value->get_uint64();
    auto const number = integer(name, least);
    return number < 0 ? 0 : static_cast<std::uint64_t>(number);
  }

  void complain(std::string_view name, std::string_view what) {
    if (complaint_.empty()) complaint_ = "'" + std::string(name) + "' " + std::string(what);
  }

  std::string const& complaint() const { return complaint_; }

 private:
  json::value const* find(std::string_view name) {
    auto const* const value = object_.if_contains(name);
    if (value == nullptr) complain(name, "is absent");
    return value;
  }

  json::object const& object_;
  std::string complaint_;
};

base::Fault bad(std::string const& why) {
  return {base::Side::us, "bad_manifest", "the manifest cannot be used: " + why};
}

}  // namespace

std::string to_json(Manifest const& manifest) {
  json::object object;
  object["format"] = manifest.format;
  object["data"] = manifest.data;
  object["model"] = manifest.model;
  object["fingerprint"] = manifest.fingerprint;
  object["tokens"] = manifest.tokens;
  object["bytes"] = manifest.bytes;
  object["mtime_ns"] = manifest.mtime_ns;
  if (manifest.checksum) object["checksum"] = *manifest.checksum;
  object["prompt_digest"] = manifest.prompt_digest;
  object["created"] = manifest.created;
  object["saved"] = manifest.saved;
  object["last_used"] = manifest.last_used;
  object["uses"] = manifest.uses;
  return json::serialize(object) + "\n";
}

base::Result<Manifest> from_json(std::string_view text, StateKey const& key) {
  if (text.size() > manifest_limit) return bad("it is too long");
  boost::system::error_code error;
  auto const value = json::parse(json::string_view(text.data(), text.size()), error);
  if (error) return bad("it is not JSON: " + error.message());
  if (!value.is_object()) return bad("it is not a JSON object");

  Members members(value.get_object());
  Manifest manifest;
  manifest.key = key;
  auto const format = members.integer("format", 1);
  if (members.complaint().empty() && format != manifest.format) {
    return bad("its format is " + std::to_string(format) + ", this slotswap reads " +
               std::to_string(manifest.format));
  }
  manifest.data = members.text("data");
  manifest.model = members.text("model");
  manifest.fingerprint = members.text("fingerprint");
  manifest.tokens = members.integer("tokens", 1);
  manifest.bytes = members.count("bytes", 1);
  manifest.mtime_ns = members.integer("mtime_ns", std::numeric_limits<std::int64_t>::min());
  manifest.checksum = members.optional_text("checksum");
  manifest.prompt_digest = members.text("prompt_digest");
  manifest.created = members.integer("created", 0);
  manifest.saved = members.integer("saved", 0);
  manifest.last_used = members.integer("last_used", 0);
  manifest.uses = members.count("uses", 0);

  auto const name = parse_data_name(manifest.data);
  if (!name || name->key != key) members.complain("data", "is not a data file of this session");
  if (!members.complaint().empty()) return bad(members.complaint());
  return manifest;
}

}  // namespace slotswap::store
