// Configuration reader with strict parsing and range checks.
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

using json = nlohmann::ordered_json;

namespace {

constexpr std::size_t kMaxCharacters = 65536;
constexpr int kMaxDepth = 30;
constexpr std::size_t kLongestScalar = 300;  // characters; no value of the settings is longer

struct Invalid : std::runtime_error {
  using std::runtime_error::runtime_error;
};

[[noreturn]] void refuse_document() { throw Invalid("invalid document"); }

std::size_t characters(const std::string &text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

// Sees the document as a stream of events, which needs no stack, before a tree is made of it.
class Guard : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark &) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark &, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark &, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark &, const std::string &tag, YAML::anchor_t,
                const std::string &) override {
    check(tag);
  }
  void OnSequenceStart(const YAML::Mark &, const std::string &tag, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    enter(tag);
  }
  void OnSequenceEnd() override { depth_ -= 1; }
  void OnMapStart(const YAML::Mark &, const std::string &tag, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    enter(tag);
  }
  void OnMapEnd() override { depth_ -= 1; }

 private:
  static void check(const std::string &tag) {
    static const std::regex plain(
        "|\\?|!|tag:yaml\\.org,2002:(str|int|float|bool|null|timestamp|seq|map|merge)");
    if (!std::regex_match(tag, plain)) refuse_document();
  }
  void enter(const std::string &tag) {
    check(tag);
    if (++depth_ > kMaxDepth) refuse_document();
  }
  int depth_ = 0;
};

YAML::Node parse(const std::string &document) {
  if (characters(document) > kMaxCharacters) refuse_document();
  try {
    std::istringstream text(document);
    YAML::Parser parser(text);
    Guard guard;
    parser.HandleNextDocument(guard);
    YAML::Node root = YAML::Load(document);
    if (!root.IsNull() && !root.IsMap()) refuse_document();
    return root;
  } catch (const YAML::Exception &) {
    refuse_document();
  }
}

// The value of a scalar by YAML 1.1.
json scalar(const YAML::Node &node) {
  static const std::regex null("~|null|Null|NULL|"), yes("([Yy]es|YES|[Tt]rue|TRUE|[Oo]n|ON)"),
      no("([Nn]o|NO|[Ff]alse|FALSE|[Oo]ff|OFF)"), whole("[-+]?[0-9]+"),
      real("[-+]?([0-9]+\\.[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)?"),
      special("[-+]?\\.(inf|Inf|INF)|\\.(nan|NaN|NAN)");
  const std::string &text = node.Scalar();
  if (node.Tag() == "tag:yaml.org,2002:str" || text.size() > kLongestScalar) return text;
  if (std::regex_match(text, null)) return nullptr;
  if (std::regex_match(text, yes)) return true;
  if (std::regex_match(text, no)) return false;
  // Beyond 18 digits no rule accepts a number, however large it is.
  if (std::regex_match(text, whole)) return text.size() > 18 ? json(-1) : json(std::stoll(text));
  if (std::regex_match(text, real) && text.size() < 100) return YAML::Node(text).as<double>();
  if (std::regex_match(text, special)) return std::nan("");
  return text;
}

json value_of(const YAML::Node &node) {
  if (node.IsNull()) return nullptr;
  return node.IsScalar() ? scalar(node) : json::object();
}

// Lists of mappings that merge keys lead to, each mapping once however often it is referred to.
void collect(const YAML::Node &map, std::vector<YAML::Node> &seen) {
  const auto same = [&](const YAML::Node &other) { return other.is(map); };
  if (!map.IsMap() || std::any_of(seen.begin(), seen.end(), same)) return;
  seen.push_back(map);
  for (const auto &pair : map) {
    if (!pair.first.IsScalar() || pair.first.Scalar() != "<<" || pair.first.Tag() == "!") continue;
    if (pair.second.IsMap()) collect(pair.second, seen);
    if (pair.second.IsSequence()) {
      for (const auto &item : pair.second) collect(item, seen);
    }
  }
}

// The mapping's own value for a key, else the first one that a merge key brings.
YAML::Node find(const YAML::Node &map, const std::string &key) {
  std::vector<YAML::Node> maps;
  collect(map, maps);
  for (const YAML::Node &one : maps) {
    for (const auto &pair : one) {
      if (pair.first.IsScalar() && pair.first.Scalar() == key) return pair.second;
    }
  }
  return YAML::Node();
}

bool text_ok(const json &value, std::size_t longest) {
  if (!value.is_string()) return false;
  const std::size_t size = characters(value.get_ref<const std::string &>());
  return size >= 1 && size <= longest;
}

bool whole_ok(const json &value, long long high) {
  return value.is_number_integer() && value >= 1 && value <= high;
}

bool timeout_ok(const json &value) { return value.is_number() && value > 0 && value < 300; }

bool level_ok(const json &value) {
  return value == "debug" || value == "info" || value == "warning" || value == "error";
}

json pick(const YAML::Node &map, const std::string &key, const json &standard,
          const std::function<bool(const json &)> &accepts, const std::string &prefix = "") {
  const json value = value_of(find(map, key));
  if (value.is_null()) return standard;
  if (!accepts(value)) throw Invalid("invalid value: " + prefix + key);
  return value;
}

json hosts(const YAML::Node &map) {
  const YAML::Node node = find(map, "allowed_hosts");
  json found = json::array();
  if (value_of(node).is_null()) return found;
  if (!node.IsSequence() || node.size() > 10) throw Invalid("invalid value: allowed_hosts");
  for (const auto &item : node) {
    found.push_back(value_of(item));
    if (!text_ok(found.back(), 253)) throw Invalid("invalid value: allowed_hosts");
  }
  return found;
}

json database(const YAML::Node &map) {
  const YAML::Node node = find(map, "database");
  if (!value_of(node).is_null() && !node.IsMap()) throw Invalid("invalid value: database");
  const auto port = [](const json &v) { return whole_ok(v, 65535); };
  const auto pool = [](const json &v) { return whole_ok(v, 50); };
  const auto host = [](const json &v) { return text_ok(v, 253); };
  json made;
  made["host"] = pick(node, "host", "localhost", host, "database.");
  made["port"] = pick(node, "port", 5432, port, "database.");
  made["pool_size"] = pick(node, "pool_size", 5, pool, "database.");
  return made;
}

json settings(const YAML::Node &map) {
  const auto boolean = [](const json &v) { return v.is_boolean(); };
  json made;
  made["app_name"] = pick(map, "app_name", "app", [](const json &v) { return text_ok(v, 40); });
  made["port"] = pick(map, "port", 8080, [](const json &v) { return whole_ok(v, 65535); });
  made["debug"] = pick(map, "debug", false, boolean);
  made["log_level"] = pick(map, "log_level", "info", level_ok);
  made["timeout"] = pick(map, "timeout", 30, timeout_ok);
  made["allowed_hosts"] = hosts(map);
  made["database"] = database(map);
  made["system"] = {{"edition", "community"}, {"is_admin", false}};
  return made;
}

}  // namespace

json load_settings(const std::string &document) {
  try {
    return {{"ok", true}, {"settings", settings(parse(document))}};
  } catch (const Invalid &problem) {
    return {{"ok", false}, {"error", problem.what()}};
  }
}
