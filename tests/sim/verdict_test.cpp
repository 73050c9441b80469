// What becomes of a state that a server did not take, died with, or made something else of.
#include "llama_sim/slot_file.hpp"
#include "sim/traces.hpp"

#include <slotswap/session/session.hpp>

#include <gtest/gtest.h>

#include <filesystem>

namespace slotswap::test {
namespace {

namespace fs = std::filesystem;
using llama_sim::Fault;

/// Up again, and known to be: the first request may meet a closed connection.
void start_again(House& house, std::function<void(llama_sim::Options&)> changed = nullptr) {
  house.sim->start_again(std::move(changed));
  eventually([&] { return house.chat("passer-by", "hello").status == 200; });
}

TEST(Refused, a_state_stays_and_is_offered_to_another_start_of_the_server) {
  House house;
  talk(house);
  auto const file = data_of(house, "anna");
  house.sim->order(Fault::restore_error);
  swap_in(house, "anna");
  ASSERT_TRUE(eventually([&] {
    auto const manifest = manifest_of(house, "anna");
    return manifest.find(R"("refused_by":"b11669-sim)") != std::string::npos;
  })) << manifest_of(house, "anna");
  swap_in(house, "anna");
  house.restart_proxy();
  swap_in(house, "anna");
  EXPECT_EQ(restores_of(house, file), 1U);
  EXPECT_EQ(lines_with(house, {"result=miss", "this server refused it already"}), 2U);
  start_again(house);
  EXPECT_GE(house.chat("anna", story("anna", 101)).reused, 99);
  EXPECT_EQ(restores_of(house, file), 2U);
  EXPECT_EQ(house.log.count("event=quarantine"), 0U);
}

/// Carl's, Anna's and Ben's states, the last in the slot; all known to the proxy as they are on
/// disk.
void three_talk(House& house) {
  house.chat("carl", story("carl", 100));
  talk(house);
  house.restart_proxy();
}

void expect_others_untouched(House& house) {
  EXPECT_GE(house.chat("carl", story("carl", 101)).reused, 99);
  EXPECT_GE(house.chat("ben", story("ben", 101)).reused, 99);
}

/// The server dies in its restore twice; then it is offered no more.
void expect_a_second_chance(std::string const& verify) {
  House house("verify: " + verify);
  three_talk(house);
  auto const file = data_of(house, "anna");
  for (std::size_t times = 1; times <= 2; ++times) {
    house.sim->order(Fault::restore_dies);
    EXPECT_EQ(swap_in(house, "anna").status, 502);
    EXPECT_EQ(restores_of(house, file), times);
    EXPECT_EQ(lines_with(house, {"event=quarantine", file, "the server went away"}), times - 1);
    start_again(house);
  }
  EXPECT_EQ(house.chat("anna", story("anna", 101)).status, 200);
  EXPECT_EQ(restores_of(house, file), 2U);
  expect_others_untouched(house);
  EXPECT_EQ(house.log.count("event=quarantine"), 1U);
}

TEST(Deadly, a_state_that_is_as_it_was_saved_has_a_second_chance) {
  expect_a_second_chance("stat");
  expect_a_second_chance("checksum");
}

TEST(Deadly, one_that_is_not_has_none) {
  House house("verify: stat");
  three_talk(house);
  auto const file = data_of(house, "anna");
  auto const path = path_of(house, "anna");
  house.sim->order(Fault::restore_dies);
  EXPECT_EQ(swap_in(house, "anna").status, 502);
  // Before its next restore somebody cuts it, as the dying server might have.
  fs::resize_file(path, fs::file_size(path) - 1);
  start_again(house);
  EXPECT_EQ(house.chat("anna", story("anna", 101)).status, 200);
  EXPECT_EQ(restores_of(house, file), 1U);
  EXPECT_EQ(house.log.count("event=quarantine"), 1U);
}

TEST(Deadly, one_that_was_restored_the_second_time_is_as_good_as_any) {
  House house("verify: checksum");
  three_talk(house);
  house.sim->order(Fault::restore_dies);
  EXPECT_EQ(swap_in(house, "anna").status, 502);
  start_again(house);
  EXPECT_GE(house.chat("anna", story("anna", 101)).reused, 99);
  EXPECT_EQ(house.log.count("event=quarantine"), 0U);
}

/// Writes what another save of this session could have left, in the same size and time.
void replace_data(House& house, std::string const& session, std::size_t fewer_tokens,
                  std::uint64_t bytes_per_token) {
  auto const path = path_of(house, session);
  auto const bytes = fs::file_size(path);
  auto const time = fs::last_write_time(path);
  auto tokens = llama_sim::read_slot_file(path.string()).tokens;
  tokens.resize(tokens.size() - fewer_tokens);
  ASSERT_LT(llama_sim::write_slot_file(path.string(), tokens, bytes_per_token), bytes);
  fs::resize_file(path, bytes);
  fs::last_write_time(path, time);
}

void expect_wrong(House& house, std::string const& file) {
  EXPECT_LT(house.chat("anna", story("anna", 101)).reused, 10);
  EXPECT_EQ(restores_of(house, file), 1U);
  EXPECT_EQ(lines_with(house, {"event=restore", file, "result=wrong"}), 1U);
  EXPECT_EQ(lines_with(house, {"event=quarantine", file, "the server restored"}), 1U);
  ASSERT_TRUE(eventually([&] { return fs::exists(house.folder.path() / "quarantine" / file); }));
  house.chat("dora", story("dora", 50));
  EXPECT_GE(house.chat("anna", story("anna", 102)).reused, 100);
}

TEST(Wrong, another_number_of_tokens_is_erased_and_set_aside) {
  House house;
  talk(house);
  auto const file = data_of(house, "anna");
  replace_data(house, "anna", 3, 256);
  expect_wrong(house, file);
}

TEST(Wrong, fewer_bytes_for_as_many_tokens_are_erased_and_set_aside) {
  House house;
  talk(house);
  auto const file = data_of(house, "anna");
  replace_data(house, "anna", 0, 128);
  start_again(house, [](llama_sim::Options& options) { options.bytes_per_token = 128; });
  expect_wrong(house, file);
}

}  // namespace
}  // namespace slotswap::test
