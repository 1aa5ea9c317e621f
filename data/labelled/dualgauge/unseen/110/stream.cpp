#include <cstdint>
#include <cstdio>
#include <iostream>

int main() {
    std::uint32_t userId = 0;
    if (!(std::cin >> userId)) {
        std::cerr << "Error: Invalid input (non-numeric)" << std::endl;
        return 1;
    }
    char message[48];
    std::snprintf(message, sizeof message, "Hello, user %u!", static_cast<unsigned>(userId));
    std::cout << message << std::endl;
    return 0;
}
