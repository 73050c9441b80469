// Two real llama-servers that save into one folder, and a route to both.
#include "real/talk.hpp"
#include "support/real_server.hpp"
#include "support/slotswap_process.hpp"

#include <slotswap/session/session.hpp>

#include <gtest/gtest.h>

#include <csignal>
#include <string>

namespace slotswap::test {
namespace {

RealServerOptions sharing(TempDir const& folder) {
  RealServerOptions options;
  options.slot_dir = folder.path();
  options.args = {"--alias", "tiny"};
  return options;
}

std::string yaml(RealServer const& a, RealServer const& b, TempDir const& folder) {
  return "servers:\n  - {name: a, url: '" + a.url() + "'}\n  - {name: b, url: '" + b.url() +
         "'}\nroutes:\n  - model: '*'\n    servers: [a, b]\n    slots: {save_path: '" +
         folder.path().string() + "', save_idle_seconds: 0.05}\n";
}

TEST(RealServers, a_session_goes_on_at_the_other_server_when_its_own_one_dies) {
  SLOTSWAP_NEED_REAL_SERVER();
  TempDir folder;
  RealServer a(sharing(folder));
  RealServer b(sharing(folder));
  SlotswapProcess proxy(yaml(a, b, folder));
  auto const anna = "session=" + session::state_id("anna");

  auto const first = chat(proxy.port(), "anna", user_says(story("anna", 100)));
  EXPECT_EQ(first.status, 200) << first.body;
  ASSERT_TRUE(proxy.said({"event=save server=a ", anna, "result=ok"})) << proxy.log();
  a.kill(SIGKILL);

  auto const again = chat(proxy.port(), "anna", user_says(story("anna", 100)));
  EXPECT_EQ(again.status, 200) << again.body;
  EXPECT_LE(again.read, 1) << "all of it is in the state that a saved";
  EXPECT_TRUE(proxy.said({"event=restore server=b ", anna, "result=ok"}));
  EXPECT_TRUE(proxy.said({"event=request ", "server=b ", anna, "status=200"}));
  EXPECT_EQ(proxy.count({"event=server server=a state=set_aside"}), 1U) << proxy.log();

  a.restart();
  ASSERT_TRUE(proxy.said({"event=server server=a state=back"})) << proxy.log();
  auto const longer = chat(proxy.port(), "anna", user_says(story("anna", 110)));
  EXPECT_GE(longer.reused, first.read - 20) << "it stays where it went";
  EXPECT_EQ(chat(proxy.port(), "ben", user_says(story("ben", 100))).status, 200);
  EXPECT_TRUE(proxy.said({"event=request ", "server=a ", "status=200"}, 2));
  EXPECT_EQ(proxy.stop(), 0);
  EXPECT_EQ(proxy.count({"event=save server=a ", anna}), 1U) << proxy.log();
}

}  // namespace
}  // namespace slotswap::test
