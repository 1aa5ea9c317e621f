// An address book that goes to and comes from CSV and hands out vCards.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using nlohmann::json;
using Record = std::vector<std::string>;

const Record kHeader = {"name", "email", "phone", "note"};
const std::string kDigits = "0123456789";
const std::string kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" + kDigits;
constexpr std::size_t kMostCharacters = 100000;
constexpr std::size_t kMostRecords = 200;

struct BadCsv : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The characters of a text in UTF-8; nothing for what is none.
std::optional<std::u32string> decoded(const std::string &text) {
  std::u32string found;
  for (std::size_t at = 0; at < text.size();) {
    const auto first = static_cast<unsigned char>(text[at]);
    const std::size_t size = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    char32_t code = size == 1 ? first : first & (0x7F >> size);
    bool sound = (first < 0x80 || (first >= 0xC2 && first <= 0xF4)) && at + size <= text.size();
    for (std::size_t i = 1; sound && i < size; ++i) {
      sound = (text[at + i] & 0xC0) == 0x80;
      code = code << 6 | (text[at + i] & 0x3F);
    }
    const char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (!sound || code < least[size] || (code >= 0xD800 && code <= 0xDFFF) || code > 0x10FFFF) {
      return std::nullopt;
    }
    found += code;
    at += size;
  }
  return found;
}

bool is_control(char32_t c) { return c < 0x20 || (c >= 0x7F && c <= 0x9F); }

bool is_space(char32_t c) {
  return (c >= 9 && c <= 13) || c == ' ' || c == 0xA0 || c == 0x1680 || c == 0x2028 ||
         c == 0x2029 || (c >= 0x2000 && c <= 0x200A) || c == 0x202F || c == 0x205F || c == 0x3000;
}

class Reader {
 public:
  explicit Reader(const std::string &text) : text_(text) {}

  std::vector<Record> records() {
    std::vector<Record> found;
    while (at_ < text_.size()) {
      Record record = {field()};
      while (take(',')) record.push_back(field());
      bool ended = take('\r');
      ended = take('\n') || ended || at_ == text_.size();
      if (!ended) throw BadCsv("something follows a quoted field");
      found.push_back(std::move(record));
    }
    return found;
  }

 private:
  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  std::string field() {
    const std::size_t start = at_;
    if (!take('"')) {
      at_ = std::min(text_.find_first_of(",\r\n", at_), text_.size());
      return text_.substr(start, at_ - start);
    }
    std::string value;
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == '"' && (at_ + 1 == text_.size() || text_[at_ + 1] != '"')) {
        ++at_;
        return value;
      }
      if (text_[at_] == '"') ++at_;
      value += text_[at_];
    }
    throw BadCsv("a quoted field is not closed");
  }

  const std::string &text_;
  std::size_t at_ = 0;
};

bool only(const std::string &text, const std::string &known) {
  return text.find_first_not_of(known) == std::string::npos;
}

bool is_email(const std::string &text) {
  const std::size_t at = text.find('@');
  return at != std::string::npos && at > 0 && at + 1 < text.size() &&
         only(text.substr(0, at), kLetters + "._+-") && only(text.substr(at + 1), kLetters + ".-");
}

bool is_phone(const std::string &text) {
  const std::string rest = text.substr(text.rfind('+', 0) == 0 ? 1 : 0);
  return text.empty() || (rest.size() >= 3 && rest.size() <= 20 && only(rest, kDigits + " -") &&
                          rest[0] != ' ' && rest[0] != '-');
}

bool is_acceptable(const Record &record) {
  if (record.size() != 4) return false;
  std::vector<std::u32string> texts;
  for (const std::string &field : record) {
    const auto text = decoded(field);
    if (!text || text->size() > 200) return false;
    texts.push_back(*text);
  }
  const auto hidden = [](char32_t c) { return is_control(c) && c != '\n'; };
  const std::u32string &name = texts[0], &note = texts[3];
  return !std::all_of(name.begin(), name.end(), is_space) &&
         std::none_of(name.begin(), name.end(), is_control) && is_email(record[1]) &&
         is_phone(record[2]) && std::none_of(note.begin(), note.end(), hidden);
}

std::string lower(std::string text) {
  for (char &c : text) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  return text;
}

std::string harmless(const std::string &text) {
  const std::u32string characters = decoded(text).value_or(U"");
  const std::u32string signs = U"=+-@\uFF1D\uFF0B\uFF0D\uFF20";
  const auto first = std::find_if_not(characters.begin(), characters.end(), is_space);
  const bool formula = first != characters.end() && signs.find(*first) != std::u32string::npos;
  return formula ? "'" + text : text;
}

std::string row(const Record &record) {
  std::string made;
  for (const std::string &field : record) {
    made += made.empty() ? "\"" : ",\"";
    for (const char c : field) made += c == '"' ? std::string("\"\"") : std::string(1, c);
    made += '"';
  }
  return made + "\r\n";
}

std::string escaped(const std::string &text) {
  std::string made;
  for (const char c : text) {
    if (c == '\\' || c == ',' || c == ';') made += '\\';
    made += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return made;
}

}  // namespace

class AddressBook {
 public:
  json import_csv(const json &given) {
    if (!given.is_string()) return "Error: bad csv";
    const auto text = given.get<std::string>();
    if (text.size() > 4 * kMostCharacters) return "Error: too large";
    const auto characters = decoded(text);
    if (!characters) return "Error: bad csv";
    if (characters->size() > kMostCharacters) return "Error: too large";
    try {
      const std::vector<Record> rows = Reader(text).records();
      if (rows.empty() || rows[0] != kHeader) return "Error: bad header";
      return rows.size() > kMostRecords + 1 ? json("Error: too large") : add(rows);
    } catch (const BadCsv &) {
      return "Error: bad csv";
    }
  }

  std::string export_csv() const {
    std::string made = row(kHeader);
    for (const Record &c : contacts_) {
      made += row({harmless(c[0]), harmless(c[1]), c[2], harmless(c[3])});
    }
    return made;
  }

  json vcard(const json &email) const {
    const auto found = email.is_string() ? places_.find(lower(email)) : places_.end();
    if (found == places_.end()) return nullptr;
    const std::string keys[] = {"FN", "EMAIL", "TEL", "NOTE"};
    std::string card = "BEGIN:VCARD\r\nVERSION:3.0\r\n";
    for (std::size_t i = 0; i < 4; ++i) {
      const std::string value = escaped(contacts_[found->second][i]);
      if (!value.empty()) card += keys[i] + ":" + value + "\r\n";
    }
    return card + "END:VCARD\r\n";
  }

 private:
  json add(const std::vector<Record> &rows) {
    std::vector<std::size_t> rejected;
    for (std::size_t number = 1; number < rows.size(); ++number) {
      const Record &record = rows[number];
      if (is_acceptable(record) && places_.emplace(lower(record[1]), contacts_.size()).second) {
        contacts_.push_back(record);
      } else {
        rejected.push_back(number);
      }
    }
    return {{"added", rows.size() - 1 - rejected.size()}, {"rejected", rejected}};
  }

  std::vector<Record> contacts_;
  std::map<std::string, std::size_t> places_;  // by the address in lower case
};
