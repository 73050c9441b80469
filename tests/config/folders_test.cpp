// The folders of saved states: what is looked at on disk, and which routes may share one.
#include "folders.hpp"

#include "support.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <unistd.h>

namespace slotswap::config {
namespace {

// The first two words after the verdict are enough to tell which it is.
std::string verdict(mode_t mode, uid_t owner, uid_t euid) {
  auto const words = judge_mode(mode, owner, euid);
  return (words.error.empty() ? "" : words.error.substr(0, 9) + ".") +
         (words.warning.empty() ? "" : words.warning.substr(0, 7));
}

TEST(FolderMode, is_judged_by_who_runs_and_who_owns) {
  struct Row {
    mode_t mode;
    uid_t owner;
    uid_t euid;
    std::string verdict;
  };
  constexpr std::string_view sticky = "is sticky";
  for (auto const& row : {
           Row{S_IFDIR | 02770, 10, 11, ""},
           Row{S_IFDIR | 0700, 11, 11, ""},
           Row{S_IFDIR | 02771, 10, 11, "is open"},
           Row{S_IFDIR | 02774, 10, 11, "is open"},
           Row{S_IFDIR | 02772, 10, 11, "is open"},
           Row{S_IFDIR | 0755, 0, 0, "is open"},
           Row{S_IFDIR | 01770, 10, 11, "is sticky."},
           Row{S_IFDIR | 01770, 0, 11, "is sticky."},
           Row{S_IFDIR | 01770, 11, 11, ""},
           Row{S_IFDIR | 01770, 10, 0, ""},
           Row{S_IFDIR | 01777, 0, 11, "is sticky.is open"},
           Row{S_IFDIR | 01777, 0, 0, "is open"},
       }) {
    EXPECT_EQ(verdict(row.mode, row.owner, row.euid), row.verdict)
        << std::oct << row.mode << std::dec << " of " << row.owner << " for " << row.euid;
  }
  EXPECT_EQ(
      judge_mode(01750, 10, 11).error,
      std::string(sticky) +
          " (mode 1750): this process could not remove the server's files there; chmod -t "
          "it, and let it belong to the server's user and a group that both share, mode 2770");
  EXPECT_EQ(judge_mode(0005, 10, 11).warning,
            "is open to everyone (mode 0005): everyone on the machine could read the "
            "conversations; chmod o-rwx it");
}

std::string slots_of(std::string const& keys) {
  return servers + "routes:\n- model: a\n  slots: {" + keys + "}\n";
}

// Another user than root for as long as it lives; whoever is no root stays who it is.
class Nobody {
 public:
  Nobody() {
    if (was_root_) {
      EXPECT_EQ(::seteuid(65534), 0);
    }
  }
  ~Nobody() {
    if (was_root_) {
      EXPECT_EQ(::seteuid(0), 0);
    }
  }
  Nobody(Nobody const&) = delete;
  Nobody& operator=(Nobody const&) = delete;

