#include "tree.hpp"

#include <slotswap/base/utf8.hpp>

#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>
#include <unordered_map>
#include <utility>

namespace slotswap::config {
namespace {

struct GaveUp {
  Place place;
  std::string message;
};

// One map or list that is still open.
struct Frame {
  std::shared_ptr<Node> node;
  YAML::anchor_t anchor = 0;
  bool has_key = false;  // in a map: a key was read, its value comes next
  bool key_good = false;
  bool key_merges = false;
  std::string key;
  Place key_place;
  std::vector<NodePtr> merged;  // in order of precedence
};

class Builder final : public YAML::EventHandler {
 public:
  explicit Builder(Findings& findings) : findings_(findings) {}

  NodePtr root() const { return root_; }

  void OnDocumentStart(YAML::Mark const& mark) override {
    if (std::exchange(started_, true)) {
      throw GaveUp{place(mark), "a second document starts here; a configuration is one document"};
    }
  }
  void OnDocumentEnd() override {}

  void OnAnchor(YAML::Mark const& /*mark*/, std::string const& name) override {
    anchor_name_ = name;
  }

  void OnNull(YAML::Mark const& mark, YAML::anchor_t anchor) override {
    auto node = make(Node::Kind::null, mark);
    if (anchor != YAML::NullAnchor) anchors_[anchor] = node;
    attach(node, false);
  }

  void OnScalar(YAML::Mark const& mark, std::string const& tag, YAML::anchor_t anchor,
                std::string const& value) override {
    check_tag(mark, tag);
    auto node = make(Node::Kind::scalar, mark);
    node->text = value;
    if (anchor != YAML::NullAnchor) anchors_[anchor] = node;
    attach(node, tag == "?");
  }

  void OnAlias(YAML::Mark const& mark, YAML::anchor_t anchor) override {
    auto const found = anchors_.find(anchor);
    if (found == anchors_.end() || !found->second) {
      throw GaveUp{place(mark), "the anchor `" + names_[anchor] + "` holds itself"};
    }
    attach(found->second, false);
  }

  void OnSequenceStart(YAML::Mark const& mark, std::string const& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    check_tag(mark, tag);
    open(make(Node::Kind::list, mark), anchor);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(YAML::Mark const& mark, std::string const& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    check_tag(mark, tag);
    open(make(Node::Kind::map, mark), anchor);
  }
  void OnMapEnd() override {
    merge(stack_.back());
    close();
  }

 private:
  Place place(YAML::Mark const& mark) const { return findings_.place_of(mark.line, mark.column); }

  std::shared_ptr<Node> make(Node::Kind kind, YAML::Mark const& mark) const {
    auto node = std::make_shared<Node>();
    node->kind = kind;
    node->place = place(mark);
    return node;
  }

  void check_tag(YAML::Mark const& mark, std::string const& tag) {
    if (tag.empty() || tag == "?" || tag == "!" || tag.starts_with("tag:yaml.org,2002:")) return;
    findings_.error(place(mark), "the tag `" + tag + "` means nothing here");
  }

  void open(std::shared_ptr<Node> node, YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor) {
      anchors_[anchor] = nullptr;  // until it is complete: an alias to it now is a cycle
      names_[anchor] = anchor_name_;
    }
    stack_.push_back({std::move(node), anchor, false, false, false, {}, {}, {}});
  }

  void close() {
    auto frame = std::move(stack_.back());
    stack_.pop_back();
    if (frame.anchor != YAML::NullAnchor) anchors_[frame.anchor] = frame.node;
    attach(frame.node, false);
  }

  void attach(NodePtr const& node, bool plain) {
    if (stack_.empty()) {
      root_ = node;
      return;
    }
    auto& frame = stack_.back();
    auto& parent = *frame.node;
    parent.weight += node->weight;
    if (parent.weight > most_values) {
      throw GaveUp{parent.place,
                   "more than " + std::to_string(most_values) + " values with aliases written out"};
    }
    if (parent.kind == Node::Kind::list) {
      parent.items.push_back(node);
    } else if (!frame.has_key) {
      take_key(frame, *node, plain);
    } else {
      take_value(frame, node);
    }
  }

