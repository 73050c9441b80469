#include <slotswap/store/state.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace slotswap::store {
namespace {

std::string const id = "0123456789abcdef0123456789abcdef";

TEST(Names, are_spelled_as_the_format_says) {
  StateKey const key{"gemma-0a1b2c3d", id};
  EXPECT_EQ(data_name(key, 0), "gemma-0a1b2c3d_" + id + "-0.bin");
  EXPECT_EQ(data_name(key, 0x5f1e), "gemma-0a1b2c3d_" + id + "-5f1e.bin");
  EXPECT_EQ(data_name(key, std::numeric_limits<std::uint64_t>::max()),
            "gemma-0a1b2c3d_" + id + "-ffffffffffffffff.bin");
  EXPECT_EQ(manifest_name(key), "gemma-0a1b2c3d_" + id + ".json");
  EXPECT_EQ(unfinished_name(key), "gemma-0a1b2c3d_" + id + ".json.new");
}

TEST(Names, are_read_back_whatever_the_tag_holds) {
  for (std::string const tag :
       {"gemma-0a1b2c3d", "-0a1b2c3d", "a_b_c-0a1b2c3d", "a-b--c-0a1b2c3d", "__-_-00000000",
        "org_model_q4-1-abcdef01-0a1b2c3d", "0123456789012345678901234567890123456789-0a1b2c3d",
        "x_0123456789abcdef0123456789abcdef-1-0a1b2c3d"}) {
    StateKey const key{tag, id};
    for (std::uint64_t const generation : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{0xabc},
                                           std::numeric_limits<std::uint64_t>::max()}) {
      auto const data = parse_data_name(data_name(key, generation));
      ASSERT_TRUE(data) << tag;
      EXPECT_EQ(data->key, key);
      EXPECT_EQ(data->generation, generation);
    }
    EXPECT_EQ(parse_manifest_name(manifest_name(key)), key);
    EXPECT_TRUE(is_unfinished_manifest(unfinished_name(key)));
  }
}

TEST(Names, that_are_nearly_ours_are_not_ours) {
  std::string const tag = "gemma-0a1b2c3d";
  auto const long_tag = std::string(41, 'a') + "-0a1b2c3d";
  for (auto const& name : {
           std::string(),
           std::string(".bin"),
           std::string("-.bin"),
           std::string("-1.bin"),
           "_" + id + "-1.bin",
           tag + "_" + id + ".bin",                    // of the hook this proxy replaces
           tag + "_" + id + "-.bin",                   // no generation
           tag + "_" + id + "-01.bin",                 // not as we write it
           tag + "_" + id + "-00.bin",                 //
           tag + "_" + id + "-1A.bin",                 // upper case
           tag + "_" + id + "-0x1.bin",                //
           tag + "_" + id + "-g.bin",                  //
           tag + "_" + id + "-+1.bin",                 //
           tag + "_" + id + "-11111111111111111.bin",  // 17 digits
           tag + "_" + id + "_1.bin",                  //
           tag + "_" + id + "-1.BIN",                  //
           tag + "_" + id + "-1.bin.new",              //
           tag + "_" + id + "-1.bin~",                 //
           tag + "_" + id + "-1",                      //
           tag + "_" + id + "-1 .bin",                 //
           tag + "_" + id.substr(1) + "-1.bin",        // 31 digits
           tag + "_0" + id + "-1.bin",                 // 33 digits
           tag + "_" + "0123456789ABCDEF0123456789ABCDEF" + "-1.bin",
           tag + "-" + id + "-1.bin",          // no _ before the id
           "gemma_" + id + "-1.bin",           // a tag without digest
           "gemma-0a1b2c3_" + id + "-1.bin",   // 7 digits of digest
           "gemma-0A1B2C3D_" + id + "-1.bin",  //
           "gemma_0a1b2c3d_" + id + "-1.bin",  //
           "ge.ma-0a1b2c3d_" + id + "-1.bin",  // a character no tag has
           "ge/ma-0a1b2c3d_" + id + "-1.bin",  //
           "../" + tag + "_" + id + "-1.bin",  //
           std::string("ge\0ma-0a1b2c3d_", 15) + id + "-1.bin",
           long_tag + "_" + id + "-1.bin",
       }) {
    EXPECT_FALSE(parse_data_name(name)) << name;
  }
}

TEST(Names, manifests_and_unfinished_ones_are_told_apart) {
  auto const stem = "gemma-0a1b2c3d_" + id;
  EXPECT_FALSE(parse_manifest_name(stem + ".json.new"));
  EXPECT_FALSE(parse_manifest_name(stem + "-1.json"));
  EXPECT_FALSE(parse_manifest_name(stem + "-1.bin"));
  EXPECT_FALSE(parse_manifest_name(stem + ".JSON"));
  EXPECT_FALSE(parse_manifest_name(stem));
  EXPECT_FALSE(parse_manifest_name("settings.json"));
  EXPECT_FALSE(is_unfinished_manifest(stem + ".json"));
  EXPECT_FALSE(is_unfinished_manifest("settings.json.new"));
}

TEST(Names, a_generation_that_no_clock_reaches_does_not_count) {
  EXPECT_EQ(later_generation(5, 7), 7U);
  EXPECT_EQ(later_generation(7, 5), 7U);
  EXPECT_EQ(later_generation(7, std::numeric_limits<std::uint64_t>::max()), 7U);
}

}  // namespace
}  // namespace slotswap::store
