#include "service_server.hpp"

#include <slotswap/app/adopt.hpp>
#include <slotswap/app/serve.hpp>
#include <slotswap/base/wall_clock.hpp>
#include <slotswap/store/folder.hpp>

#include <iostream>
#include <memory>
#include <set>
#include <vector>

namespace slotswap::app {

namespace {

net::awaitable<base::Result<swap::ServerFacts>> ask(net::Loop& loop, llama::Server& server,
                                                    std::shared_ptr<store::FileSystem> files) {
  auto props = co_await server.props();
  if (props.has_error()) co_return props.error();
  co_return co_await swap::ask_facts(loop, server, std::move(files), std::move(*props));
}

base::Result<swap::ServerFacts> ask_now(config::Server const& settings,
                                        std::shared_ptr<store::FileSystem> const& files) {
  net::Loop loop;
  auto made = make_server(loop, settings);
  if (made.has_error()) return made.error();
  base::Result<swap::ServerFacts> facts =
      base::Fault(base::Side::us, "internal_error", "it was not asked");
  net::TaskGroup tasks(loop);
  auto work = [&]() -> net::awaitable<void> {
    facts = co_await ask(loop, (*made)->llama, files);
    loop.stop();
  };
  tasks.spawn("ask", work());
  loop.run();
  return facts;
}

/// One route's files, one after the other.
class Adoption {
 public:
  Adoption(store::FileSystem& files, config::Slots const& slots, swap::ServerFacts const& facts,
           std::string tag)
      : files_(files),
        slots_(slots),
        folders_(slots.save_path, slots.state_dir),
        facts_(facts),
        tag_(std::move(tag)) {}

  /// False: a file stays that should not.
  bool take(std::string const& foreign_tag) {
    auto const found = store::foreign_files(files_, folders_, foreign_tag);
    if (!found) return complain(found.error().detail);
    auto all = true;
    for (auto const& key : *found) all = take_one(key) && all;
    return all;
  }

  std::size_t taken() const { return taken_; }

 private:
  static bool complain(std::string const& words) {
    std::cerr << words << '\n';
    return false;
  }

  bool take_one(store::StateKey const& foreign) {
    store::Manifest manifest;
    manifest.key = store::StateKey(tag_, foreign.id);
    manifest.data =
        store::data_name(manifest.key, static_cast<std::uint64_t>(base::now_microseconds()));
    manifest.model = facts_.model.id;
    manifest.fingerprint = swap::fingerprint_of(facts_, slots_.fingerprint);
    manifest.created = manifest.saved = manifest.last_used = base::now_milliseconds();
    auto const with_checksum = slots_.verify == config::Verify::checksum;
    auto const done = store::adopt(files_, folders_, foreign, manifest, with_checksum);
    if (!done) return complain(done.error().detail);
    ++taken_;
    std::cout << store::foreign_name(foreign) << " is now " << done->data << " (" << done->tokens
              << " tokens, " << done->bytes << " bytes)\n";
    return true;
  }

  store::FileSystem& files_;
  config::Slots const& slots_;
  store::Folders folders_;
  swap::ServerFacts const& facts_;
  std::string tag_;
  std::size_t taken_ = 0;
};

int fail(std::string const& words) {
  std::cerr << words << '\n';
  return 1;
}

int adopt_into(config::Config const& config, config::Route const& route, std::string const& from) {
  std::shared_ptr<store::FileSystem> const files = store::posix_file_system();
  auto const& server = config.servers[route.server];
  auto const locks =
      store::lock(*files, store::Folders(route.slots->save_path, route.slots->state_dir));
  if (!locks) {
    auto const held = locks.error().code == "held";
    return fail(locks.error().detail +
                (held ? ": a slotswap is running on this folder; stop it first" : ""));
  }
  auto const facts = ask_now(server, files);
  if (!facts)
    return fail("the server " + server.name +
                " does not say what it serves: " + facts.error().detail);
  auto const tag = swap::tag_of(facts->model.id, folder_name(config, route.server));
  Adoption adoption(*files, *route.slots, *facts, tag);
  std::set<std::string> names{from};
  if (from.empty()) names = {route.model, facts->model.id};
  auto all = true;
  for (auto const& name : names) all = adoption.take(session::model_tag(name)) && all;
  std::cout << adoption.taken() << " files taken over for the route " << route.model
            << ", served by " << facts->model.id << "\n";
  return all ? 0 : 1;
}

}  // namespace

int adopt(std::string const& config_file, std::string const& route, std::string const& from) {
  auto const loaded = config::load_file(config_file);
  if (auto const code = report(loaded); code != 0) return code;
  for (auto const& one : loaded.config.routes) {
    if (one.model != route) continue;
    if (!one.slots || one.slots->save_path.empty())
      return fail("the route " + route + " has no slots with a save_path");
    return adopt_into(loaded.config, one, from);
  }
  return fail("no route is named " + route);
}

}  // namespace slotswap::app
