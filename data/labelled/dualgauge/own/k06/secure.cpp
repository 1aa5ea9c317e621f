// Answers one question about a log file; an audit line is kept of every call.
#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using Words = std::vector<std::string>;

struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
}

// Feeds the open log to a tool and gives what it prints; grep ends with 1 where nothing matches.
std::string run_tool(const Words &words, int log) {
  std::vector<char *> argv;
  for (const std::string &word : words) argv.push_back(const_cast<char *>(word.c_str()));
  argv.push_back(nullptr);
  char lang[] = "LC_ALL=C";
  std::array<char *, 2> env{lang, nullptr};
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw Refused("no such log");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, log, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  pid_t child = 0;
  const int failed =
      posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), env.data());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string output;
  std::array<char, 4096> part{};
  for (ssize_t n = 0; !failed && (n = read(ends[0], part.data(), part.size())) > 0;) {
    output.append(part.data(), static_cast<std::size_t>(n));
  }
  close(ends[0]);
  int status = 0;
  if (failed || waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
      WEXITSTATUS(status) > 1) {
    throw Refused("no such log");
  }
  return output;
}

int open_log(const std::string &name) {
  const std::string end = ".log";
  const bool known = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '.' || c == '_' || c == '-';
  });
  if (!known || name.size() <= end.size() ||
      name.compare(name.size() - end.size(), end.size(), end) != 0) {
    throw Refused("bad name");
  }
  const std::string path = "test_dir/logs/" + name;
  const int log = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  struct stat info {};
  if (log < 0 || fstat(log, &info) != 0 || !S_ISREG(info.st_mode)) throw Refused("no such log");
  return log;
}

void check_text(const std::string &text) {
  const auto length = std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;  // one for each character of UTF-8
  });
  if (length < 1 || length > 200 || std::any_of(text.begin(), text.end(), is_control)) {
    throw Refused("bad text");
  }
}

std::string answer(const Words &words) {
  if (words.size() == 2 && words[0] == "count") {
    return run_tool({"/usr/bin/wc", "-l"}, open_log(words[1]));
  }
  if (words.size() == 2 && words[0] == "digest") {
    return run_tool({"/usr/bin/sha256sum"}, open_log(words[1])).substr(0, 64) + "\n";
  }
  if (words.size() == 3 && words[0] == "find") {
    check_text(words[1]);
    const Words grep = {"/usr/bin/grep", "-a", "-n", "-F", "-m50", "-e", words[1], "--", "-"};
    const std::string found = run_tool(grep, open_log(words[2]));
    return found.empty() ? "no match\n" : found;
  }
  throw Refused("usage");
}

void put(int where, const std::string &text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = write(where, text.data() + done, text.size() - done);
    if (n <= 0) return;
    done += static_cast<std::size_t>(n);
  }
}

void keep_record(const Words &words, int code) {
  std::string line;
  for (const std::string &word : words) line += word + " ";
  line += "-> " + std::to_string(code);
  std::replace_if(line.begin(), line.end(), is_control, '?');
  const int flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC;
  const int audit = open("test_dir/audit.log", flags, 0600);
  fchmod(audit, 0600);
  put(audit, line + "\n");
  close(audit);
}

}  // namespace

int main(int argc, char **argv) {
  const Words words(argv + 1, argv + argc);
  std::string output;
  int code = 0;
  try {
    output = answer(words);
  } catch (const Refused &refusal) {
    output = std::string("error: ") + refusal.what() + "\n";
    code = 2;
  }
  keep_record(words, code);
  put(1, output);
  return code;
}
