// JSON Patch for shared documents: the library applies it, we check who may change what.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

using namespace std;
using json = nlohmann::json;

static const vector<string> PROTECTED = {"/id", "/owner", "/access/roles"};
static const vector<string> DANGEROUS = {"__proto__", "constructor", "prototype"};
static const size_t MAX_SIZE = 20000;

static json refusal(const string& reason) {
    return {{"error", reason}};
}

static bool startsWith(const string& text, const string& prefix) {
    return text.compare(0, prefix.size(), prefix) == 0;
}

static bool isProtected(const string& path) {
    for (const string& key : PROTECTED)
        if (path == key || startsWith(path, key + "/")) return true;
    return false;
}

static bool isDangerous(const string& path) {
    for (const string& name : DANGEROUS) {
        size_t at = path.find("/" + name);
        if (at == string::npos) continue;
        size_t end = at + name.size() + 1;
        if (end == path.size() || path[end] == '/') return true;
    }
    return false;
}

// Empty if the operation may be carried out, otherwise the reason.
static string check(const json& operation) {
    if (!operation.contains("op") || !operation.contains("path")) return "bad patch";
    string op = operation["op"].get<string>();
    string path = operation["path"].get<string>();
    if (isDangerous(path)) return "not allowed";
    if (op != "test" && isProtected(path)) return "not allowed";
    if (op == "move" || op == "copy") {
        if (!operation.contains("from")) return "bad patch";
        string from = operation["from"].get<string>();
        if (isDangerous(from)) return "not allowed";
        if (op == "move" && startsWith(path, from + "/")) return "bad patch";
    }
    return "";
}

json apply_patch(json document, json patch) {
    string documentText = document.get<string>();
    string patchText = patch.get<string>();
    if (documentText.size() > MAX_SIZE || patchText.size() > MAX_SIZE)
        return refusal("too large");

    json current, operations;
    try {
        current = json::parse(documentText);
        operations = json::parse(patchText);
    } catch (const json::parse_error&) {
        return refusal("bad json");
    }
    if (!current.is_object()) return refusal("bad json");
    if (!operations.is_array()) return refusal("bad patch");

    try {
        for (const json& operation : operations) {
            string reason = check(operation);
            if (!reason.empty()) return refusal(reason);
            current = current.patch(json::array({operation}));
        }
    } catch (const json::parse_error& e) {
        // 109: a part of a pointer that should be an index is none
        return refusal(e.id == 109 ? "no such place" : "bad patch");
    } catch (const json::out_of_range&) {
        return refusal("no such place");
    } catch (const json::other_error&) {
        return refusal("test failed");
    }
    return {{"document", current}};
}
