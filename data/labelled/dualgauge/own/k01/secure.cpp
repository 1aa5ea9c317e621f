// Published documents of the help pages, by name.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

namespace {

constexpr std::size_t kLimit = 4096;
const std::string kNotFound = "Error: not found";
const std::string kTooLarge = "Error: too large";

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  void become(int fd) {
    if (fd_ >= 0) close(fd_);
    fd_ = fd;
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

bool ends_with(const std::string &text, const std::string &end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// The parts of a name that may be published; empty if it may not.
std::vector<std::string> parts_of(const std::string &name) {
  if (name.find('\0') != std::string::npos) return {};
  std::vector<std::string> parts;
  for (std::size_t start = 0;;) {
    const std::size_t end = name.find('/', start);
    parts.push_back(name.substr(start, end - start));
    if (parts.back().empty() || parts.back()[0] == '.') return {};
    if (end == std::string::npos) break;
    start = end + 1;
  }
  std::string last = parts.back();
  std::transform(last.begin(), last.end(), last.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (!ends_with(last, ".txt") && !ends_with(last, ".md") && !ends_with(last, ".csv")) return {};
  return parts;
}

}  // namespace

std::string read_document(const std::string &name) {
  const std::vector<std::string> parts = parts_of(name);
  if (parts.empty()) return kNotFound;
  Descriptor at(open("test_dir/docs", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Each part is opened from the folder before it, and none may be a link.
  for (std::size_t i = 0; i < parts.size() && at.get() >= 0; ++i) {
    const int kind = i + 1 < parts.size() ? O_DIRECTORY : O_NONBLOCK;
    at.become(openat(at.get(), parts[i].c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | kind));
  }
  struct stat info {};
  if (at.get() < 0 || fstat(at.get(), &info) != 0 || !S_ISREG(info.st_mode)) return kNotFound;
  std::string data(kLimit + 1, '\0');
  std::size_t size = 0;
  while (size < data.size()) {
    const ssize_t more = read(at.get(), &data[size], data.size() - size);
    if (more < 0) return kNotFound;
    if (more == 0) break;
    size += static_cast<std::size_t>(more);
  }
  if (size > kLimit) return kTooLarge;
  data.resize(size);
  return data;
}
