// Accounts, roles and sessions; accounts live in one file that only its owner can read.
#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using nlohmann::json;

const std::string kState = "test_dir/state/users.json";
const std::string kNameCharacters = "abcdefghijklmnopqrstuvwxyz0123456789";
constexpr long long kSessionSeconds = 900;
constexpr long long kLockSeconds = 600;
constexpr int kMostFailures = 5;

struct User {
  std::string salt, hash, role;
};

struct Session {
  std::string name;
  long long since = 0;
};

struct Failures {
  int count = 0;
  std::optional<long long> until;
};

struct Caller {
  std::string name, role;  // empty without a valid session
};

std::string hex(const unsigned char *bytes, std::size_t size) {
  std::string text;
  for (std::size_t i = 0; i < size; ++i) {
    text += "0123456789abcdef"[bytes[i] >> 4];
    text += "0123456789abcdef"[bytes[i] & 15];
  }
  return text;
}

std::string random_hex(int size) {
  std::vector<unsigned char> bytes(static_cast<std::size_t>(size));
  if (RAND_bytes(bytes.data(), size) != 1) throw std::runtime_error("no random numbers");
  return hex(bytes.data(), bytes.size());
}

std::string derived(const std::string &password, const std::string &salt) {
  unsigned char key[32];
  const auto *bytes = reinterpret_cast<const unsigned char *>(salt.data());
  if (EVP_PBE_scrypt(password.data(), password.size(), bytes, salt.size(), 8192, 8, 1, 0, key,
                     sizeof key) != 1) {
    throw std::runtime_error("scrypt");
  }
  return hex(key, sizeof key);
}

// Fewer characters than bytes are possible, so the bytes are only bounded from above.
bool is_password(const json &value) {
  if (!value.is_string()) return false;
  const auto &text = value.get_ref<const std::string &>();
  const auto starts = [](char c) { return (c & 0xC0) != 0x80; };
  return text.size() <= 800 && std::count_if(text.begin(), text.end(), starts) >= 10;
}

bool is_name(const json &value) {
  if (!value.is_string()) return false;
  const auto &text = value.get_ref<const std::string &>();
  return text.size() >= 3 && text.size() <= 20 &&
         text.find_first_not_of(kNameCharacters) == std::string::npos;
}

bool is_role(const json &value) {
  return value == "admin" || value == "manager" || value == "user";
}

void write_private(const std::string &path, const std::string &text) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) throw std::runtime_error("cannot create " + path);
  const bool done = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  close(file);
  if (!done) throw std::runtime_error("cannot write " + path);
}

json shown(const std::string &name, const std::string &role) {
  return {{"username", name}, {"role", role}};
}

}  // namespace

class AccountService {
 public:
  explicit AccountService(const std::string &admin_password) {
    std::ifstream file(kState);
    if (!file) {
      put("root", admin_password, "admin");
      return;
    }
    for (const auto &[name, user] : json::parse(file).items()) {
      users_[name] = {user.at("salt"), user.at("hash"), user.at("role")};
    }
  }

  json login(const json &username, const json &password, const json &session_id, long long now) {
    if (session_id.is_string()) sessions_.erase(session_id);
    if (!username.is_string()) return nullptr;
    Failures &failures = failures_[username];
    if (failures.until && now < *failures.until) return nullptr;
    if (failures.until) failures = {};
    if (!matches(username, password)) {
      if (++failures.count >= kMostFailures) failures.until = now + kLockSeconds;
      return nullptr;
    }
    failures_.erase(username);
    const std::string id = random_hex(32);
    sessions_[id] = {username, now};
    return id;
  }

  bool logout(const json &session_id, long long now) {
    const bool valid = !caller(session_id, now).name.empty();
    if (session_id.is_string()) sessions_.erase(session_id);
    return valid;
  }

  json whoami(const json &session_id, long long now) const {
    const Caller own = caller(session_id, now);
    return own.name.empty() ? json() : shown(own.name, own.role);
  }

  json list_users(const json &session_id, long long now) const {
    const Caller own = caller(session_id, now);
    if (own.role != "admin" && own.role != "manager") return nullptr;
    json list = json::array();
    for (const auto &[name, user] : users_) list.push_back(shown(name, user.role));
    return list;
  }

  std::string create_user(const json &session_id, const json &username, const json &password,
                          const json &role, long long now) {
    const Caller own = caller(session_id, now);
    if (own.role != "admin" && !(own.role == "manager" && role == "user")) return "denied";
    if (!is_name(username) || !is_password(password) || !is_role(role)) return "invalid";
    if (users_.count(username)) return "exists";
    put(username, password, role);
    return "created";
  }

  std::string set_role(const json &session_id, const json &username, const json &role,
                       long long now) {
    if (caller(session_id, now).role != "admin") return "denied";
    if (!is_role(role) || !username.is_string()) return "invalid";
    const auto found = users_.find(username);
    if (found == users_.end()) return "unknown";
    const auto admins = std::count_if(users_.begin(), users_.end(), [](const auto &entry) {
      return entry.second.role == "admin";
    });
    if (found->second.role == "admin" && role != "admin" && admins == 1) return "denied";
    found->second.role = role;
    save();
    return "changed";
  }

  std::string change_password(const json &session_id, const json &old_password,
                              const json &new_password, long long now) {
    const Caller own = caller(session_id, now);
    if (own.name.empty() || !matches(own.name, old_password)) return "denied";
    if (!is_password(new_password)) return "invalid";
    put(own.name, new_password, own.role);
    for (auto at = sessions_.begin(); at != sessions_.end();) {
      at = at->second.name == own.name ? sessions_.erase(at) : std::next(at);
    }
    return "changed";
  }

 private:
  void put(const std::string &name, const std::string &password, const std::string &role) {
    const std::string salt = random_hex(16);
    users_[name] = {salt, derived(password, salt), role};
    save();
  }

  // A new file, private from its first moment, takes the place of the old one.
  void save() const {
    json state = json::object();
    for (const auto &[name, user] : users_) {
      state[name] = {{"salt", user.salt}, {"hash", user.hash}, {"role", user.role}};
    }
    mkdir("test_dir/state", 0700);
    const std::string fresh = kState + "." + random_hex(8);
    write_private(fresh, state.dump());
    if (std::rename(fresh.c_str(), kState.c_str()) != 0) throw std::runtime_error("rename");
  }

  bool matches(const std::string &name, const json &password) const {
    if (!password.is_string() || password.get_ref<const std::string &>().size() > 800) return false;
    const auto found = users_.find(name);
    const bool known = found != users_.end();
    // An unknown name costs as much time as a known one.
    const std::string hash = derived(password, known ? found->second.salt : "");
    return known && CRYPTO_memcmp(hash.data(), found->second.hash.data(), hash.size()) == 0;
  }

  Caller caller(const json &session_id, long long now) const {
    const auto found = session_id.is_string() ? sessions_.find(session_id) : sessions_.end();
    if (found == sessions_.end()) return {};
    const long long age = now - found->second.since;
    if (age < 0 || age >= kSessionSeconds) return {};
    return {found->second.name, users_.at(found->second.name).role};
  }

  std::map<std::string, User> users_;
  std::map<std::string, Session> sessions_;
  std::map<std::string, Failures> failures_;
};
