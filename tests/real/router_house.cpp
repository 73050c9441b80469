#include "real/router_house.hpp"

#include <slotswap/session/session.hpp>

#include <algorithm>
#include <filesystem>
#include <set>
#include <stdexcept>
#include <utility>

namespace slotswap::test {

std::string own_text(std::string const& model, std::string const& session) {
  return story(session + "in" + model + "at", 100);
}

RouterHouse::RouterHouse(RouterHouseOptions options_)
    : options(std::move(options_)), router(options.router) {
  start_proxy();
}

void RouterHouse::start_proxy() {
  proxy.reset();
  auto const more = options.slots.empty() ? "" : ", " + options.slots;
  proxy =
      std::make_unique<SlotswapProcess>("servers:\n  - {name: main, url: '" + router.url() +
                                        "'}\nroutes:\n  - model: '*'\n    slots: {save_path: '" +
                                        router.folder().string() + "'" + more + "}\n");
}

Reply RouterHouse::chat(std::string const& model, std::string const& session, Talk const& talk,
                        std::string const& more) {
  return logged(
      [&] { return test::chat(proxy->port(), session, talk, model_member(model) + more); });
}

Reply RouterHouse::chat(std::string const& model, std::string const& session) {
  return chat(model, session, user_says(own_text(model, session)));
}

HttpAnswer RouterHouse::get(std::string const& path) {
  return logged([&] { return request(proxy->port(), "GET", path); });
}

HttpAnswer RouterHouse::post(std::string const& path, std::string const& body) {
  return logged([&] { return request(proxy->port(), "POST", path, {}, body); });
}

void RouterHouse::expect_kept(std::string const& model, std::string const& session) {
  auto const reply = chat(model, session);
  EXPECT_EQ(reply.status, 200) << reply.body;
  EXPECT_GT(reply.reused, 100) << session << " in " << model;
  EXPECT_LE(reply.read, 1) << session << " in " << model << " was read again\n"
                           << proxy->log() << router.changes();
}

bool RouterHouse::saved(std::string const& model, std::string const& session) const {
  auto const id = session::state_id(session);
  auto const states = states_in(router.folder());
  return std::any_of(states.begin(), states.end(), [&](State const& state) {
    return state.session == id && state.data.filename().string().starts_with(model + "-");
  });
}

std::size_t RouterHouse::expect_own_tokens(std::vector<std::string> const& sessions) const {
  auto const speaker = router.loaded().empty() ? options.router.models.front()  //
                                               : router.loaded().front();
  std::set<std::string> seen;
  for (auto const& file : files_in(router.folder(), ".bin")) {
    std::string text;
    try {
      text = text_in(file, router.port(), speaker);
    } catch (std::runtime_error const&) {
      // The data of a replaced state goes a moment after the new one's commit.
      if (!std::filesystem::exists(file)) continue;
      throw;
    }
    auto const name = file.filename().string();
    for (auto const& model : options.router.models) {
      for (auto const& session : sessions) {
        auto const own = name.starts_with(model + "-") &&
                         name.find("_" + session::state_id(session) + "-") != std::string::npos;
        auto const prompt = "<s>[user] " + own_text(model, session);
        if (!own) {
          EXPECT_EQ(text.find(session + "in" + model + "at"), std::string::npos)
              << name << " holds words of " << session << " in " << model;
          continue;
        }
        seen.insert(model + session);
        // A prefill that was given up left its beginning.
        auto const size = std::min(text.size(), prompt.size());
        EXPECT_EQ(text.substr(0, size), prompt.substr(0, size)) << name;
      }
    }
  }
  return seen.size();
}

}  // namespace slotswap::test
