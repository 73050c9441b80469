// What the conformance tests share: a server of either kind, short words to ask it, and what its
// slot shows. A test that fails on one kind only says which of the two is wrong about llama-server.
#pragma once

#include "conformance/subject.hpp"
#include "support/http_client.hpp"
#include "support/story.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slotswap::test {

/// What a slot shows to those who ask (GET /slots).
struct Look {
  bool busy = false;
  std::optional<std::int64_t> task;
  std::optional<std::int64_t> held;
};
bool operator==(Look const& a, Look const& b);
void PrintTo(Look const& look, std::ostream* out);

struct Counts {
  std::int64_t reused = -1;     // cache_n
  std::int64_t read = -1;       // prompt_n
  std::int64_t generated = -1;  // predicted_n
};

/// A JSON text as an object; throws when it is none.
boost::json::object object_of(std::string_view text);
/// The timings of an answer; throws when it has none.
Counts counts_of(boost::json::object const& answer);
/// error.message, error.type and error.code of an error answer in llama-server's shape.
std::string error_message(HttpAnswer const& answer);
std::string error_type(HttpAnswer const& answer);
/// The data of each event of a stream, in order.
std::vector<std::string> events_of(std::string_view stream);

/// Bodies; `more` are JSON members, each with a comma behind it.
std::string prompt_body(std::string const& text, std::string const& more = "\"n_predict\":4,");
std::string chat_body(std::string const& text, std::string const& more = "\"max_tokens\":4,");

class Conformance : public testing::TestWithParam<Kind> {
 protected:
  void SetUp() override;

  Subject& start(Wish const& wish = {});
  /// The one started last.
  Subject& subject() { return *subject_; }

  HttpAnswer get(std::string_view path, Headers const& headers = {});
  HttpAnswer post(std::string_view path, std::string_view body, Headers const& headers = {});
  HttpAnswer slot_call(std::string const& action, std::string const& file);
  /// What `text` leaves in the slot, under the name a.bin; the path of the file.
  std::filesystem::path save(std::string const& text);
  /// A short completion, checked to have worked.
  Counts complete(std::string const& text, std::string const& more = "\"n_predict\":4,");
  Look look();
  /// Waits without a condition: only for what the server does by its own clock.
  void pass(double seconds);
  Milliseconds seconds(double count) const;

 private:
  std::unique_ptr<Subject> subject_;
};

}  // namespace slotswap::test

#define SLOTSWAP_ON_BOTH(Suite)                                                   \
  INSTANTIATE_TEST_SUITE_P(Both, Suite, ::testing::Values(Kind::sim, Kind::real), \
                           [](::testing::TestParamInfo<Kind> const& tested) {     \
                             return tested.param == Kind::sim ? "sim" : "real";   \
                           })
