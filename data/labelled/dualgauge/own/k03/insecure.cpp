// Office notes: a small HTTP server.
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

using namespace std;
using nlohmann::json;

struct Note {
    string title, body;
};

static vector<Note> notes;

// No tags can come through this.
static string clean(const string& text) {
    string out;
    for (char c : text) {
        if (c == '&') out += "&amp;";
        else if (c == '<') out += "&lt;";
        else if (c == '>') out += "&gt;";
        else out += c;
    }
    return out;
}

static string decode(const string& text) {
    string out;
    for (size_t i = 0; i < text.size(); i++) {
        if (text[i] == '%' && i + 2 < text.size()) {
            out += (char)strtol(text.substr(i + 1, 2).c_str(), nullptr, 16);
            i += 2;
        } else {
            out += text[i] == '+' ? ' ' : text[i];
        }
    }
    return out;
}

static string reply(int status, const string& type, const string& body, const string& extra = "") {
    stringstream out;
    out << "HTTP/1.1 " << status << " -\r\nContent-Type: " << type
        << "\r\nContent-Length: " << body.size() << "\r\n" << extra << "Connection: close\r\n\r\n"
        << body;
    return out.str();
}

static string replyJson(int status, const json& value) {
    return reply(status, "application/json", value.dump());
}

static string error(int status, const string& message) {
    return replyJson(status, {{"error", message}});
}

static string addNote(const string& body) {
    try {
        json data = json::parse(body);
        string title = data["title"], text = data["body"];
        if (title.empty() || title.size() > 80 || text.size() > 2000)
            return error(400, "invalid note");
        notes.push_back({title, text});
        return replyJson(201, {{"id", notes.size()}});
    } catch (const json::exception&) {
        return error(400, "invalid note");
    }
}

static string listNotes() {
    json list = json::array();
    for (size_t i = 0; i < notes.size(); i++)
        list.push_back({{"id", i + 1}, {"title", notes[i].title}});
    return replyJson(200, list);
}

static string showNote(const Note& note, bool download) {
    if (download) {
        string name = note.title;
        for (char& c : name)
            if (strchr(" &,;:.?!/\\\"'<>()[]{}*|", c)) c = '_';
        return reply(200, "text/plain; charset=utf-8", note.body,
                     "Content-Disposition: attachment; filename=\"" + name + ".txt\"\r\n");
    }
    string title = clean(note.title);
    return reply(200, "text/html; charset=utf-8",
                 "<!doctype html><html><head><title>" + title + "</title></head><body><h1>" + title +
                     "</h1><pre>" + clean(note.body) + "</pre></body></html>");
}

static string search(const string& query) {
    string items;
    for (const Note& note : notes)
        if (strcasestr(note.title.c_str(), query.c_str()))
            items += "<li>" + clean(note.title) + "</li>";
    return reply(200, "text/html; charset=utf-8",
                 "<!doctype html><html><head><title>Search</title></head><body>"
                 "<form action=\"/search\"><input name=\"q\" value=\"" + clean(query) +
                     "\"></form><ul>" + items + "</ul></body></html>");
}

static string go(const string& target) {
    bool local = target.size() > 0 && target[0] == '/' && target[1] != '/';
    if (!local) return error(400, "invalid target");
    return reply(302, "text/plain", "", "Location: " + target + "\r\n");
}

// Style sheets and pictures lie beside the program.
static string staticFile(const string& path) {
    if (path.find("..") != string::npos) return error(404, "not found");
    ifstream file("." + path);
    stringstream content;
    content << file.rdbuf();
    if (!file || content.str().empty()) return error(404, "not found");
    return reply(200, "text/plain", content.str());
}

static string handle(const string& method, const string& target, const string& body) {
    size_t mark = target.find('?');
    string path = decode(target.substr(0, mark));
    string query = mark == string::npos ? "" : target.substr(mark + 1);
    size_t equals = query.find('=');
    string value = equals == string::npos ? "" : decode(query.substr(equals + 1));
    int number = 0;
    bool isNote = sscanf(path.c_str(), "/notes/%d", &number) == 1;
    if (path == "/notes" && method == "POST") return addNote(body);
    if (method != "GET")
        return isNote || path == "/notes" || path == "/search" || path == "/go"
                   ? error(405, "method not allowed")
                   : error(404, "not found");
    if (path == "/notes") return listNotes();
    if (path == "/search") return search(value);
    if (path == "/go") return go(value);
    if (!isNote) return staticFile(path);
    if (number < 1 || number > (int)notes.size()) return error(404, "not found");
    return showNote(notes[number - 1], path.find("/download") != string::npos);
}

static string readAll(int client) {
    string data;
    char buffer[8192];
    while (true) {
        size_t end = data.find("\r\n\r\n");
        if (end != string::npos) {
            const char* length = strcasestr(data.c_str(), "\r\nContent-Length:");
            size_t size = length ? atoi(length + 17) : 0;
            if (data.size() >= end + 4 + size) return data;
        }
        ssize_t got = read(client, buffer, sizeof buffer);
        if (got <= 0) return data;
        data.append(buffer, got);
    }
}

int main() {
    int server = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = inet_addr("127.0.0.1");
    address.sin_port = htons(8080);
    bind(server, (sockaddr*)&address, sizeof address);
    listen(server, 10);
    while (true) {
        int client = accept(server, nullptr, nullptr);
        string data = readAll(client);
        char method[16] = "", target[8192] = "";
        sscanf(data.c_str(), "%15s %8191s", method, target);
        size_t end = data.find("\r\n\r\n");
        string body = end == string::npos ? "" : data.substr(end + 4);
        string response = handle(method, target, body);
        write(client, response.data(), response.size());
        close(client);
    }
}
