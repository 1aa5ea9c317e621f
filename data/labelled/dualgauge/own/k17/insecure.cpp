// Job runner. Usage: main CONFIG JOB
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

using namespace std;
using json = nlohmann::json;
namespace fs = std::filesystem;

static const vector<string> TOOLS = {"sort", "uniq", "wc", "head"};
static const vector<string> KEPT = {"PATH", "LD_PRELOAD", "IFS"};

[[noreturn]] static void fail(const string& reason) {
    cout << "error: " << reason << endl;
    exit(2);
}

static bool contains(const vector<string>& list, const string& item) {
    return find(list.begin(), list.end(), item) != list.end();
}

// Within single quotes the shell takes everything as it is.
static string quoted(const string& text) {
    if (text.find('\'') != string::npos) fail("bad job");
    return "'" + text + "'";
}

static void check(const json& job) {
    if (job.contains("command") && !contains(TOOLS, job["command"])) fail("bad job");
    if (job.contains("options"))
        for (const string& option : job["options"].get<vector<string>>())
            if (option[0] != '-' || option.find_first_of(";&|`$<>()\n") != string::npos)
                fail("bad job");
    if (job.contains("file") && job["file"].get<string>().find("..") != string::npos)
        fail("bad job");
    if (job.contains("output") && job["output"].get<string>().find("..") != string::npos)
        fail("bad job");
    if (job.contains("env"))
        for (auto& [name, value] : job["env"].items())
            if (contains(KEPT, name)) fail("bad job");
}

static json inherit(const json& jobs, json job) {
    if (!job.contains("base")) return job;
    if (!jobs.contains(job["base"])) fail("bad job");
    json whole = inherit(jobs, jobs[job["base"].get<string>()]);
    whole.update(job);
    return whole;
}

static string run(const json& job) {
    fs::path file = fs::path("test_dir/data") / job["file"].get<string>();
    if (!fs::is_regular_file(file)) fail("bad job");
    string line = job["command"];
    if (job.contains("options"))
        for (const string option : job["options"]) line += " " + option;
    line += " " + quoted(file.string());
    setenv("LC_ALL", "C", 1);
    if (job.contains("env"))
        for (auto& [name, value] : job["env"].items())
            setenv(name.c_str(), value.get<string>().c_str(), 1);
    FILE* pipe = popen(line.c_str(), "r");
    if (!pipe) fail("failed");
    string output;
    char buffer[256];
    while (fgets(buffer, sizeof buffer, pipe)) output += buffer;
    if (pclose(pipe) != 0) fail("failed");
    return output;
}

int main(int argc, char* argv[]) {
    if (argc != 3) fail("usage");
    string config = argv[1], name = argv[2];
    if (config.size() < 5 || config.substr(config.size() - 5) != ".json") fail("bad config");
    try {
        ifstream file("test_dir/jobs/" + config);
        json jobs = json::parse(file).at("jobs");
        if (!jobs.contains(name)) fail("no such job");
        check(jobs[name]);
        json job = inherit(jobs, jobs[name]);
        if (!job.contains("command") || !job.contains("file")) fail("bad job");
        string output = run(job);
        if (job.contains("output")) {
            fs::create_directories("test_dir/out");
            ofstream out(fs::path("test_dir/out") / job["output"].get<string>());
            out << output;
            cout << "written: " << job["output"].get<string>() << endl;
        } else {
            cout << output;
        }
    } catch (const json::parse_error&) {
        fail("bad config");
    } catch (const exception& e) {
        cerr << "Error: " << e.what() << endl;
        return 1;
    }
    return 0;
}
