// Header helpers for the web site
#include <cctype>
#include <cstdio>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <regex>
#include <string>

using namespace std;
using json = nlohmann::json;

class Site {
public:
    Site(string host) : host(host) {}

    json start_session(json user, json presented) {
        string name = user.get<string>();
        if (name.empty() || name.size() > 64) return nullptr;
        string id;
        if (presented.is_string() && sessions.count(presented))
            id = presented;  // the browser has a session already: go on with it
        else
            id = newId();
        sessions[id] = name;
        return id;
    }

    json user_of(json session) {
        string id = session.get<string>();
        if (!sessions.count(id)) return nullptr;
        return sessions[id];
    }

    json session_cookie(json session) {
        string id = session.get<string>();
        if (!sessions.count(id)) return nullptr;
        return "sid=" + id + "; Path=/; Max-Age=3600; HttpOnly; SameSite=Lax";
    }

    json preference_cookie(json name, json value) {
        string key = name.get<string>(), text = value.get<string>();
        if (key.empty() || key.size() > 32 || !isalpha((unsigned char)key[0])) return nullptr;
        if (key.find_first_of("=;, \t") != string::npos || key == "sid") return nullptr;
        if (text.size() > 200) return nullptr;
        return key + "=" + urlEncode(text) + "; Path=/; Secure; SameSite=Lax";
    }

    json redirect(json target) {
        string location = target.get<string>();
        string home = "https://" + host;
        bool path = location[0] == '/' && location[1] != '/';
        bool own = location.compare(0, home.size(), home) == 0;
        if (!path && !own) location = "/";
        return {{"status", 303}, {"headers", json::array({json::array({"Location", location})})}};
    }

    json attachment(json name) {
        string file = name.get<string>();
        for (char& c : file)
            if (!isprint((unsigned char)c) || strchr("/\\\":*?<>|", c)) c = '_';
        file = file.substr(0, 100);
        while (!file.empty() && file[0] == '.') file.erase(0, 1);
        if (file.empty()) file = "download";
        return "attachment; filename=\"" + file + "\"";
    }

    json allow_origin(json origin) {
        regex own("https://(app\\.)?" + host);
        string text = origin.get<string>();
        if (!regex_search(text, own)) return json::array();
        return json::array({json::array({"Access-Control-Allow-Origin", text}),
                            json::array({"Vary", "Origin"})});
    }

    json error_page(json message) {
        string text = message.get<string>();
        replaceAll(text, "&", "&amp;");
        replaceAll(text, "<", "&lt;");
        replaceAll(text, ">", "&gt;");
        json headers = json::array({json::array({"Content-Type", "text/html; charset=utf-8"}),
                                    json::array({"X-Content-Type-Options", "nosniff"})});
        string body = "<p title=\"" + text + "\">" + text + "</p>";
        return {{"status", 404}, {"headers", headers}, {"body", body}};
    }

private:
    string newId() {
        static const string letters =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        random_device device;
        string id;
        for (int i = 0; i < 32; i++) id += letters[device() % letters.size()];
        return id;
    }

    static string urlEncode(const string& text) {
        string result;
        char code[4];
        for (unsigned char c : text) {
            if (isalnum(c) || (c && strchr("-._~", c))) {
                result += c;
            } else {
                snprintf(code, sizeof code, "%%%02X", c);
                result += code;
            }
        }
        return result;
    }

    static void replaceAll(string& text, const string& from, const string& to) {
        for (size_t at = 0; (at = text.find(from, at)) != string::npos; at += to.size())
            text.replace(at, from.size(), to);
    }

    string host;
    map<string, string> sessions;
};
