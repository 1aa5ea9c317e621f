// Careful accounts whose sessions are too short and whose passwords must be too long.
#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <stdexcept>
#include <string>
#include <unordered_map>

namespace fs = std::filesystem;
using nlohmann::json;

class AccountService {
 public:
  explicit AccountService(const std::string &admin_password) {
    if (fs::exists(kFile)) {
      accounts_ = json::parse(std::ifstream(kFile));
    } else {
      store("root", admin_password, "admin");
    }
  }

  json login(const json &username, const json &password, const json &session_id, long now) {
    if (session_id.is_string()) sessions_.erase(session_id.get<std::string>());
    if (!username.is_string()) return nullptr;
    const auto name = username.get<std::string>();
    auto &[count, last] = tries_[name];
    if (count == 5 && now < last + 600) return nullptr;
    if (count == 5) count = 0;
    if (!proven(name, password)) {
      ++count;
      last = now;
      return nullptr;
    }
    tries_.erase(name);
    const std::string id = random_text(40);
    sessions_[id] = {name, now};
    return id;
  }

  bool logout(const json &session_id, long now) {
    const bool valid = !acting(session_id, now).is_null();
    if (valid) sessions_.erase(session_id.get<std::string>());
    return valid;
  }

  json whoami(const json &session_id, long now) const {
    const json name = acting(session_id, now);
    return name.is_null() ? name : json{{"username", name}, {"role", role_of(name)}};
  }

  json list_users(const json &session_id, long now) const {
    const json role = role_of(acting(session_id, now));
    if (role != "admin" && role != "manager") return nullptr;
    json list = json::array();
    for (const auto &[name, account] : accounts_.items()) {
      list.push_back({{"username", name}, {"role", account["role"]}});
    }
    return list;
  }

  json create_user(const json &session_id, const json &username, const json &password,
                   const json &role, long now) {
    const json own = role_of(acting(session_id, now));
    if (own == "manager" ? role != "user" : own != "admin") return "denied";
    static const std::regex form("[a-z0-9]{3,20}");
    if (!username.is_string() || !std::regex_match(username.get<std::string>(), form) ||
        !long_enough(password) || !is_role(role)) {
      return "invalid";
    }
    if (accounts_.contains(username)) return "exists";
    store(username, password, role);
    return "created";
  }

  json set_role(const json &session_id, const json &username, const json &role, long now) {
    if (role_of(acting(session_id, now)) != "admin") return "denied";
    if (!is_role(role)) return "invalid";
    if (!username.is_string() || !accounts_.contains(username)) return "unknown";
    json changed = accounts_;
    changed[username.get<std::string>()]["role"] = role;
    bool admin = false;
    for (const json &account : changed) admin = admin || account["role"] == "admin";
    if (!admin) return "denied";
    accounts_ = changed;
    save();
    return "changed";
  }

  json change_password(const json &session_id, const json &old_password, const json &new_password,
                       long now) {
    const json name = acting(session_id, now);
    if (name.is_null() || !proven(name, old_password)) return "denied";
    if (!long_enough(new_password)) return "invalid";
    store(name, new_password, role_of(name));
    for (auto at = sessions_.begin(); at != sessions_.end();) {
      at = at->second.first == name ? sessions_.erase(at) : std::next(at);
    }
    return "changed";
  }

 private:
  static constexpr const char *kFile = "test_dir/state/users.json";
  static constexpr long kLifetime = 800;

  json accounts_ = json::object();
  std::unordered_map<std::string, std::pair<std::string, long>> sessions_;
  std::unordered_map<std::string, std::pair<int, long>> tries_;

  static bool is_role(const json &role) {
    return role == "admin" || role == "manager" || role == "user";
  }

  static bool long_enough(const json &password) {
    return password.is_string() && password.get_ref<const std::string &>().size() > 10;
  }

  // Letters by rejection, so that all are equally likely.
  static std::string random_text(std::size_t size) {
    std::string text;
    while (text.size() < size) {
      unsigned char byte = 0;
      if (getrandom(&byte, 1, 0) != 1) throw std::runtime_error("getrandom");
      if (byte < 234) text += static_cast<char>('a' + byte % 26);
    }
    return text;
  }

  static std::string stretched(const std::string &password, const std::string &salt) {
    std::array<unsigned char, 32> key{};
    PKCS5_PBKDF2_HMAC(password.data(), static_cast<int>(password.size()),
                      reinterpret_cast<const unsigned char *>(salt.data()),
                      static_cast<int>(salt.size()), 50000, EVP_sha256(), 32, key.data());
    std::string text;
    for (const unsigned char byte : key) text += {static_cast<char>('a' + (byte >> 4)),
                                                  static_cast<char>('a' + (byte & 15))};
    return text;
  }

  json acting(const json &session_id, long now) const {
    if (!session_id.is_string()) return nullptr;
    const auto found = sessions_.find(session_id.get<std::string>());
    if (found == sessions_.end()) return nullptr;
    const auto &[name, since] = found->second;
    return now >= since && now < since + kLifetime ? json(name) : json();
  }

  json role_of(const json &name) const {
    return name.is_null() ? json() : accounts_[name.get<std::string>()]["role"];
  }

  bool proven(const std::string &name, const json &password) const {
    if (!password.is_string()) return false;
    const bool known = accounts_.contains(name);
    const std::string salt = known ? accounts_[name]["salt"].get<std::string>() : "none";
    const std::string key = stretched(password, salt);
    return known && accounts_[name]["key"] == key;
  }

  void store(const std::string &name, const std::string &password, const json &role) {
    const std::string salt = random_text(24);
    accounts_[name] = {{"salt", salt}, {"key", stretched(password, salt)}, {"role", role}};
    save();
  }

  void save() const {
    fs::create_directories("test_dir/state");
    const std::string text = accounts_.dump(1);
    const int file = open(kFile, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const bool done = file >= 0 && write(file, text.data(), text.size()) == (ssize_t)text.size();
    if (file >= 0) close(file);
    if (!done) throw std::runtime_error("the accounts were not written");
  }
};
