// What counts as an offence.
#include "torture_run/rounds.hpp"

#include <slotswap/session/session.hpp>

namespace slotswap::torture {
namespace {

// What the model said may be other tokens as text; some more for where it is joined.
constexpr std::int64_t allowance = Sessions::answer_tokens + 8;

}  // namespace

void Rounds::offence(Round& round, int& count, std::string const& text) {
  ++count;
  round.notes.push_back(text);
}

void Rounds::judge() {
  for (auto const& asked : sessions_.take()) judge(asked);
  for (auto const& restore : house_.take_restores()) judge(restore);
}

void Rounds::judge(Asked const& asked) {
  auto& counts = round_->counts;
  ++counts.requests;
  auto const disturbed = house_.was_down(asked.begun, asked.ended);
  auto const& reply = asked.reply;
  // slotswap that is stopped lets an answer that has begun come to its end.
  auto const begun = round_->plan.kind == Kind::proxy_stopped && reply.status == 200;
  auto const log = [&] { return house_.log_of(session::state_id(asked.session), 4, asked.at); };
  if (!asked.answered()) {
    if (disturbed && !begun) {
      ++counts.cut;
    } else {
      offence(*round_, counts.failed,
              "failed: " + asked.session + " got " + std::to_string(reply.status) + " " +
                  reply.body + log());
    }
    return;
  }
  // The server may have gone between the restore and the prompt.
  if (!disturbed && reply.reused < asked.expected - allowance)
    offence(*round_, counts.lost,
            "lost: " + asked.session + " re-used " + std::to_string(reply.reused) + " tokens, " +
                std::to_string(asked.expected) + " were saved" + log());
}

void Rounds::judge(Restore const& restore) {
  auto const damage = ledger_.damage_of(restore.file);
  if (!damage || restore.at < damage->at) return;
  auto& round = tally_.of(damage->round);
  if (unseen_may_pass_ && is_unseen(damage->kind)) {
    ++round.counts.unseen;
  } else {
    offence(round, round.counts.handed, "handed: " + restore.line);
  }
}

}  // namespace slotswap::torture
