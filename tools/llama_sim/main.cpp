// The simulated llama-server as a program, with the flags of the real one.
#include "llama_sim/sim.hpp"

#include <CLI/CLI.hpp>

#include <csignal>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

int main(int argc, char** argv) {
  slotswap::llama_sim::Options options;
  options.port = 9931;
  CLI::App app("llama-sim: behaves like a llama-server, without a model");
  app.add_option("--host", options.host, "address");
  app.add_option("--port", options.port, "port, 0: any");
  app.add_option("--parallel", options.slots, "slots");
  app.add_option("-c,--ctx-size", options.context, "context in tokens");
  app.add_option("--slot-save-path", options.slot_save_path, "folder of the slot files");
  app.add_flag("--slots,!--no-slots", options.slots_endpoint, "GET /slots answers 501");
  app.add_option("--api-key", options.api_key, "key");
  app.add_option("--sleep-idle-seconds", options.sleep_idle_seconds,
                 "sleep after so long, 0: never");
  app.add_option("--prefill-tps", options.prefill_tps, "prompt tokens a second, 0: at once");
  app.add_option("--decode-tps", options.decode_tps, "generated tokens a second, 0: at once");
  app.add_option("--slot-call-tps", options.slot_call_tps,
                 "tokens of a state that are saved or restored a second, 0: at once");
  std::vector<std::string> models;
  app.add_option("--router-model", models, "a router with this model; may be repeated");
  app.add_option("--models-max", options.models_max, "models loaded at once, 0: no limit");
  app.add_option("--load-seconds", options.load_seconds, "how long a model loads");
  app.add_option("--scale", options.scale, "factor of every period");
  // The real one's -np is no flag in CLI11's eyes.
  static char parallel[] = "--parallel";
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "-np") argv[i] = parallel;
  }
  CLI11_PARSE(app, argc, argv);
  for (auto const& model : models) options.router_models.emplace_back(model);
  sigset_t wanted;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGINT);
  sigaddset(&wanted, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &wanted, nullptr);
  try {
    slotswap::llama_sim::Sim sim(options);
    std::cout << "listening on " << sim.url() << std::endl;
    int signal = 0;
    sigwait(&wanted, &signal);
  } catch (std::exception const& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
