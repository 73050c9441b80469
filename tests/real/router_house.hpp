// A real router and the real slotswap in front of it, both as programs, with one slot folder.
#pragma once

#include "real/router.hpp"
#include "real/states.hpp"
#include "real/talk.hpp"
#include "support/slotswap_process.hpp"
#include "support/wait.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace slotswap::test {

struct RouterHouseOptions {
  RealRouterOptions router = {};
  std::string slots = {};  // YAML of the route's slots
};

class RouterHouse {
 public:
  explicit RouterHouse(RouterHouseOptions options = {});

  // Through the proxy; its log line is there when it returns.
  Reply chat(std::string const& model, std::string const& session, Talk const& talk,
             std::string const& more = "");
  // The session's own text, another one in each model.
  Reply chat(std::string const& model, std::string const& session);
  HttpAnswer get(std::string const& path);
  HttpAnswer post(std::string const& path, std::string const& body);

  // The session's own text is still in its slot, or was restored into it.
  void expect_kept(std::string const& model, std::string const& session);
  // It is saved, in this model's name.
  bool saved(std::string const& model, std::string const& session) const;
  // Every file holds the beginning of its own session's text, no word of another's. How many
  // sessions have one.
  std::size_t expect_own_tokens(std::vector<std::string> const& sessions) const;

  std::optional<int> stop_proxy() { return proxy->stop(); }
  void start_proxy();

  RouterHouseOptions options;
  RealRouter router;
  std::unique_ptr<SlotswapProcess> proxy;

 private:
  template <class Call>
  auto logged(Call&& call) {
    auto const before = proxy->count({"event=request "});
    auto answer = call();
    proxy->said({"event=request "}, before + 1);
    return answer;
  }
};

// What it says, 100 words.
std::string own_text(std::string const& model, std::string const& session);

}  // namespace slotswap::test
