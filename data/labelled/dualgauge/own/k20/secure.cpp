// Applies a JSON patch to a shared document within fixed bounds.
#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

using nlohmann::json;

namespace {

constexpr std::size_t kText = 20'000, kOperations = 50, kValues = 2000;
constexpr int kDepth = 20;

// A patch that is not applied; its text is the reason.
struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void require(bool condition, const char *reason) {
  if (!condition) throw Refused(reason);
}

bool dangerous(std::string_view key) {
  return key == "__proto__" || key == "constructor" || key == "prototype";
}

bool is_protected(std::string_view key) {
  return key == "id" || key == "owner" || key == "access/roles";
}

// The JSON of a text: bounded in length and depth, no key twice, no dangerous key.
json read(const json &given) {
  require(given.is_string(), "bad json");
  const auto &text = given.get_ref<const std::string &>();
  const auto characters = std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  });
  require(static_cast<std::size_t>(characters) <= kText, "too large");
  require(text.compare(0, 3, "\xEF\xBB\xBF") != 0, "bad json");  // the parser would skip it
  std::vector<std::set<std::string>> keys;  // of the objects that are open
  const auto watch = [&keys](int depth, json::parse_event_t event, json &parsed) {
    using Event = json::parse_event_t;
    const bool ends = event == Event::object_end || event == Event::array_end;
    require(ends || event == Event::key || depth < kDepth, "too large");
    if (event == Event::object_start) keys.emplace_back();
    if (event == Event::object_end) keys.pop_back();
    if (event == Event::key) {
      const auto &key = parsed.get_ref<const std::string &>();
      require(keys.back().insert(key).second, "bad json");
      require(!dangerous(key), "not allowed");
    }
    return true;
  };
  try {
    return json::parse(text, watch);
  } catch (const json::exception &) {
    throw Refused("bad json");
  }
}

using Path = std::vector<std::string>;

Path tokens(const json &given) {
  require(given.is_string(), "bad patch");
  const auto &pointer = given.get_ref<const std::string &>();
  require(pointer.empty() || pointer[0] == '/', "bad patch");
  Path parts;
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    if (pointer[i] == '/') {
      parts.emplace_back();
    } else if (pointer[i] == '~') {
      const char code = i + 1 < pointer.size() ? pointer[++i] : ' ';
      require(code == '0' || code == '1', "bad patch");
      parts.back() += code == '0' ? '~' : '/';
    } else {
      parts.back() += pointer[i];
    }
  }
  return parts;
}

// The number of values in a value; refuses what is nested too deeply.
std::size_t measure(const json &value, int depth = 1) {
  require(depth <= kDepth, "too large");
  if (!value.is_structured()) return 1;
  std::size_t all = 1;
  for (const json &inner : value) all += measure(inner, depth + 1);
  return all;
}

// The index that a token means in a list; `end` is 1 where the list may grow.
std::size_t index(const json &list, const std::string &token, std::size_t end) {
  if (token == "-" && end == 1) return list.size();
  const bool digits = token.find_first_not_of("0123456789") == std::string::npos;
  require(digits && !token.empty() && token.size() <= 5, "no such place");
  require(token == "0" || token[0] != '0', "no such place");
  const std::size_t number = std::stoul(token);
  require(number < list.size() + end, "no such place");
  return number;
}

json &inside(json &node, const std::string &token) {
  if (node.is_array()) return node[index(node, token, 0)];
  require(node.is_object() && node.contains(token), "no such place");
  return node[token];
}

json &find(json &document, const Path &path) {
  json *node = &document;
  for (const std::string &token : path) node = &inside(*node, token);
  return *node;
}

json &parent_of(json &document, const Path &path) {
  return find(document, Path(path.begin(), path.end() - 1));
}

void add(json &document, const Path &path, json value) {
  json &parent = parent_of(document, path);
  require(parent.is_structured(), "no such place");
  if (parent.is_object()) {
    parent[path.back()] = std::move(value);
  } else {
    const auto at = static_cast<json::difference_type>(index(parent, path.back(), 1));
    parent.insert(parent.begin() + at, std::move(value));
  }
}

json take(json &document, const Path &path) {
  json value = find(document, path);
  json &parent = parent_of(document, path);
  if (parent.is_object()) {
    parent.erase(path.back());
  } else {
    parent.erase(index(parent, path.back(), 0));
  }
  return value;
}

struct Step {
  std::string op;
  Path path;
  std::optional<Path> from;
  json value;
};

Step step(const json &operation) {
  require(operation.is_object() && operation.contains("op"), "bad patch");
  require(operation["op"].is_string() && operation.contains("path"), "bad patch");
  Step made{operation["op"].get<std::string>(), tokens(operation["path"]), {}, nullptr};
  if (made.op == "move" || made.op == "copy") {
    require(operation.contains("from"), "bad patch");
    made.from = tokens(operation["from"]);
  } else if (made.op == "add" || made.op == "replace" || made.op == "test") {
    require(operation.contains("value"), "bad patch");
    made.value = operation["value"];
  } else {
    require(made.op == "remove", "bad patch");
  }
  if (made.op == "move" && made.from->size() < made.path.size()) {
    require(!std::equal(made.from->begin(), made.from->end(), made.path.begin()), "bad patch");
  }
  return made;
}

void allow(const Step &one) {
  const auto changes = [](const Path &path) {
    require(!path.empty() && !is_protected(path[0]), "not allowed");
  };
  const Path source = one.from.value_or(Path());
  const bool poisoned = std::any_of(one.path.begin(), one.path.end(), dangerous) ||
                        std::any_of(source.begin(), source.end(), dangerous);
  require(!poisoned, "not allowed");
  if (one.op != "test") changes(one.path);
  if (one.op == "move") changes(source);
}

void change(json &document, const Step &one) {
  allow(one);
  if (one.op == "test") {
    // Numbers are equal by value here, and no number is equal to true or false.
    require(find(document, one.path) == one.value, "test failed");
  } else if (one.op == "remove") {
    take(document, one.path);
  } else if (one.op == "replace") {
    find(document, one.path) = one.value;
  } else if (one.op == "move") {
    add(document, one.path, take(document, *one.from));
  } else {
    add(document, one.path, one.from ? find(document, *one.from) : one.value);
  }
  require(measure(document) <= kValues, "too large");
}

}  // namespace

json apply_patch(const json &document, const json &patch) {
  try {
    json result = read(document);
    const json operations = read(patch);
    require(result.is_object(), "bad json");
    require(operations.is_array(), "bad patch");
    require(operations.size() <= kOperations && measure(result) <= kValues, "too large");
    std::vector<Step> steps;
    for (const json &operation : operations) steps.push_back(step(operation));
    for (const Step &one : steps) change(result, one);
    return {{"document", result}};
  } catch (const Refused &refused) {
    return {{"error", refused.what()}};
  }
}
