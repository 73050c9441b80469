// The manifest as text. Written in one order of members, so that two can be compared by eye; read
// strictly, because it decides which file is handed to a server that believes it.
#include "members.hpp"

#include <slotswap/store/state.hpp>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <limits>

namespace slotswap::store {
namespace {

namespace json = boost::json;

base::Fault bad(std::string const& why) {
  return {base::Side::us, "bad_manifest", "the manifest cannot be used: " + why};
}

}  // namespace

std::string to_json(Manifest const& manifest, std::string_view set_aside) {
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
  if (!manifest.refused_by.empty()) object["refused_by"] = manifest.refused_by;
  object["created"] = manifest.created;
  object["saved"] = manifest.saved;
  object["last_used"] = manifest.last_used;
  object["uses"] = manifest.uses;
  if (!set_aside.empty())
    object["set_aside"] = json::string_view(set_aside.data(), set_aside.size());
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
  manifest.refused_by = members.optional_text("refused_by").value_or("");
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
