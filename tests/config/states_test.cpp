// The keys of saved states that take more than a number or a word.
#include "support.hpp"

#include <gtest/gtest.h>

namespace slotswap::config {
namespace {

using namespace std::chrono_literals;

Loaded load_slots(std::string const& keys) {
  return load(servers + "routes:\n- model: a\n  slots: {" + keys + "}\n" + defaults_line());
}

TEST(ConfigStates, have_defaults) {
  auto const loaded = load_slots("");
  EXPECT_EQ(listed(loaded.errors), "");
  EXPECT_EQ(listed(loaded.warnings), "");
  auto const& slots = loaded.config.routes.at(0).slots.value();
  EXPECT_EQ(slots.verify, Verify::stat);
  EXPECT_EQ(slots.publish, Publish::beside);
  EXPECT_EQ(slots.unload, Unload::explicitly);
  EXPECT_EQ(slots.fingerprint, "");
  EXPECT_EQ(slots.min_free_bytes, 2ULL << 30U);
  EXPECT_EQ(slots.max_age, 0s);
  EXPECT_TRUE(slots.pin.empty());
  EXPECT_EQ(slots.max_write_bytes, 0U);
  EXPECT_EQ(loaded.config.log.ids, LogIds::full);
}

TEST(ConfigStates, max_age_has_a_unit) {
  struct Row {
    std::string written;
    Duration read;
    std::string printed;
  };
  for (auto const& row : {
           Row{"30d", 720h, "30d"},
           Row{"12h", 12h, "12h"},
           Row{"90m", 90min, "90m"},
           Row{"60m", 1h, "1h"},
           Row{"1.5d", 36h, "36h"},
           Row{"1s", 1s, "1s"},
           Row{"1.25s", 1250ms, "1.25s"},
           Row{"0", 0s, "0"},
           Row{"0h", 0s, "0"},
           Row{"36500d", 876'000h, "36500d"},
           Row{"'${NUMBER}d'", 168h, "7d"},
       }) {
    auto const loaded = load_slots("max_age: " + row.written);
    EXPECT_EQ(listed(loaded.errors), "") << row.written;
    EXPECT_EQ(loaded.config.routes.at(0).slots.value().max_age, row.read) << row.written;
    auto const text = print(loaded.config);
    EXPECT_NE(text.find("max_age: " + row.printed + "\n"), std::string::npos) << text;
    EXPECT_EQ(load(text).config.routes.at(0).slots.value().max_age, row.read) << row.written;
  }
  for (auto const* written : {"30", "d", "d30", "30 d", "30D", "30w", "-1d", "0.5s", "36501d",
                              "nand", "infd", "1e99d", "0x1d", "30dd", "soon", "00"}) {
    EXPECT_EQ(listed(load_slots("max_age: " + std::string(written)).errors),
              "4:20: `max_age`: expected a number with s, m, h or d such as 30d, from 1s to "
              "36500d, or 0, found `" +
                  std::string(written) + "`\n");
  }
}

TEST(ConfigStates, pin_is_a_list_of_ids) {
  auto const pinned = [](std::string const& written) {
    auto const loaded = load_slots("pin: " + written);
    EXPECT_EQ(listed(loaded.errors), "") << written;
    return loaded.config.routes.at(0).slots.value().pin;
  };
  EXPECT_EQ(pinned("[]"), std::vector<std::string>{});
  EXPECT_EQ(pinned("[alice, 7, '${KEY}']"), (std::vector<std::string>{"alice", "7", "sk-secret"}));
  EXPECT_EQ(pinned("[" + std::string(256, 'a') + "]").at(0).size(), 256U);

  struct Row {
    std::string written;
    std::string errors;
  };
  std::string const an_id = "`pin`: expected an id of 1 to 256 bytes, found ";
  for (auto const& row : {
           Row{"alice",
               "4:16: `pin`: expected a list of ids, found `alice`; a single one is a list too: "
               "[ID]\n"},
           Row{"{a: b}", "4:16: `pin`: expected a list of ids, found a map\n"},
           Row{"~", "4:11: `pin`: expected a list of ids, found nothing\n"},
           Row{"[a, [b]]", "4:20: `pin`: expected a text, found a list\n"},
           Row{"[a, ~]", "4:20: `pin`: expected a text, found nothing\n"},
           Row{"[a, '']", "4:20: " + an_id + "an empty text\n"},
           Row{"['${EMPTY}']", "4:17: " + an_id + "an empty text\n"},
           Row{"[" + std::string(257, 'a') + "]",
               "4:17: " + an_id + "`" + std::string(60, 'a') + "...`\n"},
       }) {
    EXPECT_EQ(listed(load_slots("pin: " + row.written).errors), row.errors) << row.written;
  }
}

TEST(ConfigStates, have_words_and_sizes_with_errors) {
  struct Row {
    std::string keys;
    std::string errors;
  };
  std::string const size = "expected a number from 0 to 1048576, found ";
  for (auto const& row : {
           Row{"verify: checksums",
               "4:19: `verify`: expected one of stat, checksum, found `checksums`; did you mean "
               "`checksum`?\n"},
           Row{"publish: over", "4:20: `publish`: expected one of beside, replace, found `over`\n"},
           Row{"unload: explicitly",
               "4:19: `unload`: expected one of explicit, never, found `explicitly`; did you mean "
               "`explicit`?\n"},
           Row{"min_free_gib: -1", "4:25: `min_free_gib`: " + size + "`-1`\n"},
           Row{"max_write_gib_per_day: all", "4:34: `max_write_gib_per_day`: " + size + "`all`\n"},
           Row{"fingerprint: q8",
               "4:11: unknown key `fingerprint` in slots; it belongs into a route\n"},
       }) {
    EXPECT_EQ(listed(load_slots(row.keys).errors), row.errors) << row.keys;
  }
}

TEST(ConfigStates, keys_about_files_are_warned_of_where_no_file_is_seen) {
  std::string const nothing =
      "4:10: `slots`: nothing is looked at or deleted without `save_path`, so these do nothing: ";
  struct Row {
    std::string keys;
    std::string idle;
  };
  for (auto const& row : {
           Row{"verify: checksum", "verify"},
           Row{"publish: replace", "publish"},
           Row{"min_free_gib: 3", "min_free_gib"},
           Row{"max_files: 1", "max_files"},
           Row{"max_gib: 1", "max_gib"},
           Row{"max_age: 1d", "max_age"},
           Row{"pin: [a]", "pin"},
           Row{"pin: [a], max_age: 1d, max_gib: 1, max_files: 1, publish: replace, verify: "
               "checksum, min_free_gib: 1",
               "verify, publish, min_free_gib, max_files, max_gib, max_age, pin"},
           Row{"verify: stat, publish: beside, min_free_gib: 2, max_age: 0, pin: []", ""},
           Row{"min_free_gib: 0", ""},
           Row{"max_write_gib_per_day: 1, on_miss: erase", ""},
       }) {
    EXPECT_EQ(listed(load_slots(row.keys).warnings),
              row.idle.empty() ? "" : nothing + row.idle + "\n")
        << row.keys;
    Folder const folder;
    EXPECT_EQ(
        listed(load_slots(row.keys + ", state_dir: '', save_path: " + folder.path()).warnings), "")
        << row.keys;
  }
}

TEST(ConfigStates, never_to_unload_is_warned_of_where_nothing_is_saved_before) {
  std::string const lost =
      "4:10: `slots`: with `unload: never` only idle saves come before a router unloads a model; "
      "without `save_idle_seconds` what the model held is lost\n";
  struct Row {
    std::string keys;
    std::string warnings;
  };
  for (auto const& row : {
           Row{"unload: never", lost},
           Row{"unload: never, save_idle_seconds: 0", lost},
           Row{"unload: never, save_idle_seconds: 0.5", ""},
           Row{"unload: explicit", ""},
       }) {
    auto const loaded = load_slots(row.keys);
    EXPECT_EQ(listed(loaded.errors), "") << row.keys;
    EXPECT_EQ(listed(loaded.warnings), row.warnings) << row.keys;
  }
}

TEST(ConfigStates, fingerprint_is_warned_of_without_slots) {
  struct Row {
    std::string routes;
    std::string warnings;
  };
  for (auto const& row : {
           Row{"routes: [{model: a, fingerprint: q8, slots: {}}]\n", ""},
           Row{"routes: [{model: a, fingerprint: q8, slots: off}]\n",
               "2:34: `fingerprint`: not used: the route has no slots\n"},
           Row{"routes: [{model: a, fingerprint: '', slots: off}]\n", ""},
       }) {
    auto const loaded = load(servers + row.routes + defaults_line());
    EXPECT_EQ(listed(loaded.errors), "");
    EXPECT_EQ(listed(loaded.warnings), row.warnings) << row.routes;
  }
  auto const defaults = "defaults: {fingerprint: q8}\n";
  EXPECT_EQ(listed(load(servers + routes + defaults).warnings),
            "3:25: `fingerprint`: not used: no route has slots\n");
  EXPECT_EQ(listed(load(servers + "routes: [{model: a}, {model: b, slots: {state_dir: " +
                        state_dir() + "}}]\n" + defaults)
                       .warnings),
            "");
}

}  // namespace
}  // namespace slotswap::config
