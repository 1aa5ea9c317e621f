/* Mutates seeds and gives them to LLVMFuzzerTestOneInput: driver FIRST COUNT < corpus.
   The corpus is lines of "head tail length" in hexadecimal and decimal, each before its raw bytes. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST 4096
#define SEEDS 1024

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
void __sanitizer_set_death_callback(void (*callback)(void));

static struct { unsigned head, tail, size; unsigned char *data; } seeds[SEEDS];
static unsigned count;
static unsigned long now;
static uint64_t state;

static unsigned draw(unsigned below) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return below ? (unsigned)((state >> 11) % below) : 0;
}

/* The number of the input that was being tried, on the channel. */
static void died(void) {
    char text[32];
    const char *channel = getenv("KIT_CHANNEL");
    int length = snprintf(text, sizeof text, "died %lu\n", now);
    if (channel && write(atoi(channel), text, (size_t)length) < 0) _exit(98);
}

static unsigned mutate(unsigned char *body, unsigned size, unsigned most) {
    static const char *words[] = {"null", "true", "false", "[", "]", "{", "}", "\"", "\\u", "\\uD834\\uDD1E",
        "1e999", "-0", ":", ",", "\\", "/*", "*/", "//", "\xEF\xBB\xBF", "1.7976931348623157e308"};
    unsigned at = draw(size + 1), length;
    switch (draw(5)) {
    case 0: if (size) body[at % size] ^= (unsigned char)(1u << draw(8)); break;
    case 1: if (size) body[at % size] = (unsigned char)(1 + draw(255)); break;
    case 2: /* cut */
        length = draw(size - at + 1);
        memmove(body + at, body + at + length, size - at - length);
        size -= length;
        break;
    case 3: { /* a word */
        const char *word = words[draw(sizeof words / sizeof *words)];
        length = (unsigned)strlen(word);
        if (size + length <= most) {
            memmove(body + at + length, body + at, size - at);
            memcpy(body + at, word, length);
            size += length;
        }
        break;
    }
    default: /* a part twice */
        length = draw(size - at + 1);
        if (size + length <= most) {
            memmove(body + at + length, body + at, size - at);
            size += length;
        }
    }
    return size;
}

static void one(unsigned long number) {
    unsigned char text[2 * MOST];
    unsigned size, n;
    state = (number + 1) * 0x9E3779B97F4A7C15u;
    n = draw(count);
    size = seeds[n].size - seeds[n].head - seeds[n].tail;
    memcpy(text, seeds[n].data, seeds[n].size);
    for (unsigned k = draw(6); k; k--) size = mutate(text + seeds[n].head, size, MOST);
    memcpy(text + seeds[n].head + size, seeds[n].data + seeds[n].size - seeds[n].tail, seeds[n].tail);
    size += seeds[n].head + seeds[n].tail;
    unsigned char *exact = malloc(size ? size : 1); /* its end is watched */
    memcpy(exact, text, size);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
}

int main(int argc, char **argv) {
    unsigned long first = argc > 2 ? strtoul(argv[1], NULL, 10) : 0;
    unsigned long last = first + (argc > 2 ? strtoul(argv[2], NULL, 10) : 0);
    unsigned head, tail, size;
    while (count < SEEDS && scanf("%u %u %u", &head, &tail, &size) == 3 && size <= MOST) {
        unsigned char *data = malloc(size + 1);
        getchar();
        if (fread(data, 1, size, stdin) != size) return 2;
        seeds[count].head = head;
        seeds[count].tail = tail;
        seeds[count].size = size;
        seeds[count++].data = data;
    }
    if (!count) return 2;
    __sanitizer_set_death_callback(died);
    for (now = first; now < last; now++) one(now);
    return 0;
}
