// A simulated server with a slot folder, asked over plain HTTP.
#pragma once

#include "llama_sim/sim.hpp"
#include "support/http_client.hpp"
#include "support/temp_dir.hpp"
#include "support/wait.hpp"

#include <functional>
#include <string>

namespace slotswap::llama_sim {

constexpr auto words = R"({"prompt":"some words to begin with","n_predict":4})";
constexpr auto stream = R"({"prompt":"some words to begin with","n_predict":9,"stream":true})";
constexpr auto endless = R"({"prompt":"some words","n_predict":100000,"stream":true})";

struct Stage {
  explicit Stage(std::function<void(Options&)> const& changed = nullptr) : sim(options(changed)) {}

  test::HttpAnswer get(std::string const& target) {
    return test::request(sim.port(), "GET", target);
  }
  test::HttpAnswer post(std::string const& target, std::string const& body) {
    return test::request(sim.port(), "POST", target, {}, body);
  }
  test::HttpAnswer slot_call(std::string const& action) {
    return post("/slots/0?action=" + action, R"({"filename":"a.bin"})");
  }
  test::RawClient begin(std::string const& target, std::string const& body) {
    test::RawClient client(sim.port());
    client.send(test::make_request("POST", target, {}, body));
    return client;
  }

  test::TempDir folder;
  Sim sim;

 private:
  Options options(std::function<void(Options&)> const& changed) const {
    Options options;
    options.scale = 0.02;
    options.slot_save_path = folder.path().string();
    if (changed) changed(options);
    return options;
  }
};

}  // namespace slotswap::llama_sim
