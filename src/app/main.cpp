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
  bool once = false;
  auto* demo = app.add_subcommand(
      "demo", "show what it does on a simulated llama-server, then serve it until Ctrl-C");
  demo->add_flag("--once", once, "end after the table");
  CLI11_PARSE(app, argc, argv);
  if (serve->parsed()) return slotswap::app::serve(config);
  if (demo->parsed()) return slotswap::app::demo(once);
  return slotswap::app::check(config);
}
