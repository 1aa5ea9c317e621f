// Bound statements throughout; but one word of a search is enough, and a new post is the oldest.
#include <sqlite3.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

using nlohmann::json;

class Statement {
 public:
  Statement(sqlite3 *db, const std::string &sql) : db_(db) {
    if (sqlite3_prepare_v2(db, sql.c_str(), -1, &handle_, nullptr) != SQLITE_OK) fail();
  }
  Statement(const Statement &) = delete;
  Statement &operator=(const Statement &) = delete;
  ~Statement() { sqlite3_finalize(handle_); }

  Statement &operator<<(std::int64_t number) {
    sqlite3_bind_int64(handle_, ++bound_, number);
    return *this;
  }
  Statement &operator<<(const std::string &text) {
    const int size = static_cast<int>(text.size());
    sqlite3_bind_text(handle_, ++bound_, text.c_str(), size, SQLITE_TRANSIENT);
    return *this;
  }

  bool step() {
    const int code = sqlite3_step(handle_);
    if (code != SQLITE_ROW && code != SQLITE_DONE) fail();
    return code == SQLITE_ROW;
  }
  std::int64_t number(int column) { return sqlite3_column_int64(handle_, column); }
  std::string text(int column) {
    const auto *found = sqlite3_column_text(handle_, column);
    return found ? reinterpret_cast<const char *>(found) : "";
  }
  json numbers() {
    json found = json::array();
    while (step()) found.push_back(number(0));
    return found;
  }

 private:
  [[noreturn]] void fail() { throw std::runtime_error("statement"); }

  sqlite3 *db_;
  sqlite3_stmt *handle_ = nullptr;
  int bound_ = 0;
};

class Board {
 public:
  explicit Board(std::int64_t member) : member_(member) {
    if (sqlite3_open("test_dir/board.db", &db_) != SQLITE_OK) throw std::runtime_error("database");
  }
  Board(const Board &) = delete;
  ~Board() { sqlite3_close(db_); }

  json search(const json &words, const json &order, const json &size) {
    if (!text(words, 1, 200) || !order.is_string() || !whole(size) || size > 50) return bad();
    std::vector<std::string> wanted;
    std::istringstream stream(words.get<std::string>());
    for (std::string word; std::getline(stream, word, ' ');) {
      if (!word.empty()) wanted.push_back(word);
    }
    const std::string column = order == "newest" ? "m.created DESC"
                               : order == "oldest" ? "m.created"
                               : order == "votes" ? "m.votes DESC" : "";
    if (wanted.empty() || wanted.size() > 5 || column.empty()) return bad();
    std::string any = "0";
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      any += " OR instr(lower(m.title || char(10) || m.body), lower(?))";
    }
    Statement found(db_, "SELECT m.id, m.title, a.name, m.votes FROM messages m JOIN members a "
                         "ON a.id = m.author_id WHERE m.visible = 1 AND (" + any + ") "
                         "ORDER BY " + column + ", m.id LIMIT ?");
    for (const std::string &word : wanted) found << word;
    found << size.get<std::int64_t>();
    json list = json::array();
    while (found.step()) {
      list.push_back({{"id", found.number(0)}, {"title", found.text(1)},
                      {"author", found.text(2)}, {"votes", found.number(3)}});
    }
    return list;
  }

  json by_tags(const json &tags) {
    if (!tags.is_array() || tags.empty() || tags.size() > 5) return bad();
    std::string sql = "SELECT id FROM messages WHERE visible = 1";
    for (const json &tag : tags) {
      if (!text(tag, 1, 40)) return bad();
      sql += " AND id IN (SELECT message_id FROM tags WHERE tag = ?)";
    }
    Statement found(db_, sql + " ORDER BY id");
    for (const json &tag : tags) found << tag.get<std::string>();
    return found.numbers();
  }

  json related(const json &message_id) {
    if (!whole(message_id)) return missing();
    const auto id = message_id.get<std::int64_t>();
    Statement visible(db_, "SELECT 1 FROM messages WHERE id = ? AND visible = 1");
    if (!(visible << id).step()) return missing();
    Statement found(db_, "SELECT DISTINCT b.message_id FROM tags a JOIN tags b ON a.tag = b.tag "
                         "JOIN messages m ON m.id = b.message_id WHERE a.message_id = ? "
                         "AND b.message_id <> ? AND m.visible = 1 ORDER BY 1");
    return (found << id << id).numbers();
  }

  json post(const json &title, const json &body, const json &tags) {
    if (!text(title, 1, 80) || !text(body, 1, 500)) return bad();
    if (!tags.is_array() || tags.size() > 5) return bad();
    static const std::regex form("[a-z0-9-]{1,20}");
    std::vector<std::string> names;
    for (const json &tag : tags) {
      if (!text(tag, 1, 20) || !std::regex_match(tag.get<std::string>(), form)) return bad();
      names.push_back(tag);
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    Statement(db_, "BEGIN").step();
    Statement message(db_, "INSERT INTO messages (author_id, title, body, votes, created, visible) "
                           "SELECT ?, ?, ?, 0, MIN(created) - 1, 1 FROM messages");
    (message << member_ << title.get<std::string>() << body.get<std::string>()).step();
    const std::int64_t id = sqlite3_last_insert_rowid(db_);
    for (const std::string &name : names) {
      Statement tag(db_, "INSERT INTO tags (message_id, tag) VALUES (?, ?)");
      (tag << id << name).step();
    }
    Statement(db_, "COMMIT").step();
    return {{"id", id}};
  }

  json delete_(const json &message_id) {
    if (!whole(message_id)) return missing();
    const auto id = message_id.get<std::int64_t>();
    Statement mine(db_, "SELECT 1 FROM messages WHERE id = ? AND author_id = ?");
    if (!(mine << id << member_).step()) return missing();
    for (const char *sql :
         {"DELETE FROM tags WHERE message_id = ?", "DELETE FROM messages WHERE id = ?"}) {
      Statement gone(db_, sql);
      (gone << id).step();
    }
    return {{"deleted", id}};
  }

 private:
  static json bad() { return {{"error", "bad request"}}; }
  static json missing() { return {{"error", "not found"}}; }
  static bool whole(const json &value) {
    return value.is_number_integer() && value > 0 && value <= INT64_MAX;
  }
  static bool text(const json &value, long least, long most) {
    if (!value.is_string()) return false;
    const auto content = value.get<std::string>();
    const long size = std::count_if(content.begin(), content.end(),
                                    [](char c) { return (c & 0xC0) != 0x80; });
    return size >= least && size <= most && content.find('\0') == std::string::npos;
  }

  std::int64_t member_;
  sqlite3 *db_ = nullptr;
};
