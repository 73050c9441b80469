#include <slotswap/base/text.hpp>
#include <slotswap/session/session.hpp>
#include <slotswap/swap/fit.hpp>

namespace slotswap::swap {

namespace {

constexpr std::size_t fingerprint_digits = 32;

void add(std::string& text, std::string_view name, std::string_view value) {
  // A length, so that no value can look like the next name.
  text += std::string(name) + " " + std::to_string(value.size()) + " ";
  text += value;
  text += '\n';
}

}  // namespace

std::string fingerprint_of(ServerFacts const& facts, std::string_view route_text) {
  std::string text;
  add(text, "path", facts.props.model_path);
  add(text, "file", facts.model_file);
  add(text, "params", std::to_string(facts.model.meta.n_params));
  add(text, "size", std::to_string(facts.model.meta.size));
  add(text, "vocab", std::to_string(facts.model.meta.n_vocab));
  add(text, "embd", std::to_string(facts.model.meta.n_embd));
  add(text, "ftype", facts.model.meta.ftype);
  add(text, "adapters", facts.adapters);
  add(text, "route", route_text);
  return base::sha256_hex(text).substr(0, fingerprint_digits);
}

std::string tag_of(std::string const& model, std::string const& server) {
  return session::model_tag(server.empty() ? model : model + "@" + server);
}

Fit fit_of(ServerFacts const& facts, std::string_view route_text) {
  Fit fit;
  fit.fingerprint = fingerprint_of(facts, route_text);
  fit.n_ctx = facts.props.n_ctx;
  fit.start = facts.props.build + " n_ctx=" + std::to_string(facts.props.n_ctx) +
              " slots=" + std::to_string(facts.props.total_slots) + " " + facts.props.media_marker;
  return fit;
}

std::optional<std::string> unfit(store::Manifest const& state, Fit const& fit) {
  if (state.fingerprint != fit.fingerprint)
    return "it was saved with another model, other adapters or another fingerprint text (" +
           state.fingerprint.substr(0, 8) + ", now " + fit.fingerprint.substr(0, 8) + ")";
  if (fit.n_ctx > 0 && state.tokens > fit.n_ctx)
    return "it has " + std::to_string(state.tokens) + " tokens, and the server's context only " +
           std::to_string(fit.n_ctx);
  if (!state.refused_by.empty() && state.refused_by == fit.start)
    return "this server refused it already, started as it is now";
  return std::nullopt;
}

}  // namespace slotswap::swap
