/* Blocks of memory, byte by byte.
   The compiler copies and clears whole objects of known type itself. */
#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size) {
    unsigned char *target = to;
    const unsigned char *source = from;
    for (size_t i = 0; i < size; i++)
        target[i] = source[i];
    return to;
}

void *mempcpy(void *restrict to, const void *restrict from, size_t size) {
    return (char *)memcpy(to, from, size) + size;
}

/* The order matters only where both blocks lie in one object; elsewhere it does not matter how the pointers compare. */
void *memmove(void *to, const void *from, size_t size) {
    unsigned char *target = to;
    const unsigned char *source = from;
    if (target < source) {
        for (size_t i = 0; i < size; i++)
            target[i] = source[i];
    } else {
        for (size_t i = size; i > 0; i--)
            target[i - 1] = source[i - 1];
    }
    return to;
}

void *memset(void *to, int value, size_t size) {
    unsigned char *target = to;
    for (size_t i = 0; i < size; i++)
        target[i] = (unsigned char)value;
    return to;
}

int memcmp(const void *a, const void *b, size_t size) {
    const unsigned char *left = a, *right = b;
    for (size_t i = 0; i < size; i++) {
        int difference = left[i] - right[i];
        if (difference)
            return difference;
    }
    return 0;
}

void *memchr(const void *memory, int value, size_t size) {
    const unsigned char *bytes = memory;
    for (size_t i = 0; i < size; i++)
        if (bytes[i] == (unsigned char)value)
            return (void *)(bytes + i);
    return 0;
}

void *memrchr(const void *memory, int value, size_t size) {
    const unsigned char *bytes = memory;
    for (size_t i = size; i > 0; i--)
        if (bytes[i - 1] == (unsigned char)value)
            return (void *)(bytes + i - 1);
    return 0;
}

void *memccpy(void *restrict to, const void *restrict from, int last, size_t size) {
    unsigned char *target = to;
    const unsigned char *source = from;
    for (size_t i = 0; i < size; i++) {
        unsigned char byte = source[i];
        target[i] = byte;
        if (byte == (unsigned char)last)
            return target + i + 1;
    }
    return 0;
}

void bzero(void *memory, size_t size) {
    memset(memory, 0, size);
}

void bcopy(const void *from, void *to, size_t size) {
    memmove(to, from, size);
}

int bcmp(const void *a, const void *b, size_t size) {
    return memcmp(a, b, size);
}

int ffs(int value) {
    for (int i = 0; i < 32; i++)
        if ((unsigned int)value >> i & 1)
            return i + 1;
    return 0;
}
