#include "llama_sim/sim.hpp"

#include <slotswap/app/demo.hpp>
#include <slotswap/app/service.hpp>
#include <slotswap/config/config.hpp>
#include <slotswap/json/scan.hpp>
#include <slotswap/llama/tap.hpp>
#include <slotswap/net/body.hpp>
#include <slotswap/net/upstream.hpp>
#include <slotswap/telemetry/log.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/signal_set.hpp>

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace slotswap::app {

namespace {

constexpr int turns = 4;
constexpr int words = 1500;
constexpr double prefill_tps = 4000;
constexpr auto reply_limit = std::chrono::seconds(60);
char const* const sessions[] = {"story", "agent", "summary"};

/// A folder that goes with the demo.
class Folder {
 public:
  Folder() {
    auto pattern = (std::filesystem::temp_directory_path() / "slotswap-demo-XXXXXX").string();
    if (char const* made = ::mkdtemp(pattern.data())) path_ = made;
  }
  ~Folder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  Folder(Folder const&) = delete;
  Folder& operator=(Folder const&) = delete;
  std::string const& path() const { return path_; }

 private:
  std::string path_;
};

struct Measured {
  std::int64_t read = 0;  // prompt tokens after the first turn
  std::vector<double> first_token_ms;
  bool failed = false;
};

std::string prompt_of(std::string const& session, int turn) {
  std::string text;
  for (int i = 0; i < words + turn * 20; ++i) text += session + std::to_string(i) + " ";
  return text;
}

std::string body_of(std::string const& session, int turn) {
  return R"({"model":"demo","stream":true,"max_tokens":8,"messages":[{"role":"user","content":)" +
         json::quote(prompt_of(session, turn)) + "}]}";
}

std::string head_of(std::string const& session, net::Upstream& server, std::size_t body) {
  http::RequestHead head;
  head.method = "POST";
  head.target = "/v1/chat/completions";
  head.fields.add("Host", server.authority());
  head.fields.add("Content-Type", "application/json");
  head.fields.add("Content-Length", std::to_string(body));
  head.fields.add("X-Session-ID", session);
  return http::serialize(head);
}

struct Answer {
  std::int64_t read = -1;  // prompt tokens, by the server; -1: the request failed
  double first_ms = 0;     // until the first piece of the stream: its first token
};

net::awaitable<Answer> ask(net::Loop& loop, net::Upstream& server, std::string session, int turn) {
  Answer answer;
  auto const body = std::make_shared<net::Body const>(body_of(session, turn));
  auto connection = server.take(true);
  auto const began = loop.now();
  auto const connected = co_await connection->connect();
  if (connected.has_error()) co_return answer;
  connection->send(head_of(session, server, body->bytes().size()), body);
  auto const headed = co_await connection->read_head(false, reply_limit);
  if (headed.has_error() || connection->response().status != 200) co_return answer;
  llama::Tap tap(connection->response().fields.get("Content-Type"));
  std::vector<std::string_view> pieces;
  for (;;) {
    auto const more = co_await connection->read_body(pieces, reply_limit);
    if (more.has_error()) co_return answer;
    if (!*more) break;
    if (answer.first_ms <= 0) answer.first_ms = base::to_ms(loop.now() - began);
    for (auto const piece : pieces) tap.put(piece);
  }
  answer.read = tap.finish().read.value_or(-1);
  co_return answer;
}

net::awaitable<Measured> play(net::Loop& loop, net::Upstream& server, std::string label) {
  Measured measured;
  for (int turn = 0; turn < turns; ++turn) {
    for (std::string const session : sessions) {
      std::cerr << "\r" << label << ": turn " << turn + 1 << " of " << turns << ", " << session
                << "        ";
      auto const answer = co_await ask(loop, server, session, turn);
      if (answer.read < 0) {
        measured.failed = true;
        co_return measured;
      }
      if (turn == 0) continue;
      measured.read += answer.read;
      measured.first_token_ms.push_back(answer.first_ms);
    }
  }
  co_return measured;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

std::string config_text(llama_sim::Sim const& sim, std::string const& folder) {
  return "listen: 127.0.0.1:0\nservers: [{name: demo, url: '" + sim.url() +
         "'}]\nroutes: [{model: '*', server: demo, slots: {save_path: '" + folder + "'}}]\n";
}

void print_table(Measured const& straight, Measured const& through) {
  auto const row = [](char const* name, Measured const& measured) {
    std::printf("  %-28s %12lld %18.0f\n", name, static_cast<long long>(measured.read),
                median(measured.first_token_ms));
  };
  std::printf(
      "\nThree sessions in turn on one slot (simulated: %.0f prompt tokens a second), after the "
      "first turn (times are medians):\n\n",
      prefill_tps);
  std::printf("  %-28s %12s %18s\n", "", "tokens read", "first token, ms");
  row("straight to llama-server", straight);
  row("through slotswap", through);
  std::printf("\n");
}

net::Upstream* connect_to(net::Loop& loop, std::uint16_t port,
                          std::unique_ptr<net::Upstream>& owner) {
  net::UpstreamSettings settings;
  settings.host = "127.0.0.1";
  settings.port = port;
  auto made = net::make_upstream(loop, settings);
  if (made.has_error()) return nullptr;
  owner = std::move(*made);
  return owner.get();
}

net::awaitable<void> compare(net::Loop& loop, net::Upstream& straight, net::Upstream& through,
                             int& code) {
  auto const without = co_await play(loop, straight, "without slotswap");
  auto const with = co_await play(loop, through, "with slotswap   ");
  std::cerr << "\r                                                  \r";
  code = without.failed || with.failed ? 1 : 0;
  if (code == 0) print_table(without, with);
}

void invite(std::uint16_t port) {
  std::printf(
      "Serving on 127.0.0.1:%u until Ctrl-C. Try it, with two sessions in turn:\n\n"
      "  curl -s http://127.0.0.1:%u/v1/chat/completions -H 'X-Session-ID: me' \\\n"
      "    -d '{\"model\":\"demo\",\"messages\":[{\"role\":\"user\",\"content\":\"hello\"}]}'\n\n",
      port, port);
  std::fflush(stdout);
}

}  // namespace

int demo(bool once) {
  std::signal(SIGPIPE, SIG_IGN);
  Folder folder;
  llama_sim::Options options;
  options.model = "demo";
  options.slot_save_path = folder.path();
  options.prefill_tps = prefill_tps;
  llama_sim::Sim sim(options);
  auto loaded = config::load_text(config_text(sim, folder.path()), "demo");
  if (!loaded.errors.empty()) {
    std::cerr << config::to_string(loaded.errors.front()) << '\n';
    return 1;
  }
  telemetry::LogSettings quiet;
  quiet.level = once ? telemetry::Level::warning : telemetry::Level::info;
  telemetry::LogSettings before;
  before.level = telemetry::Level::warning;
  telemetry::start(before);
  net::Loop loop;
  ServiceOptions served;
  // What a visitor tries by hand is short, and swapped all the same.
  served.small_tokens = 0;
  Service service(loop, std::move(loaded.config), std::move(served));
  auto const started = service.start();
  if (started.has_error()) {
    std::cerr << started.error().detail << '\n';
    return 1;
  }
  std::unique_ptr<net::Upstream> straight;
  std::unique_ptr<net::Upstream> through;
  int code = 1;
  auto* const first = connect_to(loop, sim.port(), straight);
  auto* const second = connect_to(loop, service.port(), through);
  auto const end = [&] { service.stop([&loop] { loop.stop(); }); };
  boost::asio::signal_set signals(loop.context(), SIGINT, SIGTERM);
  signals.async_wait([&](boost::system::error_code ec, int) {
    if (!ec) end();
  });
  auto after = [&](std::exception_ptr error) {
    if (error) net::report_exception("demo", error);
    if (once || code != 0) return end();
    telemetry::shutdown();
    telemetry::start(quiet);
    invite(service.port());
  };
  boost::asio::co_spawn(loop.context(), compare(loop, *first, *second, code), after);
  loop.run();
  telemetry::shutdown();
  return code;
}

}  // namespace slotswap::app
