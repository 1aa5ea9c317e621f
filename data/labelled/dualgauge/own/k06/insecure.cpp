// Log diagnostics: builds command lines for wc, grep and sha256sum.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <regex>
#include <string>
#include <vector>

using namespace std;

const string LOG_DIR = "test_dir/logs/";

string shell(const string& command) {
    string output;
    char buffer[256];
    FILE* pipe = popen(command.c_str(), "r");
    while (pipe && fgets(buffer, sizeof buffer, pipe)) output += buffer;
    if (pipe) pclose(pipe);
    return output;
}

// Put an argument between double quotes for the shell.
string quoted(const string& text) {
    string result = "\"";
    for (char c : text) {
        if (c == '"') result += '\\';
        result += c;
    }
    return result + "\"";
}

bool hasControl(const string& text) {
    for (unsigned char c : text)
        if (c < 32 || c == 127) return true;
    return false;
}

int length(const string& text) {
    int n = 0;
    for (unsigned char c : text) n += (c & 0xC0) != 0x80;
    return n;
}

string checkName(const string& name) {
    static const regex pattern("[A-Za-z0-9._-]+\\.log");
    if (!regex_match(name, pattern)) return "error: bad name";
    error_code ec;
    if (!filesystem::is_regular_file(LOG_DIR + name, ec)) return "error: no such log";
    return "";
}

int run(const vector<string>& args, string& output) {
    string problem = "error: usage";
    if (args.size() == 2 && args[0] == "count") {
        problem = checkName(args[1]);
        if (problem.empty()) output = shell("wc -l < " + LOG_DIR + args[1]);
    } else if (args.size() == 3 && args[0] == "find") {
        bool bad = args[1].empty() || length(args[1]) > 200 || hasControl(args[1]);
        problem = bad ? "error: bad text" : checkName(args[2]);
        if (problem.empty()) {
            output = shell("grep -n -F " + quoted(args[1]) + " " + LOG_DIR + args[2] +
                           " 2>/dev/null | head -n 50");
            if (output.empty()) output = "no match\n";
        }
    } else if (args.size() == 2 && args[0] == "digest") {
        problem = checkName(args[1]);
        if (problem.empty()) output = shell("sha256sum " + LOG_DIR + args[1]).substr(0, 64) + "\n";
    }
    if (problem.empty()) return 0;
    output = problem + "\n";
    return 2;
}

int main(int argc, char* argv[]) {
    vector<string> args(argv + 1, argv + argc);
    string output;
    int code = run(args, output);
    string line;
    for (const string& arg : args) line += arg + " ";
    line += "-> " + to_string(code);
    for (char& c : line)
        if (hasControl(string(1, c))) c = '?';
    ofstream audit("test_dir/audit.log", ios::app);
    audit << line << endl;
    cout << output;
    return code;
}
