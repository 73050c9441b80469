#include "sim/house.hpp"

#include <slotswap/json/scan.hpp>

#include <boost/json/value.hpp>

#include <filesystem>
#include <utility>

namespace slotswap::test {

House::House(std::string slots, std::function<void(llama_sim::Options&)> changed, std::string top,
             std::string route)
    : slots_yaml(std::move(slots)), top_yaml(std::move(top)), route_yaml(std::move(route)) {
  llama_sim::Options options;
  options.slot_save_path = folder.path().string();
  options.scale = scale;
  if (changed) changed(options);
  sim = std::make_unique<llama_sim::Sim>(options);
  proxy = std::make_unique<RunningProxy>(yaml(), this->options());
}

std::string House::yaml() const {
  return "listen: 127.0.0.1:0\n" + top_yaml + "servers:\n  - {name: main, url: '" + sim->url() +
         "'}\nroutes:\n  - model: '*'\n    server: main\n    slots: {save_path: '" +
         folder.path().string() + "'" + (slots_yaml.empty() ? "" : ", " + slots_yaml) + "}\n" +
         (route_yaml.empty() ? "" : "    " + route_yaml + "\n");
}

app::ServiceOptions House::options() const {
  auto options = faster(scale);
  options.small_tokens = small_tokens;
  return options;
}

bool House::settled(std::size_t place) {
  return eventually([&] {
    bool settled = false;
    proxy->on_loop(
        [&] { settled = proxy->service().host("main")->keeper(place).slot().worth_saving(); });
    return settled;
  });
}

std::size_t House::waiting() {
  std::size_t count = 0;
  proxy->on_loop([&] { count = proxy->service().host("main")->keeper().waiting(); });
  return count;
}

void House::restart_proxy() {
  proxy.reset();
  proxy = std::make_unique<RunningProxy>(yaml(), options());
}

std::string House::chat_body(std::string const& text, std::string const& more) const {
  return R"({"model":"sim","max_tokens":4,)" + more + R"("messages":[{"role":"user","content":)" +
         json::quote(text) + "}]}";
}

RawClient House::begin(std::string const& session, std::string const& text,
                       std::string const& more) const {
  RawClient client(proxy->port());
  client.send(make_request("POST", "/v1/chat/completions", {{"X-Session-ID", session}},
                           chat_body(text, more)));
  return client;
}

HttpAnswer House::ask(std::string const& path, Headers const& headers, std::string const& body) {
  auto const before = log.count("event=request");
  auto const answer = request(proxy->port(), "POST", path, headers, body);
  // Its line comes after its last byte.
  eventually([&] { return log.count("event=request") > before; });
  return answer;
}

Reply House::chat(std::string const& session, std::string const& text, std::string const& more) {
  Headers headers;
  if (!session.empty()) headers.emplace_back("X-Session-ID", session);
  return read(ask("/v1/chat/completions", headers, chat_body(text, more)));
}

Reply House::read(HttpAnswer const& answer) {
  Reply reply;
  reply.status = answer.status;
  reply.body = answer.body;
  auto const parsed = json::parse(answer.body);
  if (parsed.has_error() || !parsed->is_object()) return reply;
  if (auto const* timings = parsed->get_object().if_contains("timings")) {
    reply.reused = timings->at("cache_n").to_number<std::int64_t>();
    reply.read = timings->at("prompt_n").to_number<std::int64_t>();
  }
  return reply;
}

std::vector<std::string> House::files(std::string const& ending) const {
  std::vector<std::string> found;
  for (auto const& entry : std::filesystem::directory_iterator(folder.path())) {
    auto const name = entry.path().filename().string();
    if (name.size() >= ending.size() &&
        name.compare(name.size() - ending.size(), ending.size(), ending) == 0) {
      found.push_back(name);
    }
  }
  return found;
}

}  // namespace slotswap::test
