#include "support/real_server.hpp"

#include "support/http_client.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <stdexcept>

namespace slotswap::test {
namespace {

TEST(RealServerTest, saves_into_its_folder_and_restores_after_a_kill) {
  SLOTSWAP_NEED_REAL_SERVER();
  RealServer server;
  auto const chat = request(server.port(), "POST", "/completion", {},
                            R"({"prompt":"the one and the other","n_predict":4,"temperature":0})");
  ASSERT_EQ(chat.status, 200) << chat.body;
  auto const saved =
      request(server.port(), "POST", "/slots/0?action=save", {}, R"({"filename":"a.bin"})");
  EXPECT_EQ(saved.status, 200) << saved.body;
  EXPECT_TRUE(std::filesystem::exists(server.slot_dir() / "a.bin"));

  auto const port = server.port();
  server.kill(SIGKILL);
  EXPECT_FALSE(server.running());
  server.restart();
  EXPECT_EQ(server.port(), port);
  auto const restored =
      request(server.port(), "POST", "/slots/0?action=restore", {}, R"({"filename":"a.bin"})");
  EXPECT_EQ(restored.status, 200) << restored.body;
}

TEST(RealServerTest, says_why_it_does_not_start) {
  SLOTSWAP_NEED_REAL_SERVER();
  RealServerOptions options;
  options.model = "no-such-model";
  try {
    RealServer server(options);
    FAIL() << "it started";
  } catch (std::runtime_error const& error) {
    EXPECT_NE(std::string(error.what()).find("no-such-model"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace slotswap::test
