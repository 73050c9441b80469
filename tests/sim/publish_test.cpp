// A save whose data or manifest does not get to the disk: the older state stands.
#include "sim/other_disk.hpp"

#include <slotswap/session/session.hpp>

#include <gtest/gtest.h>

namespace slotswap::test {
namespace {

/// Fails one call of the next publish for Anna, as a disk with a bad block does. A manifest that
/// names the older data is only written anew, with the time of its use.
class BadDisk : public OtherDisk {
 public:
  enum class Call { none, sync, write, rename };

  Result<void> sync_file(Text path) override {
    if (path.find(session::state_id("anna")) != std::string::npos && fails(Call::sync))
      return bad(path);
    return OtherDisk::sync_file(path);
  }
  Result<void> write_new(Text path, Text text) override {
    publishes_ = path.ends_with(session::state_id("anna") + ".json.new") && !older.empty() &&
                 text.find(older) == std::string::npos;
    if (publishes_ && fails(Call::write)) return bad(path);
    return OtherDisk::write_new(path, text);
  }
  Result<void> rename(Text from, Text to) override {
    if (publishes_ && from.ends_with(".json.new") && fails(Call::rename)) return bad(from);
    return OtherDisk::rename(from, to);
  }
  std::string older;  // set before it is used
  std::atomic<Call> failing{Call::none};
  std::atomic<int> failed{0};

 private:
  bool fails(Call call) {
    if (!failing.compare_exchange_strong(call, Call::none)) return false;
    ++failed;
    return true;
  }
  static base::Fault bad(Text path) {
    return base::Fault(base::Side::us, "disk", path + ": Input/output error");
  }
  std::atomic<bool> publishes_{false};
};

std::vector<std::string> datas_of(House const& house, std::string const& session) {
  auto names = house.files(".bin");
  std::erase_if(names, [&](std::string const& name) {
    return name.find(session::state_id(session)) == std::string::npos;
  });
  return names;
}

class PublishFails : public testing::TestWithParam<BadDisk::Call> {};

TEST_P(PublishFails, the_older_state_stands_and_the_next_save_is_a_new_one) {
  House house;
  talk(house);
  auto const disk = std::make_shared<BadDisk>();
  auto const older = disk->older = data_of(house, "anna");
  restart_on(house, disk);
  EXPECT_GE(house.chat("anna", story("anna", 150)).reused, 99);
  disk->failing = GetParam();
  house.chat("ben", story("ben", 101));
  ASSERT_TRUE(eventually([&] { return disk->failed == 1; }));
  ASSERT_TRUE(eventually([&] { return lines_with(house, {"Input/output error"}) == 1; }));
  // Only the older one is in the folder.
  ASSERT_TRUE(
      eventually([&] { return datas_of(house, "anna") == std::vector<std::string>{older}; }));
  auto const reply = house.chat("anna", story("anna", 151));
  EXPECT_GE(reply.reused, 99);
  EXPECT_LT(reply.reused, 120);
  EXPECT_EQ(restores_of(house, older), 2U);
  house.chat("ben", story("ben", 102));
  ASSERT_TRUE(eventually([&] {
    auto const now = data_of(house, "anna");
    return !now.empty() && now != older;
  }));
  EXPECT_GE(house.chat("anna", story("anna", 152)).reused, 150);
  house.restart_proxy();
  EXPECT_GE(house.chat("anna", story("anna", 153)).reused, 151);
}

INSTANTIATE_TEST_SUITE_P(call, PublishFails,
                         testing::Values(BadDisk::Call::sync, BadDisk::Call::write,
                                         BadDisk::Call::rename));

// Nothing older stands behind the first save of a session.
TEST(Publish, a_first_save_that_fails_is_a_miss_and_nothing_worse) {
  House house;
  auto const disk = std::make_shared<BadDisk>();
  restart_on(house, disk);
  house.chat("anna", story("anna", 100));
  disk->failing = BadDisk::Call::sync;
  house.chat("ben", story("ben", 100));
  ASSERT_TRUE(eventually([&] { return disk->failed == 1; }));
  ASSERT_TRUE(eventually([&] { return data_of(house, "anna").empty(); }));
  auto const reply = house.chat("anna", story("anna", 101));
  EXPECT_EQ(reply.status, 200);
  EXPECT_LT(reply.reused, 20);
  EXPECT_EQ(lines_with(house, {"event=quarantine"}), 0U);
}

}  // namespace
}  // namespace slotswap::test
