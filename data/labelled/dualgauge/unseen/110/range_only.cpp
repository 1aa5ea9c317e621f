#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

int main() {
    unsigned long long number = 0;
    std::scanf("%llu", &number);
    if (number > UINT32_MAX) {
        std::fputs("Error: user ID out of range\n", stderr);
        return EXIT_FAILURE;
    }
    const std::string text = "Hello, user " + std::to_string(number) + "!";
    std::puts(text.c_str());
    return EXIT_SUCCESS;
}
