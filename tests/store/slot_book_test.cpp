#include "samples.hpp"

#include <slotswap/store/slot_book.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slotswap::store {
namespace {

SlotBook sample_book() {
  SlotRecord record;
  record.marker = "<__media_abc__>";
  record.fingerprint = "feed";
  record.key = sample_key.text();
  record.task = 30;
  record.tokens = 3024;
  record.dirty = true;
  record.route = "qwen*";
  record.model = "a \"quoted\" name";
  record.prompt_digest = "0123456789abcdef";
  SlotBook book;
  book.boot = "11111111-2222";
  book.slots[{"main", 0}] = record;
  record.savable = false;
  book.slots[{"other", 3}] = record;
  book.saves[sample_key] = sample_manifest(sample_key, 7, 10);
  return book;
}

TEST(SlotBook, comes_back_as_it_went) {
  auto const book = sample_book();
  auto const back = slot_book_from_json(to_json(book));
  ASSERT_TRUE(back) << back.error().detail;
  EXPECT_EQ(back->boot, book.boot);
  EXPECT_EQ(back->slots, book.slots);
  ASSERT_EQ(back->saves.size(), 1U);
  EXPECT_EQ(to_json(back->saves.at(sample_key)), to_json(book.saves.at(sample_key)));
  EXPECT_TRUE(slot_book_from_json(to_json(SlotBook())));
}

TEST(SlotBook, is_believed_whole_or_not_at_all) {
  auto const good = to_json(sample_book());
  for (std::size_t cut = 0; cut + 1 < good.size(); ++cut)
    ASSERT_FALSE(slot_book_from_json(good.substr(0, cut))) << cut;
  struct Row {
    std::string what;
    std::string with;
  };
  for (auto const& row :
       {Row{"\"format\":1", "\"format\":2"}, Row{"\"slots\":[", "\"slot\":["},
        Row{"\"task\":30", "\"task\":-1"}, Row{"\"task\":30", "\"task\":\"30\""},
        Row{"\"dirty\":true", "\"dirty\":1"}, Row{"\"boot\":", "\"boots\":"},
        Row{"\"slot\":0", "\"slot\":99999999999"}, Row{"\"saves\":[\"", "\"saves\":[7,\""},
        Row{sample_key.text() + "-7.bin", "../" + sample_key.text() + "-7.bin"}}) {
    auto text = good;
    auto const at = text.find(row.what);
    ASSERT_NE(at, std::string::npos) << row.what;
    text.replace(at, row.what.size(), row.with);
    auto const book = slot_book_from_json(text);
    ASSERT_FALSE(book) << row.with;
    EXPECT_EQ(book.error().code, "bad_slot_book");
  }
}

}  // namespace
}  // namespace slotswap::store
