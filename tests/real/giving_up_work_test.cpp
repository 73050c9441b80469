// Clients that give up while the server works for them: in the prefill, in the answer. The server
// is told, and what it did is their session's.
#include "real/house.hpp"
#include "real/seen.hpp"

#include <slotswap/session/session.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>

namespace slotswap::test {
namespace {

constexpr int long_story = 300;      // for mid a prefill of some seconds
constexpr int longer_story = 1'500;  // for swa
constexpr auto long_answer = R"("max_tokens":3000,)";

// In small batches: the server stops after one.
RealHouseOptions in_small_batches(std::string const& model) {
  auto options = talkative(model);
  options.server.args.insert(options.server.args.end(), {"--batch-size", "128"});
  return options;
}

std::string of(std::string const& name) {
  return "session=" + session::state_id(name);
}

std::string last_line(RealHouse const& house, std::vector<std::string> const& parts) {
  auto const lines = house.proxy->lines(parts);
  return lines.empty() ? "" : lines.back();
}

// What was read when anna left.
std::int64_t leave_in_the_prefill(RealHouse const& house, std::string const& text,
                                  std::string const& more) {
  LeavingClient client(house, "anna", user_says(text), more);
  std::int64_t read = 0;
  EXPECT_TRUE(eventually([&] { return (read = progress(house.server).read) > 0; }));
  client.leave();
  EXPECT_TRUE(house.proxy->said({"event=request ", of("anna"), "code=client_gone"}));
  return read;
}

void leave_in_the_answer(RealHouse const& house, std::string const& more) {
  LeavingClient client(house, "anna", user_says(story("anna", 30)), more + long_answer);
  ASSERT_TRUE(eventually([&] { return progress(house.server).answered > 0; }));
  client.leave();
  ASSERT_TRUE(house.proxy->said({"event=request ", of("anna"), "code=client_gone"}));
}

// It says so in its log, a moment after.
bool was_closed_early(RealServer const& server) {
  return eventually([&] { return closed_early(server) == 1; });
}

// ben's request comes right after anna left: the server is told of that and stops before it gets a
// slot call. The tokens that were saved for anna.
std::int64_t let_ben_have_the_slot(RealHouse& house) {
  EXPECT_EQ(house.chat("ben", story("ben", 30)).status, 200);
  EXPECT_TRUE(was_closed_early(house.server));
  EXPECT_EQ(parked(house.server), 0U);
  EXPECT_EQ(begun(house.server), 2U);
  auto const saved = last_line(house, {"event=save ", of("anna"), "result=ok"});
  EXPECT_NE(saved, "") << house.proxy->log();
  return static_cast<std::int64_t>(number_in(saved, "tokens"));
}

std::string as_stream(bool stream) {
  return stream ? R"("stream":true,)" : "";
}

char const* kind(bool stream) {
  return stream ? "stream" : "whole";
}

class RealGivingUpWork : public ::testing::TestWithParam<bool> {};

TEST_P(RealGivingUpWork, in_the_prefill_the_next_try_goes_on_with_what_was_read) {
  SLOTSWAP_NEED_REAL_SERVER();
  RealHouse house(in_small_batches("mid"));
  auto const text = story("anna", long_story);
  auto const read = leave_in_the_prefill(house, text, as_stream(GetParam()));
  auto const again = house.chat("anna", text, as_stream(GetParam()));
  EXPECT_EQ(again.status, 200) << again.body;
  EXPECT_GE(again.reused, read);
  EXPECT_TRUE(was_closed_early(house.server));
  EXPECT_EQ(begun(house.server), 2U);
}

TEST_P(RealGivingUpWork, in_the_answer_the_next_try_reads_nothing_again) {
  SLOTSWAP_NEED_REAL_SERVER();
  RealHouse house(talkative("mid"));
  leave_in_the_answer(house, as_stream(GetParam()));
  auto const again = house.chat("anna", story("anna", 30), as_stream(GetParam()));
  EXPECT_EQ(again.status, 200) << again.body;
  EXPECT_LE(again.read, 1);
  EXPECT_TRUE(was_closed_early(house.server));
  EXPECT_EQ(begun(house.server), 2U);
}

TEST_P(RealGivingUpWork, in_the_answer_another_session_gets_the_slot_when_it_is_idle) {
  SLOTSWAP_NEED_REAL_SERVER();
  RealHouse house(talkative("mid"));
  leave_in_the_answer(house, as_stream(GetParam()));
  auto const saved = let_ben_have_the_slot(house);
  auto const again = house.chat("anna", story("anna", 30), as_stream(GetParam()));
  EXPECT_LE(again.read, 1);
  EXPECT_GE(saved, again.reused);
}

INSTANTIATE_TEST_SUITE_P(Kinds, RealGivingUpWork, ::testing::Bool(),
                         [](auto const& tested) { return kind(tested.param); });

// With a sliding window, what is kept is of use only if it can be gone on with after a restore.
class RealGivingUpPrefill : public ::testing::TestWithParam<std::tuple<char const*, bool>> {};

TEST_P(RealGivingUpPrefill, is_kept_while_another_session_has_the_slot) {
  SLOTSWAP_NEED_REAL_SERVER();
  auto const [model, stream] = GetParam();
  RealHouse house(in_small_batches(model));
  auto const text = story("anna", model == std::string("swa") ? longer_story : long_story);
  auto const read = leave_in_the_prefill(house, text, as_stream(stream));
  auto const saved = let_ben_have_the_slot(house);
  EXPECT_GE(saved, read);
  auto const again = house.chat("anna", text, as_stream(stream));
  EXPECT_EQ(again.status, 200) << again.body;
  EXPECT_EQ(house.proxy->count({"event=restore ", of("anna"), "result=ok"}), 1U);
  // A fast server may have been at the prompt's end: some tokens there are always read again.
  constexpr std::int64_t end_of_prompt = 8;
  auto const prompt = again.reused + again.read;
  EXPECT_GE(again.reused, std::min(saved, prompt - end_of_prompt));
}

INSTANTIATE_TEST_SUITE_P(Models, RealGivingUpPrefill,
                         ::testing::Combine(::testing::Values("mid", "swa"), ::testing::Bool()),
                         [](auto const& tested) {
                           return std::string(std::get<0>(tested.param)) + "_" +
                                  kind(std::get<1>(tested.param));
                         });

}  // namespace
}  // namespace slotswap::test
