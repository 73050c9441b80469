#include "real/house.hpp"

#include <slotswap/json/scan.hpp>
#include <slotswap/session/session.hpp>

#include <boost/json/value.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace slotswap::test {
namespace {

RealServerOptions with_alias(RealServerOptions options) {
  // Else the model's name is its whole path on this machine.
  if (!options.model.empty()) {
    options.args.insert(options.args.begin(), {"--alias", options.model});
  }
  return options;
}

}  // namespace

RealHouse::RealHouse(RealHouseOptions options_)
    : options(std::move(options_)), server(with_alias(options.server)) {
  if (options.wired) wire = std::make_unique<Wire>(server.port());
  start_proxy();
}

std::string RealHouse::yaml() const {
  auto const seen = options.save_path.value_or(server.slot_dir());
  return options.top + "servers:\n  - {name: main, url: '" + (wire ? wire->url() : server.url()) +
         "'}\nroutes:\n  - model: '*'\n    slots: {save_path: '" + seen.string() + "'" +
         (options.slots.empty() ? "" : ", " + options.slots) + "}\n" +
         (options.route.empty() ? "" : "    " + options.route + "\n");
}

void RealHouse::start_proxy() {
  proxy.reset();
  proxy = std::make_unique<SlotswapProcess>(yaml(), options.proxy_wrapper);
}

std::optional<int> RealHouse::stop_proxy() {
  return proxy->stop();
}

Reply RealHouse::chat(std::string const& session, Talk const& talk, std::string const& more) {
  auto const before = proxy->count({"event=request "});
  auto reply = test::chat(proxy->port(), session, talk, more);
  proxy->said({"event=request "}, before + 1);
  return reply;
}

HttpAnswer RealHouse::post(std::string const& path, Headers const& headers,
                           std::string const& body) {
  auto const before = proxy->count({"event=request "});
  auto answer = request(proxy->port(), "POST", path, headers, body);
  proxy->said({"event=request "}, before + 1);
  return answer;
}

bool RealHouse::asleep() const {
  auto const parsed = json::parse(request(server.port(), "GET", "/props").body);
  return parsed->at("is_sleeping").as_bool();
}

std::size_t RealHouse::expect_own_tokens(std::vector<std::string> const& names, int words) const {
  std::size_t seen = 0;
  for (auto const& file : files_in(folder(), ".bin")) {
    std::string text;
    try {
      EXPECT_GT(tokens_in(file).size(), 1U) << file;
      text = text_in(file, server.port());
    } catch (std::runtime_error const&) {
      // The data of a replaced state goes a moment after the new one's commit.
      if (!std::filesystem::exists(file)) continue;
      throw;
    }
    for (auto const& name : names) {
      auto const own = file.string().find("_" + session::state_id(name) + "-") != std::string::npos;
      if (!own) {
        EXPECT_EQ(text.find(name), std::string::npos) << file << " holds words of " << name;
        continue;
      }
      ++seen;
      auto const prompt = "<s>[user] " + story(name, words);
      // A prefill that was given up left its beginning.
      auto const size = std::min(text.size(), prompt.size());
      EXPECT_EQ(text.substr(0, size), prompt.substr(0, size)) << file;
    }
  }
  return seen;
}

LeavingClient::LeavingClient(RealHouse const& house, std::string const& session, Talk const& talk,
                             std::string const& more)
    : client_(house.proxy->port(), Milliseconds{60'000}) {
  client_.send(make_request("POST", "/v1/chat/completions", kept(session), chat_body(talk, more)));
}

double number_in(std::string const& line, std::string const& key) {
  auto const mark = " " + key + "=";
  auto const place = line.find(mark);
  return place == std::string::npos ? -1 : std::stod(line.substr(place + mark.size()));
}

}  // namespace slotswap::test
