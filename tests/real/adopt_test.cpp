// `slotswap adopt`: what another program had the real server save.
#include "real/house.hpp"

#include <slotswap/session/session.hpp>

#include <gmock/gmock.h>

#include <fstream>

namespace slotswap::test {
namespace {

using testing::HasSubstr;

std::string const id = "0123456789abcdef0123456789abcdef";

/// A session's turn straight at the server, saved under this name as such a program does it.
void save_as(RealHouse& house, std::string const& name, std::string const& session) {
  EXPECT_EQ(chat(house.server.port(), "", user_says(story(session, 100))).status, 200);
  auto const body = R"({"filename":")" + name + R"("})";
  auto const saved = request(house.server.port(), "POST", "/slots/0?action=save",
                             {{"Content-Type", "application/json"}}, body);
  EXPECT_EQ(saved.status, 200) << saved.body;
  request(house.server.port(), "POST", "/slots/0?action=erase");
}

TEST(RealAdopt, their_files_become_states_that_the_server_restores) {
  SLOTSWAP_NEED_REAL_SERVER();
  RealHouse house;
  TempDir home;
  std::ofstream(home.file("config.yaml")) << house.yaml();
  auto const tag = session::model_tag("story");
  save_as(house, tag + "_" + id + ".bin", id);
  save_as(house, session::model_tag("other") + "_" + id + ".bin", "other");
  std::string const rubbish = tag + "_" + std::string(32, 'f') + ".bin";
  std::ofstream(house.folder() / rubbish) << "no slot file";
  auto const adopt = [&] {
    return run_slotswap({"adopt", home.file("config.yaml"), "*", "--from", "story"});
  };

  auto const beside = adopt();
  EXPECT_EQ(beside.exit_code, 1);
  EXPECT_THAT(beside.printed, HasSubstr("a slotswap is running on this folder"));
  EXPECT_EQ(house.stop_proxy(), 0);

  auto const done = adopt();
  EXPECT_EQ(done.exit_code, 1) << "one file stays";
  EXPECT_THAT(done.printed, HasSubstr(tag + "_" + id + ".bin is now "));
  EXPECT_THAT(done.printed, HasSubstr(rubbish + " is no slot file that is known here"));
  EXPECT_THAT(done.printed, HasSubstr("1 files taken over"));
  ASSERT_EQ(states_in(house.folder()).size(), 1U);
  EXPECT_TRUE(std::filesystem::exists(house.folder() / rubbish));

  house.start_proxy();
  EXPECT_LE(house.chat(id, story(id, 100)).read, 1);
  EXPECT_EQ(house.proxy->count({"event=restore ", "result=ok"}), 1U);
  EXPECT_TRUE(
      std::filesystem::exists(house.folder() / (session::model_tag("other") + "_" + id + ".bin")));
}

TEST(RealAdopt, says_what_is_wrong_with_what_was_asked) {
  SLOTSWAP_NEED_REAL_SERVER();
  RealHouse house;
  TempDir home;
  std::ofstream(home.file("config.yaml")) << house.yaml();
  EXPECT_EQ(house.stop_proxy(), 0);
  auto const unknown = run_slotswap({"adopt", home.file("config.yaml"), "story"});
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_THAT(unknown.printed, HasSubstr("no route is named story"));
  house.server.kill(SIGKILL);
  auto const dead = run_slotswap({"adopt", home.file("config.yaml"), "*"});
  EXPECT_EQ(dead.exit_code, 1);
  EXPECT_THAT(dead.printed, HasSubstr("does not say what it serves"));
}

}  // namespace
}  // namespace slotswap::test
