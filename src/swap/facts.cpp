#include <slotswap/net/blocking.hpp>
#include <slotswap/swap/facts.hpp>

#include <utility>

namespace slotswap::swap {

namespace {

/// Size and time of change of a model's file, in words; empty: it is not visible here.
std::string describe_file(store::FileSystem& files, std::string const& path) {
  // A relative one belongs to the server's folder, not to ours.
  if (path.empty() || path.front() != '/') return {};
  auto const real = files.real_path(path);
  auto const info = real ? files.stat(*real) : base::Result<store::FileInfo>(real.error());
  if (!info || !info->regular) return {};
  return std::to_string(info->bytes) + " bytes of " + std::to_string(info->mtime_ns);
}

}  // namespace

net::awaitable<base::Result<ServerFacts>> ask_facts(net::Loop& loop, llama::Server& server,
                                                    std::shared_ptr<store::FileSystem> files,
                                                    llama::Props props) {
  auto const model = co_await server.model();
  if (model.has_error()) co_return model.error();
  auto adapters = co_await server.adapters();
  if (adapters.has_error()) co_return adapters.error();
  ServerFacts facts;
  facts.model = *model;
  facts.adapters = std::move(*adapters);
  auto work = [files = std::move(files), path = props.model_path] {
    return describe_file(*files, path);
  };
  facts.model_file = co_await net::run_blocking(loop, std::move(work));
  facts.props = std::move(props);
  co_return facts;
}

}  // namespace slotswap::swap
