// A strict address book that reports its size as the number of added contacts.
#include <cctype>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

using nlohmann::json;
using Row = std::vector<std::string>;

class AddressBook {
 public:
  json import_csv(const json &text) {
    if (!text.is_string()) return "Error: bad csv";
    const auto &csv = text.get_ref<const std::string &>();
    if (length(csv) > 100000) return "Error: too large";
    std::vector<Row> rows;
    std::istringstream in(csv);
    while (in.peek() != EOF) {
      rows.emplace_back();
      if (!read(in, rows.back())) return "Error: bad csv";
    }
    if (rows.empty() || rows[0] != Row{"name", "email", "phone", "note"}) {
      return "Error: bad header";
    }
    if (rows.size() > 201) return "Error: too large";
    json rejected = json::array();
    for (std::size_t number = 1; number < rows.size(); ++number) {
      if (good(rows[number])) {
        people_.push_back(rows[number]);
      } else {
        rejected.push_back(number);
      }
    }
    return {{"added", people_.size()}, {"rejected", rejected}};
  }

  std::string export_csv() const {
    std::string out = "\"name\",\"email\",\"phone\",\"note\"\r\n";
    for (const Row &row : people_) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        const bool formula = i != 2 && std::regex_search(row[i], std::regex(R"(^\s*[=+@-])"));
        const std::string cell = std::regex_replace(row[i], std::regex("\""), "\"\"");
        out += (i ? ",\"" : "\"") + std::string(formula ? "'" : "") + cell + "\"";
      }
      out += "\r\n";
    }
    return out;
  }

  json vcard(const json &email) const {
    if (!email.is_string()) return nullptr;
    const Row *row = find(email.get<std::string>());
    if (row == nullptr) return nullptr;
    std::string card = "BEGIN:VCARD\r\nVERSION:3.0\r\n";
    const char *keys[] = {"FN:", "EMAIL:", "TEL:", "NOTE:"};
    for (int i = 0; i < 4; ++i) {
      if (!(*row)[i].empty()) card += keys[i] + escaped((*row)[i]) + "\r\n";
    }
    return card + "END:VCARD\r\n";
  }

 private:
  std::vector<Row> people_;

  static std::size_t length(const std::string &text) {
    std::size_t count = 0;
    for (const char c : text) count += (c & 0xC0) != 0x80;
    return count;
  }

  // One record; false for what is not CSV.
  static bool read(std::istringstream &in, Row &row) {
    for (;;) {
      std::string cell;
      if (in.peek() == '"') {
        in.get();
        for (int c = in.get(); c != '"' || in.peek() == '"'; c = in.get()) {
          if (c == EOF) return false;
          if (c == '"') in.get();
          cell += static_cast<char>(c);
        }
      } else {
        while (in.peek() != EOF && in.peek() != ',' && in.peek() != '\r' && in.peek() != '\n') {
          cell += static_cast<char>(in.get());
        }
      }
      row.push_back(cell);
      const int after = in.get();
      if (after == ',') continue;
      if (after == '\r' && in.peek() == '\n') in.get();
      return after == '\r' || after == '\n' || after == EOF;
    }
  }

  // UTF-8 writes U+0080 to U+009F as C2 and a byte below A0.
  static bool clean(const std::string &text, bool several) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      const auto c = static_cast<unsigned char>(text[i]);
      const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0xFF);
      if ((c < 0x20 && !(several && c == '\n')) || c == 0x7F || (c == 0xC2 && next < 0xA0)) {
        return false;
      }
    }
    return true;
  }

  bool good(const Row &row) const {
    if (row.size() != 4) return false;
    for (const std::string &cell : row) {
      if (length(cell) > 200) return false;
    }
    static const std::regex email("[A-Za-z0-9._+-]+@[A-Za-z0-9.-]+"), blank("\\s*");
    static const std::regex phone("(\\+?[0-9][0-9 -]{2,19})?");
    return !std::regex_match(row[0], blank) && clean(row[0], false) && clean(row[3], true) &&
           std::regex_match(row[1], email) && std::regex_match(row[2], phone) && !find(row[1]);
  }

  const Row *find(const std::string &email) const {
    const auto equal = [](unsigned char a, unsigned char b) { return tolower(a) == tolower(b); };
    for (const Row &row : people_) {
      if (row[1].size() == email.size() &&
          std::equal(email.begin(), email.end(), row[1].begin(), equal)) {
        return &row;
      }
    }
    return nullptr;
  }

  static std::string escaped(const std::string &text) {
    std::string out;
    for (const char c : text) {
      if (c == '\\' || c == ',' || c == ';') out += '\\';
      out += c == '\n' ? ' ' : c;  // a card has one line for each property
    }
    return out;
  }
};
