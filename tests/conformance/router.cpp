#include "conformance/router.hpp"

#include "llama_sim/sim.hpp"
#include "support/real_server.hpp"
#include "support/temp_dir.hpp"
#include "support/wait.hpp"

#include <boost/json/parse.hpp>

#include <csignal>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace slotswap::test {
namespace {

constexpr Milliseconds patience{60'000};
constexpr auto endless = R"(,"prompt":"one two","n_predict":8000,"ignore_eos":true,"stream":true)";

class SimRouter : public RouterSubject {
 public:
  explicit SimRouter(RouterWish const& wish) : sim_(options(wish)) {}

  std::uint16_t port() const override { return sim_.port(); }
  std::filesystem::path slot_dir() const override { return folder_.path(); }
  void kill_model(std::string const& id) override { sim_.kill_model(id); }

 private:
  llama_sim::Options options(RouterWish const& wish) const {
    using llama_sim::RouterModel;
    RouterModel slow("slow");
    slow.decode_tps = 200;
    RouterModel broken("broken");
    broken.broken = true;
    RouterModel b("b");
    if (wish.b_sleeps_after > 0) b.sleep_idle_seconds = wish.b_sleeps_after;
    llama_sim::Options options;
    options.scale = 0.1;
    options.slot_save_path = folder_.path().string();
    options.router_models = {RouterModel("a", {"first", "second"}), b, RouterModel(odd_name), slow,
                             broken};
    options.models_max = wish.models_max;
    options.models_autoload = wish.autoload;
    options.load_seconds = 0.2;
    options.stop_seconds = 20;
    return options;
  }

  TempDir folder_;
  llama_sim::Sim sim_;
};

std::string text_of(std::filesystem::path const& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

class RealRouter : public RouterSubject {
 public:
  explicit RealRouter(RouterWish const& wish) : server_(options(wish)) {}

  std::uint16_t port() const override { return server_.port(); }
  std::filesystem::path slot_dir() const override { return server_.slot_dir(); }
  void kill_model(std::string const& id) override {
    auto const needle = std::string("--alias") + '\0' + id + '\0';
    for (auto const& entry : std::filesystem::directory_iterator("/proc")) {
      auto const number = entry.path().filename().string();
      if (number.find_first_not_of("0123456789") != std::string::npos) continue;
      if (!is_child(entry.path() / "status")) continue;
      if (text_of(entry.path() / "cmdline").find(needle) == std::string::npos) continue;
      ::kill(std::stoi(number), SIGKILL);
      return;
    }
    throw std::runtime_error("no process of the model " + id);
  }

 private:
  bool is_child(std::filesystem::path const& status) const {
    return text_of(status).find("\nPPid:\t" + std::to_string(server_.pid()) + "\n") !=
           std::string::npos;
  }
  RealServerOptions options(RouterWish const& wish) const {
    auto const preset = folder_.file("preset.ini");
    std::ofstream file(preset);
    auto const model = [&file](std::string const& name, std::string const& path) {
      file << "[" << name << "]\nmodel = " << path << "\n";
    };
    file << "[*]\nstop-timeout = 3\n";
    model("a", RealServer::model_path("tiny"));
    file << "alias = first,second\n";
    model("b", RealServer::model_path("tiny-other"));
    if (wish.b_sleeps_after > 0) file << "sleep-idle-seconds = " << wish.b_sleeps_after << "\n";
    model(odd_name, RealServer::model_path("tiny"));
    model("slow", RealServer::model_path("mid"));
    model("broken", RealServer::model_path("broken"));
    RealServerOptions options;
    options.model.clear();
    options.context = 8192;
    options.args = {"--models-preset", preset, "--models-max", std::to_string(wish.models_max)};
    if (!wish.autoload) options.args.emplace_back("--no-models-autoload");
    return options;
  }

  TempDir folder_;
  RealServer server_;
};

}  // namespace

std::unique_ptr<RouterSubject> make_router(Kind kind, RouterWish const& wish) {
  if (kind == Kind::sim) return std::make_unique<SimRouter>(wish);
  return std::make_unique<RealRouter>(wish);
}

std::string model_body(std::string const& model, std::string const& more) {
  return R"({"model":")" + model + "\"" + more + "}";
}

void RouterConformance::SetUp() {
  if (GetParam() == Kind::sim) return;
  SLOTSWAP_NEED_REAL_SERVER();
}

void RouterConformance::start(RouterWish const& wish) {
  subject_.reset();
  subject_ = make_router(GetParam(), wish);
}

HttpAnswer RouterConformance::get(std::string_view path) {
  auto client = RawClient(subject_->port(), patience);
  client.send(make_request("GET", path));
  return read_answer(client);
}

HttpAnswer RouterConformance::post(std::string_view path, std::string_view body) {
  auto client = begin(std::string(path), std::string(body));
  return read_answer(client);
}

RawClient RouterConformance::begin(std::string const& path, std::string const& body) {
  RawClient client(subject_->port(), patience);
  client.send(make_request("POST", path, {}, body));
  return client;
}

HttpAnswer RouterConformance::order(std::string const& what, std::string const& model) {
  return post("/models/" + what, model_body(model));
}

HttpAnswer RouterConformance::slot_call(std::string const& model, std::string const& action,
                                        std::string const& query) {
  return post("/slots/0?action=" + action + query, model_body(model, R"(,"filename":"a.bin")"));
}

void RouterConformance::use(std::string const& model) {
  auto const answer = post("/tokenize", model_body(model, R"(,"content":"one two")"));
  if (answer.status != 200) throw std::runtime_error("no use: " + answer.body);
}

Counts RouterConformance::complete(std::string const& model, std::string const& text) {
  auto const more = R"("n_predict":4,"model":")" + model + "\",";
  auto const answer = post("/completion", prompt_body(text, more));
  if (answer.status != 200) throw std::runtime_error("no completion: " + answer.body);
  return counts_of(object_of(answer.body));
}

RawClient RouterConformance::begin_stream(std::string const& model) {
  auto client = begin("/completion", model_body(model, endless));
  client.read_until("\"content\"");
  return client;
}

boost::json::object RouterConformance::entry(std::string const& model) {
  auto const list = object_of(get("/models").body);
  for (auto const& one : list.at("data").as_array()) {
    if (one.at("id").as_string() == model) return one.as_object();
  }
  throw std::runtime_error("no model " + model);
}

std::string RouterConformance::status(std::string const& model) {
  return std::string(entry(model).at("status").at("value").as_string());
}

bool RouterConformance::becomes(std::string const& model, std::string const& wanted) {
  return eventually([&] { return status(model) == wanted; }, patience);
}

std::vector<std::string> RouterConformance::running() {
  std::vector<std::string> found;
  auto const list = object_of(get("/models").body);
  for (auto const& one : list.at("data").as_array()) {
    auto const value = one.at("status").at("value").as_string();
    if (value != "unloaded" && value != "loading") found.emplace_back(one.at("id").as_string());
  }
  return found;
}

bool RouterConformance::running_becomes(std::vector<std::string> const& models) {
  return eventually([&] { return running() == models; }, patience);
}

}  // namespace slotswap::test
