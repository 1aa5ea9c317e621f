// Cautious JSON patch on values that cannot change; a move inserts before it takes away.
#include <cstdint>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace {

using Json = nlohmann::json;
using Parts = std::vector<std::string>;

const std::set<std::string> kLocked = {"id", "owner", "access/roles"};
const std::set<std::string> kPoison = {"__proto__", "constructor", "prototype"};
const std::map<std::string, std::string> kNeeds = {{"add", "value"},     {"remove", "path"},
                                                   {"replace", "value"}, {"test", "value"},
                                                   {"move", "from"},     {"copy", "from"}};

class Stop : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

[[noreturn]] void stop(const std::string &reason) { throw Stop(reason); }

// Builds a value from the events of the parser, and minds what a finished value does not show.
class Builder : public nlohmann::json_sax<Json> {
 public:
  Json result;

  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(std::int64_t value) override { return put(value); }
  bool number_unsigned(std::uint64_t value) override { return put(value); }
  bool number_float(double value, const std::string &) override { return put(value); }
  bool string(std::string &value) override { return put(value); }
  bool binary(Json::binary_t &) override { return false; }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(std::string &name) override {
    if (open_.back()->contains(name)) stop("bad json");
    if (kPoison.count(name)) stop("not allowed");
    key_ = name;
    return true;
  }
  bool parse_error(std::size_t, const std::string &, const Json::exception &) override {
    stop("bad json");
  }

 private:
  Json *place(Json value) {
    if (open_.empty()) return &(result = std::move(value));
    Json &parent = *open_.back();
    if (parent.is_object()) return &(parent[key_] = std::move(value));
    parent.push_back(std::move(value));
    return &parent.back();
  }
  bool put(Json value) { return place(std::move(value)) != nullptr; }
  bool open(Json empty) {
    if (open_.size() == 20) stop("too large");
    open_.push_back(place(std::move(empty)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  std::vector<Json *> open_;
  std::string key_;
};

Json load(const Json &text) {
  if (!text.is_string()) stop("bad json");
  const std::string content = text.get<std::string>();
  if (content.size() > 20000) stop("too large");
  Builder builder;
  Json::sax_parse(content, &builder);
  return builder.result;
}

Parts parts_of(const Json &pointer) {
  static const std::regex form("(/([^~/]|~[01])*)*");
  if (!pointer.is_string() || pointer.get<std::string>().size() > 500) stop("bad patch");
  const std::string text = pointer.get<std::string>();
  if (!std::regex_match(text, form)) stop("bad patch");
  Parts parts;
  std::istringstream stream(text);
  std::string part;
  std::getline(stream, part, '/');
  while (std::getline(stream, part, '/')) {
    part = std::regex_replace(part, std::regex("~1"), "/");
    parts.push_back(std::regex_replace(part, std::regex("~0"), "~"));
  }
  if (!text.empty() && text.back() == '/') parts.emplace_back();
  return parts;
}

std::size_t survey(const Json &value, int depth = 1) {
  if (depth > 20) stop("too large");
  if (!value.is_structured()) return 1;
  std::size_t sum = 1;
  for (const auto &item : value.items()) sum += survey(item.value(), depth + 1);
  return sum;
}

std::size_t index_of(const std::string &token, std::size_t count) {
  static const std::regex form("0|[1-9][0-9]{0,4}");
  if (!std::regex_match(token, form) || std::stoul(token) >= count) stop("no such place");
  return std::stoul(token);
}

const Json &look(const Json &document, const Parts &parts) {
  const Json *node = &document;
  for (const std::string &token : parts) {
    if (node->is_array()) {
      node = &node->at(index_of(token, node->size()));
    } else if (node->is_object() && node->contains(token)) {
      node = &node->at(token);
    } else {
      stop("no such place");
    }
  }
  return *node;
}

using Edit = std::function<void(Json &parent, const std::string &token)>;

// A new document in which the parent of a place was edited.
Json edited(const Json &document, const Parts &parts, const Edit &edit, std::size_t level = 0) {
  Json copy = document;
  const std::string &token = parts[level];
  if (level + 1 == parts.size()) {
    if (!copy.is_structured()) stop("no such place");
    edit(copy, token);
    return copy;
  }
  Json inner = edited(look(document, {token}), parts, edit, level + 1);
  (copy.is_array() ? copy[index_of(token, copy.size())] : copy[token]) = std::move(inner);
  return copy;
}

Json with(const Json &document, const Parts &parts, const Json &value, bool insert) {
  return edited(document, parts, [&](Json &parent, const std::string &token) {
    if (parent.is_object()) {
      parent[token] = value;
    } else if (!insert) {
      parent[index_of(token, parent.size())] = value;
    } else {
      const auto at = token == "-" ? parent.size() : index_of(token, parent.size() + 1);
      parent.insert(parent.begin() + static_cast<std::ptrdiff_t>(at), value);
    }
  });
}

Json without(const Json &document, const Parts &parts) {
  look(document, parts);
  return edited(document, parts, [](Json &parent, const std::string &token) {
    parent.is_object() ? void(parent.erase(token)) : parent.erase(index_of(token, parent.size()));
  });
}

bool below(const Parts &inner, const Parts &outer) {
  return inner.size() > outer.size() && std::equal(outer.begin(), outer.end(), inner.begin());
}

Json carried_out(const Json &document, const Json &operation) {
  const std::string name = operation["op"];
  const Parts path = parts_of(operation["path"]);
  const Parts source = kNeeds.at(name) == "from" ? parts_of(operation["from"]) : Parts();
  for (const Parts &parts : {path, source}) {
    for (const std::string &token : parts) {
      if (kPoison.count(token)) stop("not allowed");
    }
  }
  if (name == "test") {
    if (look(document, path) != operation["value"]) stop("test failed");
    return document;
  }
  if (path.empty() || kLocked.count(path[0])) stop("not allowed");
  if (name == "remove") return without(document, path);
  if (name == "copy") return with(document, path, look(document, source), true);
  if (name == "move") {
    if (source.empty() || kLocked.count(source[0])) stop("not allowed");
    return without(with(document, path, look(document, source), true), source);
  }
  if (name == "replace") look(document, path);
  return with(document, path, operation["value"], name == "add");
}

void inspect(const Json &operation) {
  if (!operation.is_object() || !operation.contains("op")) stop("bad patch");
  if (!operation["op"].is_string() || !operation.contains("path")) stop("bad patch");
  const auto needs = kNeeds.find(operation["op"].get<std::string>());
  if (needs == kNeeds.end() || !operation.contains(needs->second)) stop("bad patch");
  const Parts path = parts_of(operation["path"]);
  if (needs->second != "from") return;
  const Parts source = parts_of(operation["from"]);
  if (needs->first == "move" && below(path, source)) stop("bad patch");
}

}  // namespace

Json apply_patch(const Json &document, const Json &patch) {
  try {
    Json result = load(document);
    const Json operations = load(patch);
    if (!result.is_object()) stop("bad json");
    if (!operations.is_array()) stop("bad patch");
    if (operations.size() > 50 || survey(result) > 2000) stop("too large");
    survey(operations);
    for (const Json &operation : operations) inspect(operation);
    for (const Json &operation : operations) {
      result = carried_out(result, operation);
      if (survey(result) > 2000) stop("too large");
    }
    return {{"document", result}};
  } catch (const Stop &reason) {
    return {{"error", reason.what()}};
  }
}
