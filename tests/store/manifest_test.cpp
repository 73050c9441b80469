#include "samples.hpp"

#include <slotswap/store/state.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace slotswap::store {
namespace {

std::string const stem = sample_key.text();

std::string replaced(std::string text, std::string const& what, std::string const& with) {
  auto const at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return at == std::string::npos ? text : text.replace(at, what.size(), with);
}

TEST(ManifestText, is_one_line_with_its_members_in_order) {
  EXPECT_EQ(
      to_json(sample_manifest(sample_key, 0x5f1e, 80228)),
      R"({"format":1,"data":")" + stem + R"(-5f1e.bin","model":"qwen3:32b-q4",)" +
          R"("fingerprint":"params 32000000000","tokens":1500,"bytes":80228,)" +
          R"("mtime_ns":1793000000123456789,"prompt_digest":"0123456789abcdef","created":1793000000,)" +
          R"("saved":1793000100,"last_used":1793000200,"uses":3})" + "\n");
}

TEST(ManifestText, comes_back_as_it_went) {
  auto manifest = sample_manifest(sample_key, 7, std::numeric_limits<std::uint64_t>::max());
  manifest.model = "a \"quoted\"\n\tname, \xE2\x82\xAC";
  manifest.fingerprint = "";
  manifest.checksum = std::string(32, 'c');
  manifest.refused_by = "b11669 n_ctx=1024";
  manifest.mtime_ns = -1;
  manifest.uses = 0;
  auto const text = to_json(manifest);
  EXPECT_EQ(text.find('\n'), text.size() - 1);
  auto const back = from_json(text, sample_key);
  ASSERT_TRUE(back) << back.error().detail;
  EXPECT_EQ(to_json(*back), text);
  EXPECT_EQ(back->key, sample_key);
  EXPECT_EQ(back->bytes, manifest.bytes);
  EXPECT_EQ(back->model, manifest.model);
  EXPECT_EQ(back->checksum, manifest.checksum);
  EXPECT_EQ(back->refused_by, manifest.refused_by);
}

TEST(ManifestText, members_of_a_later_slotswap_are_ignored) {
  auto const text = to_json(sample_manifest(sample_key, 7, 10));
  EXPECT_TRUE(from_json(replaced(text, "}", R"(,"seen_by":["b11669"]})"), sample_key));
}

TEST(ManifestText, is_read_strictly) {
  auto const good = to_json(sample_manifest(sample_key, 7, 10));
  auto const other = StateKey(sample_tag, std::string(32, 'f'));
  struct Row {
    std::string what;
    std::string with;
    std::string complaint;
  };
  for (auto const& row : {
           Row{good, "", "not JSON"},
           Row{"}\n", "", "not JSON"},
           Row{good, "[1]", "not a JSON object"},
           Row{"qwen3:", "qwen3:\xFF", "not JSON"},
           Row{"\"format\":1,", "\"format\":2,", "format is 2"},
           Row{"\"format\":1,", "\"format\":0,", "'format' is too small"},
           Row{"\"format\":1,", "\"format\":\"1\",", "'format' is not an integer"},
           Row{"\"format\":1,", "", "'format' is absent"},
           Row{"\"tokens\":1500", "\"tokens\":1500.0", "'tokens' is not an integer"},
           Row{"\"tokens\":1500", "\"tokens\":\"1500\"", "'tokens' is not an integer"},
           Row{"\"tokens\":1500", "\"tokens\":0", "'tokens' is too small"},
           Row{"\"tokens\":1500", "\"tokens\":9223372036854775808", "'tokens' is too large"},
           Row{"\"bytes\":10", "\"bytes\":0", "'bytes' is too small"},
           Row{"\"bytes\":10", "\"bytes\":-10", "'bytes' is too small"},
           Row{"\"bytes\":10", "\"bytes\":1e1", "'bytes' is not an integer"},
           Row{"\"bytes\":10", "\"bytes\":18446744073709551616", "'bytes' is not an integer"},
           Row{"\"bytes\":10", "\"bytes\":null", "'bytes' is not an integer"},
           Row{"\"uses\":3", "\"uses\":true", "'uses' is not an integer"},
           Row{"\"created\":1793000000", "\"created\":-1", "'created' is too small"},
           Row{"\"model\":\"qwen3:32b-q4\"", "\"model\":7", "'model' is not a string"},
           Row{"\"prompt_digest\":\"0123456789abcdef\"", "\"prompt_digest\":null",
               "is not a string"},
           Row{"\"prompt_digest\"", "\"checksum\":1,\"prompt_digest\"", "'checksum' is not"},
           Row{stem + "-7.bin", stem + ".bin", "'data' is not a data file"},
           Row{stem + "-7.bin", "../" + stem + "-7.bin", "'data' is not a data file"},
           Row{stem + "-7.bin", "/etc/passwd", "'data' is not a data file"},
           Row{stem + "-7.bin", data_name(other, 7), "'data' is not a data file"},
           Row{"0123456789abcdef", std::string(manifest_limit, 'f'), "too long"},
       }) {
    auto const read = from_json(replaced(good, row.what, row.with), sample_key);
    ASSERT_FALSE(read) << row.with;
    EXPECT_EQ(read.error().code, "bad_manifest");
    EXPECT_THAT(read.error().detail, testing::HasSubstr(row.complaint)) << row.with;
  }
}

}  // namespace
}  // namespace slotswap::store
