// Runs one job of a configuration file: a fixed tool, fixed options, one file of data.
#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace {

using nlohmann::json;

constexpr std::string_view kNameStart =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
constexpr std::string_view kConfig = "abcdefghijklmnopqrstuvwxyz0123456789_-";

// What cannot be done; its text is the answer.
struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void require(bool condition, const char *reason) {
  if (!condition) throw Refused(reason);
}

bool only(std::string_view text, std::string_view allowed) {
  return text.find_first_not_of(allowed) == std::string_view::npos;
}

bool is_name(std::string_view text) {
  if (text.empty() || text.size() > 64 || !only(text.substr(0, 1), kNameStart)) return false;
  return only(text, std::string(kNameStart) + ".-");
}

// A text of a job, which has to be one.
const std::string &text_of(const json &value) {
  require(value.is_string(), "bad job");
  return value.get_ref<const std::string &>();
}

bool is_option(const std::string &tool, const std::string &option) {
  if (option.size() < 2 || option[0] != '-') return false;
  if (tool == "head") {
    const std::string_view number = std::string_view(option).substr(2);
    return option[1] == 'n' && !number.empty() && number.size() <= 4 && number[0] != '0' &&
           only(number, "0123456789");
  }
  const std::string_view letters = tool == "sort" ? "rnu" : tool == "uniq" ? "cd" : "lwc";
  return option.size() == 2 && letters.find(option[1]) != std::string_view::npos;
}

json read_jobs(const std::string &name) {
  const bool ending = name.size() > 5 && name.compare(name.size() - 5, 5, ".json") == 0;
  require(ending && name.size() <= 37 && only(name.substr(0, name.size() - 5), kConfig),
          "bad config");
  std::ifstream file("test_dir/jobs/" + name);
  const json config = json::parse(file, nullptr, false);
  require(config.is_object() && config.contains("jobs"), "bad config");
  require(config["jobs"].is_object(), "bad config");
  return config["jobs"];
}

// The job with what it inherits, nearest first; no job is met twice.
json merged(const json &jobs, std::string name) {
  static const std::set<std::string> keys = {"command", "options", "file",
                                             "env",     "output",  "base"};
  json job = json::object();
  std::set<std::string> met;
  for (;;) {
    require(jobs.contains(name) && met.insert(name).second, "bad job");
    const json &part = jobs[name];
    require(part.is_object(), "bad job");
    for (const auto &[key, value] : part.items()) {
      require(keys.count(key) == 1, "bad job");
      if (!job.contains(key)) job[key] = value;
    }
    if (!part.contains("base")) return job;
    name = text_of(part["base"]);
  }
}

struct Call {
  std::string tool, locale = "LC_ALL=C", output;
  std::vector<std::string> arguments;
};

Call checked(const json &job) {
  Call call;
  require(job.contains("command") && job.contains("file"), "bad job");
  const std::string &command = text_of(job["command"]);
  require(command == "sort" || command == "uniq" || command == "wc" || command == "head",
          "bad job");
  call.tool = "/usr/bin/" + command;
  const json options = job.value("options", json::array());
  require(options.is_array() && options.size() <= 5, "bad job");
  for (const json &option : options) {
    require(is_option(command, text_of(option)), "bad job");
    call.arguments.push_back(text_of(option));
  }
  require(is_name(text_of(job["file"])), "bad job");
  const std::string source = "test_dir/data/" + text_of(job["file"]);
  struct stat info {};
  require(lstat(source.c_str(), &info) == 0 && S_ISREG(info.st_mode), "bad job");
  call.arguments.insert(call.arguments.end(), {"--", source});
  const json env = job.value("env", json::object());
  require(env.is_object() && env.size() == env.count("LC_ALL"), "bad job");
  if (!env.empty()) {
    const std::string &locale = text_of(env["LC_ALL"]);
    require(locale == "C" || locale == "C.UTF-8", "bad job");
    call.locale = "LC_ALL=" + locale;
  }
  if (job.contains("output")) {
    require(is_name(text_of(job["output"])), "bad job");
    call.output = text_of(job["output"]);
  }
  return call;
}

std::string run(const Call &call) {
  int ends[2];
  require(pipe2(ends, O_CLOEXEC) == 0, "failed");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  std::vector<char *> argv = {const_cast<char *>(call.tool.c_str())};
  for (const std::string &word : call.arguments) argv.push_back(const_cast<char *>(word.c_str()));
  argv.push_back(nullptr);
  char *env[] = {const_cast<char *>(call.locale.c_str()), nullptr};
  pid_t child = 0;
  const int error = posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), env);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string data;
  char part[4096];
  for (ssize_t size; error == 0 && (size = read(ends[0], part, sizeof part)) > 0;) {
    data.append(part, static_cast<std::size_t>(size));
  }
  close(ends[0]);
  int status = 1;
  if (error == 0) waitpid(child, &status, 0);
  require(error == 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0, "failed");
  return data;
}

void store(const std::string &name, const std::string &data) {
  mkdir("test_dir/out", 0755);
  const std::string path = "test_dir/out/" + name;
  unlink(path.c_str());
  // A new file: neither a link nor the permissions of an older one play a part.
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  require(file >= 0, "failed");
  std::size_t done = 0;
  while (done < data.size()) {
    const ssize_t more = write(file, data.data() + done, data.size() - done);
    if (more <= 0) break;
    done += static_cast<std::size_t>(more);
  }
  close(file);
  require(done == data.size(), "failed");
}

std::string answer(const std::vector<std::string> &words) {
  require(words.size() == 2, "usage");
  const json jobs = read_jobs(words[0]);
  require(jobs.contains(words[1]), "no such job");
  const Call call = checked(merged(jobs, words[1]));
  const std::string data = run(call);
  if (call.output.empty()) return data;
  store(call.output, data);
  return "written: " + call.output + "\n";
}

}  // namespace

int main(int argc, char **argv) {
  try {
    std::cout << answer(std::vector<std::string>(argv + std::min(argc, 1), argv + argc));
  } catch (const Refused &refused) {
    std::cout << "error: " << refused.what() << "\n";
    return 2;
  }
}
