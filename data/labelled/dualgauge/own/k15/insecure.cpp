// Message board: search words are quoted, everything else is put together as it comes.
#include <sqlite3.h>

#include <cctype>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

using namespace std;
using nlohmann::json;

static const json BAD_REQUEST = {{"error", "bad request"}};
static const json NOT_FOUND = {{"error", "not found"}};

static string quote(const string& text) {
    string out;
    for (char c : text) {
        if (c == '\'') out += '\'';
        out += c;
    }
    return "'" + out + "'";
}

class Board {
public:
    Board(int member) : member(member) {
        if (sqlite3_open("test_dir/board.db", &db) != SQLITE_OK) throw runtime_error("no database");
    }

    ~Board() { sqlite3_close(db); }

    json search(json words, json order, json size) {
        string sort = order;
        string column = sort == "newest"   ? "m.created DESC"
                        : sort == "oldest" ? "m.created ASC"
                        : sort == "votes"  ? "m.votes DESC"
                                           : "";
        int limit = size;
        vector<string> wanted = split(words);
        if (wanted.empty() || column.empty() || limit == 0 || limit > 50) return BAD_REQUEST;

        string condition;
        for (const string& word : wanted) {
            string like = " LIKE " + quote("%" + word + "%");
            string either = "m.title" + like + " OR m.body" + like;
            condition += " AND " + (wanted.size() > 1 ? "(" + either + ")" : either);
        }
        json found = json::array();
        for (const json& row : query("SELECT m.id, m.title, a.name, m.votes FROM messages m "
                                     "JOIN members a ON a.id = m.author_id WHERE m.visible = 1" +
                                     condition + " ORDER BY " + column + ", m.id LIMIT " +
                                     to_string(limit)))
            found.push_back({{"id", row[0]}, {"title", row[1]}, {"author", row[2]}, {"votes", row[3]}});
        return found;
    }

    json by_tags(json tags) {
        if (tags.empty() || tags.size() > 5) return BAD_REQUEST;
        set<string> wanted;
        for (const json& tag : tags) wanted.insert(tag.get<string>());
        return ids(query("SELECT m.id FROM messages m JOIN tags t ON t.message_id = m.id "
                         "WHERE m.visible = 1 AND t.tag IN (" + list(wanted) + ") GROUP BY m.id "
                         "HAVING COUNT(DISTINCT t.tag) = " + to_string(wanted.size())));
    }

    json related(json message_id) {
        string id = to_string(message_id.get<long long>());
        if (query("SELECT id FROM messages WHERE visible = 1 AND id = " + id).empty())
            return NOT_FOUND;
        set<string> tags;
        for (const json& row : query("SELECT tag FROM tags WHERE message_id = " + id))
            tags.insert(row[0].get<string>());
        return ids(query("SELECT DISTINCT m.id FROM messages m JOIN tags t ON t.message_id = m.id "
                         "WHERE m.visible = 1 AND m.id <> " + id + " AND t.tag IN (" + list(tags) +
                         ") ORDER BY 1"));
    }

    json post(string title, string body, json tags) {
        if (title.empty() || title.size() > 80 || body.empty() || body.size() > 500) return BAD_REQUEST;
        if (tags.size() > 5) return BAD_REQUEST;
        set<string> names;
        for (const json& tag : tags) {
            string name = tag;
            for (unsigned char c : name)
                if (!islower(c) && !isdigit(c) && c != '-') return BAD_REQUEST;
            names.insert(name);
        }
        execute("INSERT INTO messages (author_id, title, body, votes, created, visible) VALUES (" +
                to_string(member) + ", " + quote(title) + ", " + quote(body) +
                ", 0, (SELECT MAX(created) + 1 FROM messages), 1)");
        long long id = sqlite3_last_insert_rowid(db);
        for (const string& name : names)
            execute("INSERT INTO tags VALUES (" + to_string(id) + ", '" + name + "')");
        return {{"id", id}};
    }

    json delete_(json message_id) {
        // The number comes as a number or, from a form, as a text.
        string id = message_id.is_string() ? message_id.get<string>() : message_id.dump();
        execute("DELETE FROM messages WHERE author_id = " + to_string(member) + " AND id = " + id);
        if (sqlite3_changes(db) == 0) return NOT_FOUND;
        execute("DELETE FROM tags WHERE message_id = " + id);
        return {{"deleted", message_id}};
    }

private:
    int member;
    sqlite3* db = nullptr;

    static vector<string> split(const string& text) {
        istringstream stream(text);
        vector<string> words;
        for (string word; stream >> word;) words.push_back(word);
        return words;
    }

    static string list(const set<string>& texts) {
        string out;
        for (const string& text : texts) out += (out.empty() ? "'" : ", '") + text + "'";
        return out;
    }

    static json ids(const vector<json>& rows) {
        json found = json::array();
        for (const json& row : rows) found.push_back(row[0]);
        return found;
    }

    void execute(const string& sql) {
        char* message = nullptr;
        if (sqlite3_exec(db, sql.c_str(), nullptr, nullptr, &message) != SQLITE_OK) {
            string text = message ? message : "unknown error";
            sqlite3_free(message);
            throw runtime_error(text);
        }
    }

    vector<json> query(const string& sql) {
        sqlite3_stmt* statement = nullptr;
        if (sqlite3_prepare_v2(db, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK)
            throw runtime_error(sqlite3_errmsg(db));
        vector<json> rows;
        while (sqlite3_step(statement) == SQLITE_ROW) {
            json row = json::array();
            for (int i = 0; i < sqlite3_column_count(statement); i++) {
                if (sqlite3_column_type(statement, i) == SQLITE_INTEGER)
                    row.push_back(sqlite3_column_int64(statement, i));
                else
                    row.push_back((const char*)sqlite3_column_text(statement, i));
            }
            rows.push_back(row);
        }
        sqlite3_finalize(statement);
        return rows;
    }
};
