#include <slotswap/app/adopt.hpp>
#include <slotswap/app/demo.hpp>
#include <slotswap/app/serve.hpp>

#include <CLI/CLI.hpp>

int main(int argc, char** argv) {
  CLI::App app(
      "slotswap: a prompt cache of its own for every session, in front of a llama-server with one "
      "slot");
  app.set_version_flag("--version", SLOTSWAP_VERSION);
  app.require_subcommand(1);
  std::string config;
  auto* serve = app.add_subcommand("serve", "serve a configuration until SIGTERM");
  serve->add_option("config", config, "the configuration file")->required();
  auto* check = app.add_subcommand(
      "check", "print the effective configuration, or what is wrong with it (exit code 2)");
  check->add_option("config", config, "the configuration file")->required();
  std::string route;
  std::string from;
  auto* adopt = app.add_subcommand(
      "adopt", "take over slot files that another program named TAG_ID.bin, as states of a route");
  adopt->add_option("config", config, "the configuration file")->required();
  adopt->add_option("route", route, "the route's `model`, as it is written there")->required();
  adopt->add_option("--from", from,
                    "the name that TAG was made of (default: the route's and the served model's)");
  bool once = false;
  auto* demo = app.add_subcommand(
      "demo", "show what it does on a simulated llama-server, then serve it until Ctrl-C");
  demo->add_flag("--once", once, "end after the table");
  CLI11_PARSE(app, argc, argv);
  if (serve->parsed()) return slotswap::app::serve(config);
  if (adopt->parsed()) return slotswap::app::adopt(config, route, from);
  if (demo->parsed()) return slotswap::app::demo(once);
  return slotswap::app::check(config);
}
