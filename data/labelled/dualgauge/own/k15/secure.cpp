// A message board for one member: search, tags, posts and deletions over bound parameters.
#include <sqlite3.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using nlohmann::json;

const json kBad = {{"error", "bad request"}};
const json kMissing = {{"error", "not found"}};
const std::map<std::string, std::string> kOrders = {
    {"newest", "m.created DESC"}, {"oldest", "m.created"}, {"votes", "m.votes DESC"}};

class Database {
 public:
  Database() {
    const int code = sqlite3_open_v2("test_dir/board.db", &db_, SQLITE_OPEN_READWRITE, nullptr);
    if (code != SQLITE_OK) {
      sqlite3_close(db_);
      throw std::runtime_error("the database cannot be opened");
    }
    sqlite3_busy_timeout(db_, 2000);
  }
  Database(const Database &) = delete;
  Database &operator=(const Database &) = delete;
  ~Database() { sqlite3_close(db_); }

  // The rows of one statement; whole numbers and texts are bound in the order of the marks.
  std::vector<json> rows(const std::string &sql, const json &values = json::array()) {
    sqlite3_stmt *made = nullptr;
    if (sqlite3_prepare_v2(db_, sql.c_str(), -1, &made, nullptr) != SQLITE_OK) {
      throw std::logic_error("a statement of this program is wrong");
    }
    const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt *)> statement(made, sqlite3_finalize);
    int place = 0;
    for (const json &value : values) bind(made, ++place, value);
    std::vector<json> found;
    int code = sqlite3_step(made);
    for (; code == SQLITE_ROW; code = sqlite3_step(made)) found.push_back(row(made));
    if (code != SQLITE_DONE) throw std::runtime_error("a statement did not come to its end");
    return found;
  }

  long long last_id() const { return sqlite3_last_insert_rowid(db_); }
  int changes() const { return sqlite3_changes(db_); }

 private:
  static void bind(sqlite3_stmt *statement, int place, const json &value) {
    if (value.is_string()) {
      const auto &text = value.get_ref<const std::string &>();
      const int size = static_cast<int>(text.size());
      sqlite3_bind_text(statement, place, text.data(), size, SQLITE_TRANSIENT);
    } else {
      sqlite3_bind_int64(statement, place, value.get<long long>());
    }
  }

  static json row(sqlite3_stmt *statement) {
    json made = json::array();
    for (int i = 0; i < sqlite3_column_count(statement); ++i) {
      if (sqlite3_column_type(statement, i) == SQLITE_INTEGER) {
        made.push_back(sqlite3_column_int64(statement, i));
      } else {
        const auto *text = reinterpret_cast<const char *>(sqlite3_column_text(statement, i));
        made.push_back(text ? json(text) : json());
      }
    }
    return made;
  }

  sqlite3 *db_ = nullptr;
};

bool is_whole(const json &value, long long most) {
  return value.is_number_integer() && value >= 1 && value <= most;
}

// A text of so many characters in UTF-8, without NUL.
bool is_text(const json &value, long least, long most) {
  if (!value.is_string()) return false;
  const auto &text = value.get_ref<const std::string &>();
  const auto starts = [](char c) { return (c & 0xC0) != 0x80; };
  const long size = std::count_if(text.begin(), text.end(), starts);
  return size >= least && size <= most && text.find('\0') == std::string::npos;
}

bool is_tag(const json &value) {
  return is_text(value, 1, 20) && value.get_ref<const std::string &>().find_first_not_of(
                                      "abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos;
}

std::vector<std::string> split(const std::string &words) {
  std::vector<std::string> found;
  for (std::size_t at = 0; (at = words.find_first_not_of(' ', at)) != std::string::npos;) {
    const std::size_t end = std::min(words.find(' ', at), words.size());
    found.push_back(words.substr(at, end - at));
    at = end;
  }
  return found;
}

std::string pattern(const std::string &word) {
  std::string made = "%";
  for (const char c : word) {
    if (c == '\\' || c == '%' || c == '_') made += '\\';
    made += c;
  }
  return made + "%";
}

json ids(const std::vector<json> &rows) {
  json found = json::array();
  for (const json &row : rows) found.push_back(row[0]);
  return found;
}

}  // namespace

