// The folders of saved states: what is looked at on disk, and which routes may share one.
#include "folders.hpp"

#include "support.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <unistd.h>

namespace slotswap::config {
namespace {

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
                                  "routes: [{model: a}, {model: b, slots: {id: 1}}]\n")
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