  void take_key(Frame& frame, Node const& node, bool plain) {
    frame.has_key = true;
    frame.key_good = node.kind == Node::Kind::scalar;
    frame.key_merges = frame.key_good && plain && node.text == "<<";
    frame.key = node.text;
    frame.key_place = node.place;
    if (!frame.key_good) findings_.error(node.place, "a key must be a word");
  }

  void take_value(Frame& frame, NodePtr const& value) {
    frame.has_key = false;
    if (!frame.key_good) return;
    auto& keys = keys_[frame.node.get()];
    auto const [known, fresh] = keys.emplace(frame.key, frame.key_place);
    if (!fresh) {
      findings_.error(frame.key_place, "the key `" + frame.key +
                                           "` stands here twice; first on line " +
                                           std::to_string(known->second.line));
    } else if (frame.key_merges) {
      take_merge(frame, value);
    } else {
      frame.node->entries.push_back({frame.key, frame.key_place, value});
    }
  }

  void take_merge(Frame& frame, NodePtr const& value) {
    auto const maps = value->kind == Node::Kind::list ? value->items : std::vector<NodePtr>{value};
    for (auto const& map : maps) {
      if (map->kind != Node::Kind::map) {
        findings_.error(frame.key_place, "`<<` takes a map or a list of maps");
        return;
      }
    }
    frame.merged = maps;
  }

  // The map's own keys win, then those of the earlier map.
  void merge(Frame& frame) {
    auto& keys = keys_[frame.node.get()];
    for (auto const& map : frame.merged) {
      for (auto const& entry : map->entries) {
        if (keys.emplace(entry.key, entry.place).second) frame.node->entries.push_back(entry);
      }
    }
    keys_.erase(frame.node.get());
  }

  Findings& findings_;
  NodePtr root_;
  bool started_ = false;
  std::string anchor_name_;
  std::vector<Frame> stack_;
  std::map<YAML::anchor_t, NodePtr> anchors_;
  std::map<YAML::anchor_t, std::string> names_;
  std::unordered_map<Node const*, std::unordered_map<std::string, Place>> keys_;  // of open maps
};

// Before the parser sees it: byte 4 would end the text for it, silently.
bool fit_to_parse(std::string_view text, Findings& findings) {
  auto const bad = base::first_invalid_utf8(text);
  if (bad < text.size()) {
    findings.only_error(findings.place_of_byte(bad), "this is not UTF-8");
    return false;
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto const c = static_cast<unsigned char>(text[i]);
    if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7F) {
      findings.only_error(findings.place_of_byte(i), "a control character");
      return false;
    }
  }
  return true;
}

// The commonest slip that the parser's words do not explain.
std::string_view syntax_hint(std::string_view text, int line) {
  for (; line > 0 && !text.empty(); --line) {
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  }
  auto const has_variable = text.substr(0, text.find('\n')).find("${") != std::string_view::npos;
  return has_variable ? "; inside {} and [] a value with ${...} needs quotes" : "";
}

}  // namespace

NodePtr parse_tree(std::string_view text, Findings& findings) {
  if (!fit_to_parse(text, findings)) return nullptr;
  std::istringstream in{std::string(text)};
  Builder builder(findings);
  try {
    YAML::Parser parser(in);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (GaveUp const& reason) {
    findings.only_error(reason.place, reason.message);
    return nullptr;
  } catch (YAML::DeepRecursion const& e) {
    findings.only_error(findings.place_of(e.mark.line, e.mark.column),
                        "lists and maps stand too deep in each other");
    return nullptr;
  } catch (YAML::Exception const& e) {
    findings.only_error(findings.place_of(e.mark.line, e.mark.column),
                        "syntax: " + e.msg + std::string(syntax_hint(text, e.mark.line)));
    return nullptr;
  }
  auto root = builder.root();
  if (!root || root->kind == Node::Kind::null) {
    findings.only_error({1, 1},
                        "there is nothing in it; a configuration needs `servers` and `routes`");
    return nullptr;
  }
  return root;
}

}  // namespace slotswap::config
