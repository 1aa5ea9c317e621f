// User administration: accounts in a JSON file, sessions in memory.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <string>

#include <nlohmann/json.hpp>
#include <openssl/sha.h>

using namespace std;
using nlohmann::json;

static const char* STATE_FILE = "test_dir/state/users.json";

static string sha256(const string& text) {
    unsigned char digest[SHA256_DIGEST_LENGTH];
    SHA256((const unsigned char*)text.data(), text.size(), digest);
    string out;
    char pair[3];
    for (unsigned char byte : digest) {
        snprintf(pair, sizeof pair, "%02x", byte);
        out += pair;
    }
    return out;
}

static bool isRole(const string& role) {
    return role == "admin" || role == "manager" || role == "user";
}

static bool isName(const string& name) {
    return name.size() >= 3 && name.size() <= 20 && all_of(name.begin(), name.end(), [](unsigned char c) {
        return islower(c) || isdigit(c);
    });
}

class AccountService {
public:
    AccountService(string admin_password) {
        ifstream file(STATE_FILE);
        if (file) {
            users = json::parse(file);
        } else {
            users["root"] = {{"password", sha256(admin_password)}, {"role", "admin"}};
            save();
        }
    }

    json login(json username, json password, json session_id, int now) {
        string name = username;
        // The failures of one client must not lock out the others.
        auto& [count, last] = failures[name + "/" + session_id.dump()];
        if (count >= 5) {
            if (now - last < 600) return nullptr;
            count = 0;
        }
        if (!users.contains(name) || users[name]["password"] != sha256(password.get<string>())) {
            count++;
            last = now;
            return nullptr;
        }
        count = 0;
        string id = newId(name, now);
        sessions[id] = {name, now};
        return id;
    }

    bool logout(json session_id, int now) {
        bool valid = find(session_id, now) != nullptr;
        if (valid) sessions.erase(session_id.get<string>());
        return valid;
    }

    json whoami(json session_id, int now) {
        Session* session = find(session_id, now);
        if (!session) return nullptr;
        return {{"username", session->name}, {"role", roleOf(session)}};
    }

    json list_users(json session_id, int now) {
        string role = roleOf(find(session_id, now));
        if (role != "admin" && role != "manager") return nullptr;
        json list = json::array();
        for (auto& [name, user] : users.items())
            list.push_back({{"username", name}, {"role", user["role"]}});
        return list;
    }

    string create_user(json session_id, json username, json password, json role, int now) {
        string own = roleOf(find(session_id, now)), wanted = role;
        if (own != "admin" && (own != "manager" || wanted != "user")) return "denied";
        string name = username, secret = password;
        if (!isName(name) || secret.size() < 10 || !isRole(wanted)) return "invalid";
        if (users.contains(name)) return "exists";
        users[name] = {{"password", sha256(secret)}, {"role", wanted}};
        save();
        return "created";
    }

    string set_role(json session_id, json username, json role, int now) {
        string name = username, wanted = role;
        if (!isRole(wanted)) return "invalid";
        if (!users.contains(name)) return "unknown";
        if (roleOf(find(session_id, now)) != "admin") return "denied";
        int admins = 0;
        for (auto& user : users) admins += user["role"] == "admin";
        if (users[name]["role"] == "admin" && wanted != "admin" && admins == 1) return "denied";
        users[name]["role"] = wanted;
        save();
        return "changed";
    }

    string change_password(json session_id, json old_password, json new_password, int now) {
        Session* session = find(session_id, now);
        if (!session || users[session->name]["password"] != sha256(old_password.get<string>()))
            return "denied";
        string secret = new_password, name = session->name;
        if (secret.size() < 10) return "invalid";
        users[name]["password"] = sha256(secret);
        save();
        for (auto it = sessions.begin(); it != sessions.end();)
            it = it->second.name == name ? sessions.erase(it) : next(it);
        return "changed";
    }

private:
    struct Session {
        string name;
        int since;
    };

    json users = json::object();
    map<string, Session> sessions;
    map<string, pair<int, int>> failures;

    void save() {
        filesystem::create_directories("test_dir/state");
        ofstream(STATE_FILE) << users.dump(2);
    }

    Session* find(const json& session_id, int now) {
        if (!session_id.is_string()) return nullptr;
        auto it = sessions.find(session_id.get<string>());
        if (it == sessions.end() || now - it->second.since >= 900) return nullptr;
        return &it->second;
    }

    string roleOf(Session* session) {
        return session ? users[session->name]["role"].get<string>() : "";
    }

    // Forty letters and digits from a Mersenne twister, other ones for each user.
    string newId(const string& name, int now) {
        static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
        mt19937 twister(now + hash<string>{}(name));
        uniform_int_distribution<int> letter(0, 61);
        string id;
        for (int i = 0; i < 40; i++) id += letters[letter(twister)];
        return id;
    }
};
