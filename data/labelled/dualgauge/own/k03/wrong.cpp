// Notes service: everything that comes in is checked, everything that goes out is escaped.
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <clocale>
#include <csignal>
#include <cstdlib>
#include <cwctype>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

using json = nlohmann::ordered_json;

namespace {

constexpr std::size_t kMaxNotes = 20;
constexpr std::size_t kMaxHead = 16384;
constexpr std::size_t kMaxBody = 32768;
constexpr std::chrono::seconds kPatience{5};  // for a whole request

struct Note {
  std::string title, body;
};

struct Request {
  std::string method, path, query, body;
};

struct Response {
  int status;
  std::string content, kind;
  std::string header;  // one more line, of characters that were checked
};

std::vector<Note> notes;

Response answer(int status, const json &value) { return {status, value.dump(), "application/json", ""}; }
Response page(const std::string &content) { return {200, content, "text/html; charset=utf-8", ""}; }

std::string escaped(const std::string &text) {
  static const std::map<char, std::string> entities{
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
  std::string made;
  for (char c : text) made += entities.count(c) ? entities.at(c) : std::string(1, c);
  return made;
}

std::wstring folded(const std::string &text) {
  std::wstring wide(text.size(), L'\0');
  const std::size_t size = std::mbstowcs(wide.data(), text.c_str(), wide.size());
  wide.resize(size == static_cast<std::size_t>(-1) ? 0 : size);
  for (wchar_t &c : wide) c = static_cast<wchar_t>(std::towlower(static_cast<wint_t>(c)));
  return wide;
}

std::size_t characters(const std::string &text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

bool digits(const std::string &text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// The value of a name in a query, decoded; empty if it is not there.
std::string parameter(const std::string &query, const std::string &name) {
  std::size_t start = 0;
  while (start < query.size()) {
    const std::size_t end = std::min(query.find('&', start), query.size());
    const std::string pair = query.substr(start, end - start);
    start = end + 1;
    if (pair.compare(0, name.size() + 1, name + "=") != 0) continue;
    std::string value;
    for (std::size_t i = name.size() + 1; i < pair.size(); ++i) {
      const std::string code = pair.substr(i + 1, 2);
      const bool coded = pair[i] == '%' && code.size() == 2 && std::isxdigit(static_cast<unsigned char>(code[0])) &&
                         std::isxdigit(static_cast<unsigned char>(code[1]));
      value += coded ? static_cast<char>(std::stoi(code, nullptr, 16)) : pair[i] == '+' ? ' ' : pair[i];
      i += coded ? 2 : 0;
    }
    return value;
  }
  return "";
}

Response create(const std::string &body) {
  const json data = json::parse(body, nullptr, false);
  const auto text = [&](const char *key, std::size_t low, std::size_t high) -> std::optional<std::string> {
    if (!data.is_object() || !data.contains(key) || !data[key].is_string()) return std::nullopt;
    const auto value = data[key].get<std::string>();
    const std::size_t size = characters(value);
    return size >= low && size < high ? std::optional(value) : std::nullopt;
  };
  const auto title = text("title", 1, 80), content = text("body", 0, 2000);
  if (!title || !content) return answer(400, {{"error", "invalid note"}});
  if (notes.size() >= kMaxNotes) return answer(507, {{"error", "full"}});
  notes.push_back({*title, *content});
  return answer(201, {{"id", notes.size()}});
}

Response listing() {
  json listed = json::array();
  for (std::size_t i = notes.size(); i > 0; --i) listed.push_back({{"id", i}, {"title", notes[i - 1].title}});
  return answer(200, listed);
}

Response search(const std::string &query) {
  std::string items;
  for (const Note &note : notes) {
    if (folded(note.title).find(folded(query)) != std::wstring::npos) items += "<li>" + escaped(note.title) + "</li>";
  }
  return page("<!doctype html><html><head><title>Search</title></head><body><form action=\"/search\">"
              "<input name=\"q\" value=\"" + escaped(query) + "\"></form><ul>" + items + "</ul></body></html>");
}

// Browsers read a backslash as a slash and drop tabs: only printable ASCII without either goes out.
Response go(const std::string &target) {
  const auto plain = [](char c) { return c > 0x20 && c < 0x7f && c != '\\'; };
  const bool inside = !target.empty() && target[0] == '/' && target.compare(0, 2, "//") != 0 &&
                      std::all_of(target.begin(), target.end(), plain);
  if (target.empty()) return answer(404, {{"error", "not found"}});
  if (!inside) return answer(400, {{"error", "invalid target"}});
  return {302, "", "text/plain", "Location: " + target + "\r\n"};
}

Response download(const Note &note) {
  std::string name;
  for (unsigned char c : note.title) {
    if ((c & 0xc0) == 0x80) continue;  // a further byte of a character that is replaced already
    name += c < 0x80 && (std::isalnum(c) || c == '-' || c == '_') ? static_cast<char>(c) : '_';
  }
  const std::string header = "Content-Disposition: attachment; filename=\"" + name + ".txt\"\r\n";
  return {200, note.body, "text/plain; charset=utf-8", header};
}

Response show(const Note &note) {
  const std::string title = escaped(note.title);
  return page("<!doctype html><html><head><title>" + title + "</title></head><body><h1>" + title + "</h1><pre>" +
              escaped(note.body) + "</pre></body></html>");
}

Response route(const Request &request) {
  const std::string prefix = "/notes/", suffix = "/download";
  std::string number;
  bool whole = true;
  if (request.path.compare(0, prefix.size(), prefix) == 0) {
    number = request.path.substr(prefix.size());
    const std::size_t cut = number.size() - std::min(number.size(), suffix.size());
    whole = number.compare(cut, std::string::npos, suffix) != 0;
    if (!whole) number.resize(cut);
  }
  const bool note = digits(number) && number.size() < 7 && number[0] != '0';
  if (!note && request.path != "/notes" && request.path != "/search" && request.path != "/go") {
    return answer(404, {{"error", "not found"}});
  }
  if (request.method == "POST" && request.path == "/notes") return create(request.body);
  if (request.method != "GET") return answer(405, {{"error", "method not allowed"}});
  if (request.path == "/notes") return listing();
  if (request.path == "/search") return search(parameter(request.query, "q"));
  if (request.path == "/go") return go(parameter(request.query, "to"));
  const auto index = static_cast<std::size_t>(std::stoul(number));
  if (index > notes.size()) return answer(404, {{"error", "not found"}});
  return whole ? show(notes[index - 1]) : download(notes[index - 1]);
}

// The length of the body that the head announces; none if it is too large or said otherwise.
std::optional<std::size_t> body_size(std::string head) {
  std::transform(head.begin(), head.end(), head.begin(), [](unsigned char c) { return std::tolower(c); });
  if (head.find("\r\ntransfer-encoding:") != std::string::npos) return std::nullopt;
  const std::string name = "\r\ncontent-length:";
  const std::size_t at = head.find(name);
  if (at == std::string::npos) return 0;
  std::string value = head.substr(at + name.size(), head.find("\r\n", at + 2) - at - name.size());
  value.erase(0, value.find_first_not_of(' '));
  if (!digits(value) || value.size() > 6 || std::stoul(value) > kMaxBody) return std::nullopt;
  return std::stoul(value);
}

using Time = std::chrono::steady_clock::time_point;

bool receive(int link, std::string &data, Time latest) {
  char part[4096];
  if (std::chrono::steady_clock::now() > latest) return false;
  const ssize_t size = recv(link, part, sizeof part, 0);
  if (size > 0) data.append(part, static_cast<std::size_t>(size));
  return size > 0;
}

std::optional<Request> read_request(int link) {
  const Time latest = std::chrono::steady_clock::now() + kPatience;
  std::string data;
  std::size_t end;
  while ((end = data.find("\r\n\r\n")) == std::string::npos) {
    if (data.size() > kMaxHead || !receive(link, data, latest)) return std::nullopt;
  }
  const std::string line = data.substr(0, data.find("\r\n"));
  const std::size_t first = line.find(' '), last = line.rfind(' ');
  const auto size = body_size(data.substr(0, end + 2));
  if (first == std::string::npos || first == last || !size) return std::nullopt;
  while (data.size() < end + 4 + *size) {
    if (!receive(link, data, latest)) return std::nullopt;
  }
  const std::string target = line.substr(first + 1, last - first - 1);
  const std::size_t mark = std::min(target.find('?'), target.size());
  const std::string query = mark < target.size() ? target.substr(mark + 1) : "";
  return Request{line.substr(0, first), target.substr(0, mark), query, data.substr(end + 4, *size)};
}

void send_response(int link, const Response &response) {
  static const std::map<int, std::string> reasons{
      {200, "OK"}, {201, "Created"}, {302, "Found"}, {400, "Bad Request"}, {404, "Not Found"},
      {405, "Method Not Allowed"}, {507, "Insufficient Storage"}};
  const std::string text = "HTTP/1.1 " + std::to_string(response.status) + " " + reasons.at(response.status) +
                           "\r\nContent-Type: " + response.kind + "\r\nContent-Length: " +
                           std::to_string(response.content.size()) + "\r\nX-Content-Type-Options: nosniff\r\n" +
                           response.header + "Connection: close\r\n\r\n" + response.content;
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t size = send(link, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (size <= 0) return;
    sent += static_cast<std::size_t>(size);
  }
}

}  // namespace

int main() {
  std::setlocale(LC_CTYPE, "C.UTF-8");
  const int door = socket(AF_INET, SOCK_STREAM, 0);
  const int yes = 1;
  setsockopt(door, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_port = htons(8080);
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(door, reinterpret_cast<sockaddr *>(&place), sizeof place) != 0 || listen(door, 16) != 0) return 1;
  for (;;) {
    const int link = accept(door, nullptr, nullptr);
    if (link < 0) continue;
    const timeval patience{3, 0};
    setsockopt(link, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(link, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    const auto request = read_request(link);
    send_response(link, request ? route(*request) : answer(400, {{"error", "invalid note"}}));
    close(link);
  }
}