 private:
  bool was_root_ = ::geteuid() == 0;
};

Loaded load_as_nobody(std::string const& text) {
  Nobody const nobody;
  return load(text);
}

void set_mode(Folder const& folder, mode_t mode) {
  ASSERT_EQ(::chmod(folder.path().c_str(), mode), 0);
}

TEST(ConfigFolders, that_cannot_be_used_are_errors) {
  for (std::string const key : {"save_path", "state_dir"}) {
    EXPECT_EQ(listed(load(slots_of(key + ": /nowhere/slots")).errors),
              "4:22: `" + key + "`: `/nowhere/slots` cannot be used: No such file or directory\n");
    EXPECT_EQ(listed(load(slots_of(key + ": /dev/null")).errors),
              "4:22: `" + key + "`: `/dev/null` is no folder\n");
    EXPECT_EQ(listed(load(slots_of(key + ": [a]")).errors),
              "4:22: `" + key + "`: expected a text, found a list\n");
    EXPECT_EQ(listed(load(slots_of(key + ": '${MISSING}'")).errors),
              "4:22: `" + key +
                  "`: the environment variable MISSING is not set; ${MISSING:-default} gives it a "
                  "default\n");
  }
}

TEST(ConfigFolders, of_defaults_are_complained_of_once) {
  EXPECT_EQ(listed(load(servers + "defaults: {slots: {save_path: /nowhere}}\n"
                                  "routes: [{model: a}, {model: b, slots: {on_miss: erase}}]\n")
                       .errors),
            "2:31: `save_path`: `/nowhere` cannot be used: No such file or directory\n");
}

TEST(ConfigFolders, that_cannot_be_written_are_errors) {
  Folder const folder;
  set_mode(folder, 0555);
  for (std::string const key : {"save_path", "state_dir"}) {
    EXPECT_EQ(listed(load_as_nobody(slots_of(key + ": " + folder.path())).errors),
              "4:22: `" + key + "`: " + shown(folder.path()) +
                  " cannot be written by this process: Permission denied\n");
  }
  set_mode(folder, 0700);
}

TEST(ConfigFolders, of_others_that_are_sticky_are_errors) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can have a folder of another user";
  Folder const folder;
  set_mode(folder, 01777);
  for (std::string const key : {"save_path", "state_dir"}) {
    auto const text = slots_of(key + ": " + folder.path());
    auto const name = "4:22: `" + key + "`: " + shown(folder.path()) + " ";
    auto const loaded = load_as_nobody(text);
    EXPECT_EQ(listed(loaded.errors), name + judge_mode(01777, 0, 65534).error + "\n");
    EXPECT_EQ(listed(loaded.warnings), name + judge_mode(01777, 0, 65534).warning + "\n");
    EXPECT_EQ(listed(load(text).errors), "");
  }
}

TEST(ConfigFolders, open_to_everyone_are_warned_of) {
  Folder const folder;
  set_mode(folder, 0701);
  for (std::string const key : {"save_path", "state_dir"}) {
    auto const loaded = load(slots_of(key + ": " + folder.path()));
    EXPECT_EQ(listed(loaded.errors), "");
    EXPECT_EQ(listed(loaded.warnings), "4:22: `" + key + "`: " + shown(folder.path()) + " " +
                                           judge_mode(0701, 0, 0).warning + "\n");
  }
  set_mode(folder, 0700);
  EXPECT_EQ(listed(load(slots_of("save_path: " + folder.path())).warnings), "");
}

TEST(ConfigFolders, state_dir_is_save_path_where_it_is_not_set) {
  Folder const folder;
  auto const loaded =
      load(servers + "defaults: {slots: {state_dir: " + state_dir() + "}}\n" +
           "routes: [{model: a, slots: {save_path: " + folder.path() + "/, state_dir: ''}}]\n");
  EXPECT_EQ(listed(loaded.errors), "");
  EXPECT_EQ(loaded.config.routes.at(0).slots.value().state_dir, folder.path());
}

TEST(ConfigFolders, one_of_the_two_is_needed) {
  std::string const needed =
      "`slots`: `state_dir` is needed where `save_path` is not set: the manifests and the state "
      "file need a folder\n";
  EXPECT_EQ(listed(load(slots_of("")).errors), "4:10: " + needed);
  EXPECT_EQ(listed(load(slots_of("save_path: '', state_dir: ''")).errors), "4:10: " + needed);
  EXPECT_EQ(listed(load(servers + "defaults: {slots: {id: 1}}\nroutes: [{model: a}]\n").errors),
            "3:10: " + needed);
  EXPECT_EQ(
      listed(load(servers + "defaults: {slots: {}}\nroutes: [{model: a, slots: off}]\n").errors),
      "");
}

// Two routes to servers `x` and `y` with the slots given; @a, @b and @c stand for folders.
struct Sharing {
  std::string first_server;
  std::string first;
  std::string second_server;
  std::string second;
  std::string words;  // of the error on the second; empty: none
};

TEST(ConfigFolders, and_what_is_known_of_them_belong_together) {
  Folder const a;
  Folder const b;
  Folder const c;
  auto const filled = [&](std::string text) {
    for (auto const& [name, folder] : {std::pair{"@a", &a}, {"@b", &b}, {"@c", &c}}) {
      for (auto at = text.find(name); at != std::string::npos; at = text.find(name)) {
        text.replace(at, 2, folder->path());
      }
    }
    return text;
  };
  auto const one_folder = "; what is known of one folder's states stands in one folder";
  for (auto const& row : {
           Sharing{"x", "save_path: @a", "x", "save_path: @a", ""},
           Sharing{"x", "save_path: @a", "y", "save_path: @a", ""},
           Sharing{"x", "save_path: @a", "y", "save_path: @b", ""},
           Sharing{"x", "save_path: @a, state_dir: @c", "y", "save_path: @a, state_dir: @c", ""},
           Sharing{"x", "state_dir: @a", "x", "state_dir: @a", ""},
           Sharing{"x", "state_dir: @a", "y", "state_dir: @b", ""},
           Sharing{"x", "save_path: @a", "x", "save_path: @b",
                   "gives the same server another `save_path`, `@a`; a llama-server has one "
                   "--slot-save-path"},
           Sharing{"x", "save_path: @a, state_dir: @b", "x", "save_path: @a, state_dir: @c",
                   std::string("gives the same server another `state_dir`, `@b`") + one_folder},
           Sharing{"x", "save_path: @a", "x", "state_dir: @c",
                   std::string("gives the same server another `state_dir`, `@a`") + one_folder},
           Sharing{"x", "state_dir: @b", "x", "state_dir: @c",
                   std::string("gives the same server another `state_dir`, `@b`") + one_folder},
           Sharing{
               "x", "save_path: @a", "y", "save_path: @a, state_dir: @c",
               std::string("gives the same `save_path` another `state_dir`, `@a`") + one_folder},
           Sharing{"x", "save_path: @a, state_dir: @c", "y", "save_path: @b, state_dir: @c",
                   "has the same `state_dir`, `@c`, for another folder of states; each needs one "
                   "of its own"},
           Sharing{"x", "save_path: @a, state_dir: @b", "y", "save_path: @b",
                   "has the same `state_dir`, `@b`, for another folder of states; each needs one "
                   "of its own"},
           Sharing{"x", "state_dir: @c", "y", "state_dir: @c",
                   "has the same `state_dir`, `@c`, for another folder of states; each needs one "
                   "of its own"},
           Sharing{"x", "save_path: @a", "y", "state_dir: @a",
                   "has the same `state_dir`, `@a`, for another folder of states; each needs one "
                   "of its own"},
       }) {
    auto const text = filled(
        "servers: [{name: x, url: 'http://x'}, {name: y, url: 'http://y'}]\nroutes:\n"
        "- {model: m, server: " +
        row.first_server + ", slots: {" + row.first +
        "}}\n- {model: n, server: " + row.second_server + ", slots: {" + row.second + "}}\n");
    EXPECT_EQ(listed(load(text).errors),
              row.words.empty()
                  ? ""
                  : "4:32: `slots`: the route `m` (line 3) " + filled(row.words) + "\n")
        << text;
  }
}

}  // namespace
}  // namespace slotswap::config
