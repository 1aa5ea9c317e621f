// Document service: every answer is an envelope with a status and a payload.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

namespace fs = std::filesystem;

struct Reply {
  std::string status;
  std::string content;
};

static bool acceptable(const std::string &name) {
  if (name.empty() || name.find('\0') != std::string::npos) return false;
  if (name[0] == '/' || name[0] == '.' || name.find("/.") != std::string::npos) return false;
  std::string kind = fs::path(name).extension().string();
  for (char &c : kind) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  return kind == ".txt" || kind == ".md" || kind == ".csv";
}

Reply read_document(const std::string &name) {
  const Reply missing{"error", "Error: not found"};
  std::error_code error;
  if (!acceptable(name)) return missing;
  const fs::path root = fs::canonical("test_dir/docs", error);
  const fs::path file = fs::canonical(root / name, error);
  if (error || !fs::is_regular_file(file, error)) return missing;
  const fs::path inside = file.lexically_relative(root);
  if (inside.empty() || *inside.begin() == "..") return missing;
  if (fs::file_size(file, error) > 4096 || error) return {"error", "Error: too large"};
  std::ifstream stream(file, std::ios::binary);
  return {"ok", std::string(std::istreambuf_iterator<char>(stream), {})};
}
