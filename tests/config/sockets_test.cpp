// Unix sockets in the configuration: what can be known of their paths.
#include "support.hpp"

#include <gtest/gtest.h>

#include <filesystem>

namespace slotswap::config {
namespace {

TEST(ConfigSockets, are_read_and_printed) {
  Folder const folder;
  auto const loaded = load("servers: [{name: m, url: 'unix://" + folder.path() + "/llama'}]\n" +
                           routes + "listen: unix:" + folder.path() +
                           "/http\nadmin: {address: 'unix:" + folder.path() + "/admin'}\n");
  ASSERT_EQ(listed(loaded.errors) + listed(loaded.warnings), "");
  EXPECT_EQ(loaded.config.listen.path, folder.path() + "/http");
  EXPECT_EQ(loaded.config.admin.value().path, folder.path() + "/admin");
  auto const& url = loaded.config.servers.at(0).url;
  EXPECT_EQ(url.path, folder.path() + "/llama");
  EXPECT_EQ(url.text, "unix:" + folder.path() + "/llama");
  EXPECT_EQ(url.host, "localhost");
  auto const text = print(loaded.config);
  EXPECT_NE(text.find("  address: \"unix:" + folder.path() + "/http\"\n"), std::string::npos);
  auto const again = load(text);
  EXPECT_EQ(listed(again.errors), "");
  EXPECT_EQ(print(again.config), text);
}

TEST(ConfigSockets, that_cannot_be_are_errors) {
  Folder const folder;
  auto const file = folder.file("file", "x");
  auto const in_file = file + "/s";
  struct Row {
    std::string text;
    std::string errors;
  };
  for (auto const& row : {
           Row{servers + routes + "listen: unix:/nowhere/s\n",
               "3:9: `listen`: the folder `/nowhere` cannot be used: No such file or directory\n"},
           Row{servers + routes + "listen: unix:" + in_file + "\n",
               "3:9: `listen`: `" + file + "` is no folder\n"},
           Row{servers + routes + "listen: unix:" + file + "\n",
               "3:9: `listen`: `" + file + "` is no socket\n"},
           Row{servers + routes + "listen: unix:s\n",
               "3:9: `listen`: expected HOST:PORT or unix:/path, found `unix:s`: a unix socket is "
               "given by its whole path: unix:/run/slotswap/http.sock\n"},
           Row{servers + routes + "admin: {address: 'unix:/nowhere/s'}\n",
               "3:18: `address`: the folder `/nowhere` cannot be used: No such file or "
               "directory\n"},
           Row{servers + routes + "listen: unix:/tmp/s\nadmin: unix:/tmp/s\n",
               "4:8: `admin`: the same address as `listen`\n"},
           Row{"servers: [{name: a, url: 'unix:" + file + "'}]\n" + routes,
               "1:26: `url`: `" + file + "` is no socket\n"},
       }) {
    EXPECT_EQ(listed(load(row.text).errors), row.errors) << row.text;
  }
}

}  // namespace
}  // namespace slotswap::config