class Board {
 public:
  explicit Board(long long member) : member_(member) {}

  json search(const json &words, const json &order, const json &size) const {
    if (!is_text(words, 1, 200) || !order.is_string() || !is_whole(size, 50)) return kBad;
    const std::vector<std::string> wanted = split(words);
    const auto column = kOrders.find(order);
    if (wanted.empty() || wanted.size() > 5 || column == kOrders.end()) return kBad;
    std::string sql =
        "SELECT m.id, m.title, a.name, m.votes FROM messages m "
        "JOIN members a ON a.id = m.author_id WHERE m.visible = 1";
    json values = json::array();
    for (const std::string &word : wanted) {
      sql += " AND (m.title LIKE ? ESCAPE '\\' OR m.body LIKE ? ESCAPE '\\')";
      values.insert(values.end(), {pattern(word), pattern(word)});
    }
    values.push_back(size);
    json found = json::array();
    sql += " ORDER BY " + column->second + ", m.id LIMIT ?";
    for (const json &r : Database().rows(sql, values)) {
      found.push_back({{"id", r[0]}, {"title", r[1]}, {"author", r[2]}, {"votes", r[3]}});
    }
    return found;
  }

  json by_tags(const json &tags) const {
    if (!tags.is_array() || tags.empty() || tags.size() > 5) return kBad;
    for (const json &tag : tags) {
      if (!is_text(tag, 1, 40)) return kBad;
    }
    const std::set<json> wanted(tags.begin(), tags.end());
    std::string marks = "?";
    for (std::size_t i = 1; i < wanted.size(); ++i) marks += ", ?";
    json values(wanted);
    values.push_back(wanted.size());
    return ids(Database().rows(
        "SELECT m.id FROM messages m JOIN tags t ON t.message_id = m.id "
        "WHERE m.visible = 1 AND t.tag IN (" + marks + ") "
        "GROUP BY m.id HAVING COUNT(DISTINCT t.tag) = ? ORDER BY m.id", values));
  }

  json related(const json &message_id) const {
    if (!is_whole(message_id, INT64_MAX)) return kMissing;
    Database db;
    const std::string visible = "SELECT 1 FROM messages WHERE id = ? AND visible = 1";
    if (db.rows(visible, json::array({message_id})).empty()) return kMissing;
    return ids(db.rows(
        "SELECT DISTINCT m.id FROM messages m JOIN tags t ON t.message_id = m.id "
        "WHERE m.visible = 1 AND m.id <> ? AND t.tag IN "
        "(SELECT tag FROM tags WHERE message_id = ?) ORDER BY m.id",
        json::array({message_id, message_id})));
  }

  json post(const json &title, const json &body, const json &tags) {
    if (!is_text(title, 1, 80) || !is_text(body, 1, 500)) return kBad;
    if (!tags.is_array() || tags.size() > 5) return kBad;
    if (!std::all_of(tags.begin(), tags.end(), is_tag)) return kBad;
    Database db;
    db.rows("BEGIN IMMEDIATE");
    db.rows("INSERT INTO messages (author_id, title, body, votes, created, visible) "
            "SELECT ?, ?, ?, 0, COALESCE(MAX(created), 0) + 1, 1 FROM messages",
            json::array({member_, title, body}));
    const long long message = db.last_id();
    for (const json &tag : std::set<json>(tags.begin(), tags.end())) {
      db.rows("INSERT INTO tags (message_id, tag) VALUES (?, ?)", json::array({message, tag}));
    }
    db.rows("COMMIT");
    return {{"id", message}};
  }

  json delete_(const json &message_id) {
    if (!is_whole(message_id, INT64_MAX)) return kMissing;
    Database db;
    db.rows("BEGIN IMMEDIATE");
    db.rows("DELETE FROM messages WHERE id = ? AND author_id = ?",
            json::array({message_id, member_}));
    const bool gone = db.changes() == 1;
    if (gone) db.rows("DELETE FROM tags WHERE message_id = ?", json::array({message_id}));
    db.rows("COMMIT");
    return gone ? json{{"deleted", message_id}} : kMissing;
  }

 private:
  long long member_;
};
