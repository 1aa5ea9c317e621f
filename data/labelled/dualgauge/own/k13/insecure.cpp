// Log store: appends, rotates, exports and hands the exports out.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <variant>
#include <vector>
#include <unistd.h>

#include <nlohmann/json.hpp>

using namespace std;
using nlohmann::json;
namespace fs = std::filesystem;

static const string LOGS = "test_dir/logs";
static const string TMP = "test_dir/tmp";

static bool validUtf8(const string& s) {
    for (size_t i = 0; i < s.size();) {
        unsigned char c = s[i];
        int n = c < 0x80 ? 1 : c >> 5 == 6 ? 2 : c >> 4 == 14 ? 3 : c >> 3 == 30 ? 4 : 0;
        if (n == 0 || i + n > s.size()) return false;
        for (int k = 1; k < n; k++)
            if (((unsigned char)s[i + k] & 0xC0) != 0x80) return false;
        i += n;
    }
    return true;
}

class LogStore {
public:
    json append(json name, string text) {
        if (!valid(name)) return "Error: bad name";
        if (text.empty()) return "Error: bad message";
        replace(text.begin(), text.end(), '\n', '?');
        // A line never takes more than the buffer.
        char line[512];
        snprintf(line, sizeof line - 1, "%s", text.c_str());
        string path = file(name), entry = string(line) + "\n";
        if (fs::exists(path) && fs::file_size(path) + entry.size() > 1000) {
            if (fs::exists(path + ".1")) fs::rename(path + ".1", path + ".2");
            fs::rename(path, path + ".1");
        }
        ofstream(path, ios::app) << entry;
        return "ok";
    }

    variant<string, vector<string>> tail(json name, int count) {
        if (!valid(name)) return "Error: bad name";
        if (count == 0 || count > 100) return "Error: bad count";
        ifstream in(file(name));
        if (!in) return "Error: no such log";
        vector<string> lines;
        for (string line; getline(in, line);) lines.push_back(line);
        size_t wanted = count;
        size_t first = lines.size() > wanted ? lines.size() - wanted : 0;
        return vector<string>(lines.begin() + first, lines.end());
    }

    json remove(json name) {
        if (!valid(name)) return "Error: bad name";
        string command = "rm " + file(name) + "* 2>/dev/null";
        return system(command.c_str()) == 0 ? "ok" : "Error: no such log";
    }

    json export_(json name) {
        if (!valid(name)) return "Error: bad name";
        fs::create_directories(TMP);
        string ticket = "export-" + to_string(time(nullptr)) + "-" + to_string(getpid()) + "-" +
                        to_string(++exports);
        bool any = false;
        ofstream out;
        for (const char* end : {".2", ".1", ""}) {
            ifstream in(file(name) + end);
            if (!in) continue;
            if (!any) out.open(TMP + "/" + ticket);
            any = true;
            for (string line; getline(in, line);) {
                if (!validUtf8(line)) return "Error: damaged log";
                out << line << "\n";
            }
        }
        return any ? ticket : "Error: no such log";
    }

    json take(json ticket) {
        string text = ticket;
        if (text.find("..") != string::npos) return "Error: no such export";
        fs::path path = fs::path(TMP) / text;
        if (!fs::is_regular_file(path)) return "Error: no such export";
        stringstream content;
        content << ifstream(path).rdbuf();
        fs::remove(path);
        return content.str();
    }

private:
    int exports = 0;

    // No way out of the folder, and no second command for the shell.
    static bool valid(const string& name) {
        return !name.empty() && name.find("..") == string::npos &&
               name.find_first_of("/;&|`$<>\n \"'\\") == string::npos;
    }

    static string file(const string& name) { return LOGS + "/" + name + ".log"; }
};
