// The proxy as one user beside a server of another, as docs/deploy.md sets it up: one shared group,
// the folder 2770, the server's umask 007. Only root can start programs as others.
#include "real/house.hpp"

#include <slotswap/session/session.hpp>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

namespace slotswap::test {
namespace {

// Numbers that nobody has; the kernel asks for no names.
constexpr uid_t server_user = 64'901;
constexpr uid_t proxy_user = 64'902;
constexpr gid_t shared_group = 64'903;

constexpr char const* setpriv = "/usr/bin/setpriv";

std::vector<std::string> as_user(uid_t user, std::vector<std::string> more) {
  auto const id = std::to_string(user);
  std::vector<std::string> command{
      setpriv,       "--reuid", id, "--regid", id, "--groups", std::to_string(shared_group),
      "--pdeathsig", "keep"};
  command.insert(command.end(), more.begin(), more.end());
  return command;
}

// The model and the program may lie where only their owner can go: the server may read
// everything, and write only what its user may.
std::vector<std::string> server_wrapper() {
  std::vector<std::string> command{"/bin/sh", "-c", "umask 007; exec \"$@\"", "sh"};
  auto const change = as_user(
      server_user, {"--inh-caps", "+dac_read_search", "--ambient-caps", "+dac_read_search"});
  command.insert(command.end(), change.begin(), change.end());
  return command;
}

struct stat look(std::filesystem::path const& path) {
  struct stat seen {};
  if (::stat(path.c_str(), &seen) != 0) ADD_FAILURE() << path << " cannot be looked at";
  return seen;
}

RealHouseOptions two_users(TempDir const& home) {
  RealHouseOptions options;
  options.server.slot_dir = home.path() / "slots";
  options.server.wrapper = server_wrapper();
  options.proxy_wrapper = as_user(proxy_user, {"--inh-caps=-all", "--bounding-set=-all"});
  options.slots = "max_files: 2";
  auto const& folder = *options.server.slot_dir;
  std::filesystem::permissions(home.path(), std::filesystem::perms{0711});
  std::filesystem::create_directory(folder);
  if (::chown(folder.c_str(), server_user, shared_group) != 0 ||
      ::chmod(folder.c_str(), 02770) != 0)
    ADD_FAILURE() << "the folder cannot be given away";
  return options;
}

TEST(RealUsers, a_proxy_of_another_user_saves_restores_and_prunes) {
  SLOTSWAP_NEED_REAL_SERVER();
  if (::geteuid() != 0) GTEST_SKIP() << "only root can start programs as other users";
  if (::access(setpriv, X_OK) != 0) GTEST_SKIP() << "there is no " << setpriv;
  TempDir home;
  RealHouse house(two_users(home));
  EXPECT_EQ(look("/proc/" + std::to_string(house.proxy->pid())).st_uid, proxy_user);
  EXPECT_EQ(look("/proc/" + std::to_string(house.server.pid())).st_uid, server_user);

  for (auto const* name : {"anna", "ben", "carl"}) {
    EXPECT_EQ(house.chat(name, story(name, 60)).status, 200);
  }
  EXPECT_LE(house.chat("ben", story("ben", 60)).read, 1);
  EXPECT_EQ(house.proxy->count({"event=restore ", "result=ok"}), 1U);
  EXPECT_EQ(house.stop_proxy(), 0);

  auto const states = states_in(house.folder());
  EXPECT_EQ(states.size(), 2U);
  EXPECT_EQ(files_in(house.folder(), "").size(), 6U)
      << "two states and their manifests, the lock and the state file";
  for (auto const& state : states) {
    auto const data = look(state.data);
    EXPECT_EQ(data.st_uid, server_user);
    EXPECT_EQ(data.st_gid, shared_group);
    EXPECT_EQ(data.st_mode & 0777U, 0660U);
  }
  for (auto const& manifest : files_in(house.folder(), ".json")) {
    auto const seen = look(manifest);
    EXPECT_EQ(seen.st_uid, proxy_user);
    EXPECT_EQ(seen.st_gid, shared_group);
    EXPECT_EQ(seen.st_mode & 0777U, 0600U);
  }
  EXPECT_EQ(house.proxy->count({"level=warning"}), 0U) << house.proxy->log();
}

}  // namespace
}  // namespace slotswap::test
