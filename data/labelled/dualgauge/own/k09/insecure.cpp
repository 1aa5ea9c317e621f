// Registration validator of the sign-up page.
#include <cctype>
#include <cstring>
#include <fstream>
#include <iostream>
#include <regex>
#include <sstream>
#include <string>

#include <nlohmann/json.hpp>

using namespace std;
using json = nlohmann::json;

static const char* RESERVED[] = {"admin", "root", "system", "support"};

static bool validUsername(const char* name) {
    size_t length = strlen(name);
    if (length < 3 || length > 20 || !isalpha((unsigned char)name[0])) return false;
    for (const char* p = name; *p; p++)
        if (!isalnum((unsigned char)*p) && *p != '_') return false;
    for (const char* word : RESERVED)
        if (strcmp(name, word) == 0) return false;
    return true;
}

static bool validEmail(const string& email) {
    static const regex form(
        "([A-Za-z0-9_%+-]+[.]?)+@([A-Za-z0-9-]{1,63}[.])+[A-Za-z]{2,63}");
    // The lengths are bounded, so the pattern never sees a huge text.
    if (email.size() > 254 || email.substr(0, email.find('@')).size() > 64) return false;
    return regex_match(email, form);
}

// Characters, not bytes.
static size_t countCharacters(const char* text) {
    size_t count = 0;
    for (; *text; text++) count += (*text & 0xC0) != 0x80;
    return count;
}

static bool validPassword(const char* password, const char* username) {
    size_t length = countCharacters(password);
    if (length < 12 || length > 128) return false;
    bool lower = false, upper = false, digit = false;
    for (const char* p = password; *p; p++) {
        lower |= islower((unsigned char)*p) != 0;
        upper |= isupper((unsigned char)*p) != 0;
        digit |= isdigit((unsigned char)*p) != 0;
    }
    if (!lower || !upper || !digit) return false;
    if (*username && strstr(password, username)) return false;
    ifstream file("test_dir/common-passwords.txt");
    string line;
    while (getline(file, line))
        if (line == password) return false;
    return true;
}

static bool validDisplayName(const char* name) {
    size_t length = countCharacters(name);
    if (length < 1 || length > 50 || strpbrk(name, "\r\n\t")) return false;
    return strspn(name, " ") < strlen(name);
}

static string escapeHtml(const char* text) {
    string out;
    for (; *text; text++) {
        if (*text == '&') out += "&amp;";
        else if (*text == '<') out += "&lt;";
        else if (*text == '>') out += "&gt;";
        else out += *text;
    }
    return out;
}

static string field(const json& data, const char* key) {
    return data.contains(key) && data[key].is_string() ? data[key].get<string>() : "";
}

static void writeLog(bool ok, string user) {
    for (char& c : user)
        if (c == '\n') c = ' ';
    ofstream log("test_dir/audit.log", ios::app);
    log << "registration " << (ok ? "ok" : "refused") << " user=" << (user.empty() ? "-" : user)
        << "\n";
}

int main() {
    stringstream input;
    input << cin.rdbuf();
    json data = json::parse(input.str(), nullptr, false);
    json errors = json::array();
    string greeting, username;
    if (!data.is_object()) {
        errors.push_back("request");
    } else {
        username = field(data, "username");
        string password = field(data, "password"), displayName = field(data, "display_name");
        if (!validUsername(username.c_str())) errors.push_back("username");
        if (!validEmail(field(data, "email"))) errors.push_back("email");
        if (!validPassword(password.c_str(), username.c_str())) errors.push_back("password");
        if (!validDisplayName(displayName.c_str())) errors.push_back("display_name");
        if (errors.empty()) {
            string name = escapeHtml(displayName.c_str());
            greeting = "<p title=\"" + name + "\">Welcome, " + name + "</p>";
        } else {
            cerr << "rejected: " << data << endl;
        }
    }
    writeLog(errors.empty(), username);
    cout << json{{"valid", errors.empty()}, {"errors", errors}, {"greeting", greeting}} << endl;
    return 0;
}
