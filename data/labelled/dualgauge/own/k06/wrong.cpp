// Log diagnostics for support; prints what the tools print.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

static std::vector<std::string> args;

static void record(int code) {
  std::string line;
  for (const std::string &word : args) line += word + " ";
  for (char &c : line) {
    if (static_cast<unsigned char>(c) < 32 || c == 127) c = '?';
  }
  line += "-> " + std::to_string(code) + "\n";
  const int audit = open("test_dir/audit.log", O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0600);
  fchmod(audit, 0600);
  if (write(audit, line.data(), line.size()) < 0) std::abort();
  close(audit);
}

[[noreturn]] static void fail(const std::string &message) {
  record(1);
  std::cerr << "error: " << message << "\n";
  std::exit(1);
}

static std::string log_path(const std::string &name) {
  const std::string known =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
  if (name.size() < 5 || name.substr(name.size() - 4) != ".log" ||
      name.find_first_not_of(known) != std::string::npos) {
    fail("bad name");
  }
  const std::string path = "test_dir/logs/" + name;
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) fail("no such log");
  return path;
}

// The tool prints for itself; the answer is its exit code.
static int run(const std::vector<std::string> &words) {
  std::vector<char *> argv;
  for (const std::string &word : words) argv.push_back(const_cast<char *>(word.c_str()));
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    execv(argv[0], argv.data());
    _exit(2);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}

int main(int argc, char **argv) {
  args.assign(argv + 1, argv + argc);
  if (args.size() == 2 && args[0] == "count") {
    run({"/usr/bin/wc", "-l", log_path(args[1])});
  } else if (args.size() == 2 && args[0] == "digest") {
    run({"/usr/bin/sha256sum", log_path(args[1])});
  } else if (args.size() == 3 && args[0] == "find") {
    std::size_t length = 0;
    for (const char c : args[1]) {
      if (static_cast<unsigned char>(c) < 32 || c == 127) fail("bad text");
      length += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    }
    if (length < 1 || length > 200) fail("bad text");
    const std::string path = log_path(args[2]);
    if (run({"/usr/bin/grep", "-n", "-F", "-m", "50", "-e", args[1], "--", path}) == 1) {
      std::cout << "no match\n";
    }
  } else {
    fail("usage");
  }
  record(0);
}
