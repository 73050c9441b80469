#include "support.hpp"

#include <gtest/gtest.h>

namespace slotswap::config {
namespace {

TEST(ConfigFile, is_read_with_its_name_in_errors) {
  Folder const folder;
  auto const file = folder.file("c.yaml", servers + routes + "lisen: 1\n");
  auto const loaded = load_file(file);
  ASSERT_EQ(loaded.errors.size(), 1U);
  EXPECT_EQ(to_string(loaded.errors[0]),
            file + ":3:1: error: unknown key `lisen` in the configuration; did you mean `listen`?");
}

TEST(ConfigFile, that_cannot_be_read_is_an_error) {
  Folder const folder;
  auto const error = [](std::string const& path) {
    return to_string(load_file(path).errors.at(0));
  };
  auto const missing = folder.path() + "/none";
  EXPECT_EQ(error(missing), missing + ": error: cannot be read: No such file or directory");
  EXPECT_EQ(error(folder.path()), folder.path() + ": error: cannot be read: Is a directory");
  auto const large = folder.file("large", std::string(3 * 1024 * 1024, '#'));
  EXPECT_EQ(error(large), large + ": error: larger than 1 MiB; that is no configuration");
}

TEST(ConfigFile, uses_the_environment_of_the_process) {
  Folder const folder;
  ASSERT_EQ(::setenv("SLOTSWAP_TEST_MODEL", "from outside", 1), 0);
  auto const file =
      folder.file("c.yaml", servers + "routes: [{model: '${SLOTSWAP_TEST_MODEL}'}]\n");
  EXPECT_EQ(load_file(file).config.routes.at(0).model, "from outside");
}

std::string& save_path() {
  static std::string path;
  return path;
}

// The text of an example, and what it loads as, without a word.
Loaded load_example(std::string const& text) {
  auto const loaded = load_text(text, "example.yaml", [](std::string const& name) {
    return name == "SLOTSWAP_SAVE_PATH" ? std::optional(save_path()) : std::nullopt;
  });
  EXPECT_EQ(listed(loaded.errors), "");
  EXPECT_EQ(listed(loaded.warnings), "");
  EXPECT_EQ(loaded.config.routes.at(0).slots.value().save_path, save_path());
  return loaded;
}

TEST(ConfigExample, of_a_router_loads) {
  Folder const folder;
  save_path() = folder.path();
  auto const loaded = load_example(slurp(std::string(SLOTSWAP_CONFIG) + "/router.example.yaml"));
  EXPECT_EQ(loaded.config.routes.at(0).model, "*");
}

TEST(ConfigExample, loads_and_names_every_key) {
  Folder const folder;
  save_path() = folder.path();
  auto const text = slurp(std::string(SLOTSWAP_CONFIG) + "/slotswap.example.yaml");
  auto const loaded = load_example(text);
  // Every key that `check` prints is explained in the example.
  std::istringstream printed(print(loaded.config));
  for (std::string line; std::getline(printed, line);) {
    auto const start = line.find_first_not_of(" -");
    auto const key = line.substr(start, line.find(':') - start + 1);
    EXPECT_NE(text.find(key), std::string::npos) << key;
  }
}

}  // namespace
}  // namespace slotswap::config
