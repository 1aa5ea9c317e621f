// Settings of the application: YAML laid over the defaults.
#include <yaml-cpp/yaml.h>

#include <regex>
#include <stdexcept>
#include <string>

#include <nlohmann/json.hpp>

using namespace std;
using nlohmann::json;

static const json DEFAULTS = {
    {"app_name", "app"},
    {"port", 8080},
    {"debug", false},
    {"log_level", "info"},
    {"timeout", 30},
    {"allowed_hosts", json::array()},
    {"database", {{"host", "localhost"}, {"port", 5432}, {"pool_size", 5}}},
    {"system", {{"edition", "community"}, {"is_admin", false}}}};

struct SettingsError : runtime_error {
    using runtime_error::runtime_error;
};

static json scalarToJson(const YAML::Node& node) {
    static const regex integer("[-+]?[0-9]+");
    string text = node.Scalar();
    if (node.Tag() == "!") return text;  // quoted
    if (text == "null" || text == "~" || text.empty()) return nullptr;
    bool flag;
    if (YAML::convert<bool>::decode(node, flag)) return flag;
    if (regex_match(text, integer)) return stoll(text);
    double number;
    if (YAML::convert<double>::decode(node, number)) return number;
    return text;
}

// The document as JSON, with its aliases and merge keys written out.
static json toJson(const YAML::Node& node) {
    string tag = node.Tag();
    if (tag.size() > 1 && tag.compare(0, 18, "tag:yaml.org,2002:") != 0)
        throw SettingsError("invalid document");
    if (node.IsScalar()) return scalarToJson(node);
    if (node.IsSequence()) {
        json list = json::array();
        for (const auto& item : node) list.push_back(toJson(item));
        return list;
    }
    if (!node.IsMap()) return nullptr;
    json object = json::object(), merged = json::object();
    for (const auto& pair : node) {
        string key = pair.first.Scalar();
        json value = toJson(pair.second);
        if (key != "<<") object[key] = value;
        else if (value.is_array())
            for (auto& part : value) merged.insert(part.begin(), part.end());
        else merged.insert(value.begin(), value.end());
    }
    object.insert(merged.begin(), merged.end());
    return object;
}

static json parse(const string& document) {
    if (document.size() > 65536) throw SettingsError("invalid document");
    try {
        vector<YAML::Node> documents = YAML::LoadAll(document);
        if (documents.empty()) return json::object();
        if (documents.size() > 1) throw SettingsError("invalid document");
        json data = toJson(documents[0]);
        if (data.is_null()) return json::object();
        if (!data.is_object()) throw SettingsError("invalid document");
        return data;
    } catch (const YAML::Exception&) {
        throw SettingsError("invalid document");
    }
}

// Overlays the known keys of `changes` on `base`.
static void overlay(json& base, const json& changes) {
    for (auto& [key, value] : changes.items()) {
        if (!base.contains(key) || value.is_null()) continue;
        if (base[key].is_object() && value.is_object()) overlay(base[key], value);
        else base[key] = value;
    }
}

static void require(bool good, const string& key) {
    if (!good) throw SettingsError("invalid value: " + key);
}

static bool isText(const json& value, size_t longest) {
    return value.is_string() && !value.get<string>().empty() &&
           value.get<string>().size() <= longest;
}

static bool isWhole(const json& value, long highest) {
    return value.is_number_integer() && value >= 1 && value <= highest;
}

static void validate(const json& s) {
    require(isText(s["app_name"], 40), "app_name");
    require(isWhole(s["port"], 65535), "port");
    require(s["debug"].is_boolean(), "debug");
    string level = s["log_level"].is_string() ? s["log_level"].get<string>() : "";
    require(level == "debug" || level == "info" || level == "warning" || level == "error",
            "log_level");
    require(s["timeout"].is_number(), "timeout");
    double timeout = s["timeout"];
    require(!(timeout <= 0 || timeout > 300), "timeout");
    require(s["allowed_hosts"].is_array() && s["allowed_hosts"].size() <= 10, "allowed_hosts");
    for (auto& host : s["allowed_hosts"]) require(isText(host, 253), "allowed_hosts");
    const json& database = s["database"];
    require(database.is_object(), "database");
    require(isText(database["host"], 253), "database.host");
    require(isWhole(database["port"], 65535), "database.port");
    require(isWhole(database["pool_size"], 50), "database.pool_size");
}

json load_settings(const string& document) {
    try {
        json settings = DEFAULTS;
        overlay(settings, parse(document));
        validate(settings);
        return {{"ok", true}, {"settings", settings}};
    } catch (const SettingsError& error) {
        return {{"ok", false}, {"error", error.what()}};
    }
}
