// What decides whether a state may be handed to a server, fact by fact.
#include <slotswap/swap/fit.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace slotswap::swap {
namespace {

using testing::HasSubstr;

constexpr char route_text[] = "q8 cache";

ServerFacts facts() {
  ServerFacts facts;
  facts.props.total_slots = 1;
  facts.props.n_ctx = 16'384;
  facts.props.model_path = "/models/tiny.gguf";
  facts.props.model_alias = "tiny";
  facts.props.media_marker = "<__media_k3x__>";
  facts.props.build = "b11669-Debian";
  facts.model.meta.n_params = 1000;
  facts.model.meta.size = 2000;
  facts.model.meta.n_vocab = 300;
  facts.model.meta.n_embd = 64;
  facts.model.meta.ftype = "F16";
  facts.adapters = R"([["/models/a.gguf",1E0]])";
  facts.model_file = "2000 bytes of 17";
  return facts;
}

struct Change {
  char const* what;
  void (*change)(ServerFacts&);
};

Change const of_the_model[] = {
    {"path", [](ServerFacts& f) { f.props.model_path = "/models/tiny2.gguf"; }},
    {"file", [](ServerFacts& f) { f.model_file = "2000 bytes of 18"; }},
    {"no file", [](ServerFacts& f) { f.model_file.clear(); }},
    {"n_params", [](ServerFacts& f) { ++f.model.meta.n_params; }},
    {"size", [](ServerFacts& f) { ++f.model.meta.size; }},
    {"n_vocab", [](ServerFacts& f) { ++f.model.meta.n_vocab; }},
    {"n_embd", [](ServerFacts& f) { ++f.model.meta.n_embd; }},
    {"ftype", [](ServerFacts& f) { f.model.meta.ftype = "Q8_0"; }},
    {"scale", [](ServerFacts& f) { f.adapters = R"([["/models/a.gguf",5E-1]])"; }},
    {"no adapter", [](ServerFacts& f) { f.adapters.clear(); }},
};

TEST(Fingerprint, each_fact_of_the_model_makes_another_one) {
  std::set<std::string> seen = {fingerprint_of(facts(), route_text)};
  for (auto const& row : of_the_model) {
    auto other = facts();
    row.change(other);
    EXPECT_TRUE(seen.insert(fingerprint_of(other, route_text)).second) << row.what;
  }
  EXPECT_TRUE(seen.insert(fingerprint_of(facts(), "")).second);
  EXPECT_TRUE(seen.insert(fingerprint_of(facts(), "q4 cache")).second);
  // States on disk were named by it: another text here would make all of them misses.
  EXPECT_EQ(fingerprint_of(facts(), route_text), "e99a526f5e5003711842cbadd2ca6ae0");
}

TEST(Fingerprint, no_value_can_look_like_the_next_name) {
  auto one = facts();
  one.props.model_path = "x\nfile y";
  one.model_file = "";
  auto other = facts();
  other.props.model_path = "x";
  other.model_file = "y\nfile ";
  EXPECT_NE(fingerprint_of(one, ""), fingerprint_of(other, ""));
}

Change const of_the_start[] = {
    {"build", [](ServerFacts& f) { f.props.build = "b11670-Debian"; }},
    {"n_ctx", [](ServerFacts& f) { f.props.n_ctx = 8192; }},
    {"slots", [](ServerFacts& f) { f.props.total_slots = 2; }},
    {"marker", [](ServerFacts& f) { f.props.media_marker = "<__media_k3y__>"; }},
};

TEST(Fingerprint, another_start_of_the_same_model_keeps_it) {
  for (auto const& row : of_the_start) {
    auto other = facts();
    row.change(other);
    EXPECT_EQ(fingerprint_of(other, route_text), fingerprint_of(facts(), route_text)) << row.what;
    EXPECT_NE(fit_of(other, route_text).start, fit_of(facts(), route_text).start) << row.what;
  }
  auto renamed = facts();
  renamed.props.model_alias = "other";
  renamed.props.sleeping = true;
  EXPECT_EQ(fingerprint_of(renamed, route_text), fingerprint_of(facts(), route_text));
  EXPECT_EQ(fit_of(renamed, route_text).start, fit_of(facts(), route_text).start);
}

TEST(Fit, is_taken_from_the_facts) {
  auto const fit = fit_of(facts(), route_text);
  EXPECT_EQ(fit.fingerprint, fingerprint_of(facts(), route_text));
  EXPECT_EQ(fit.n_ctx, 16'384);
}

store::Manifest saved(Fit const& fit) {
  store::Manifest state;
  state.fingerprint = fit.fingerprint;
  state.tokens = 100;
  return state;
}

TEST(Unfit, says_why_a_state_is_not_offered) {
  auto const fit = fit_of(facts(), route_text);
  EXPECT_EQ(unfit(saved(fit), fit), std::nullopt);
  auto other = saved(fit);
  other.fingerprint = fingerprint_of(facts(), "q4 cache");
  EXPECT_THAT(unfit(other, fit).value_or(""), HasSubstr("another model"));
  // Of states from before there were fingerprints nothing is known.
  other.fingerprint.clear();
  EXPECT_THAT(unfit(other, fit).value_or(""), HasSubstr("another model"));
}

TEST(Unfit, a_state_of_exactly_the_context_is_offered) {
  auto fit = fit_of(facts(), route_text);
  fit.n_ctx = 100;
  EXPECT_EQ(unfit(saved(fit), fit), std::nullopt);
  fit.n_ctx = 99;
  EXPECT_THAT(unfit(saved(fit), fit).value_or(""), HasSubstr("100 tokens"));
  fit.n_ctx = 0;  // not known
  EXPECT_EQ(unfit(saved(fit), fit), std::nullopt);
}

TEST(Unfit, who_refused_it_is_not_asked_again_before_another_start) {
  auto const fit = fit_of(facts(), route_text);
  auto state = saved(fit);
  state.refused_by = fit.start;
  EXPECT_THAT(unfit(state, fit).value_or(""), HasSubstr("refused it already"));
  for (auto const& row : of_the_start) {
    auto other = facts();
    row.change(other);
    EXPECT_EQ(unfit(state, fit_of(other, route_text)), std::nullopt) << row.what;
  }
}

}  // namespace
}  // namespace slotswap::swap
