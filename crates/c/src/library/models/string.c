/* Strings: length, copying, comparing. */
#include <norn_errno.h>
#include <stddef.h>
void *malloc(size_t size);

size_t strlen(const char *s) {
    size_t length = 0;
    while (s[length])
        length++;
    return length;
}

size_t strnlen(const char *s, size_t most) {
    size_t length = 0;
    while (length < most && s[length])
        length++;
    return length;
}

char *stpcpy(char *restrict to, const char *restrict from) {
    while ((*to = *from)) {
        to++;
        from++;
    }
    return to;
}

char *strcpy(char *restrict to, const char *restrict from) {
    stpcpy(to, from);
    return to;
}

char *strncpy(char *restrict to, const char *restrict from, size_t size) {
    size_t i = 0;
    for (; i < size && from[i]; i++)
        to[i] = from[i];
    for (; i < size; i++)
        to[i] = 0;
    return to;
}

char *strcat(char *restrict to, const char *restrict from) {
    stpcpy(to + strlen(to), from);
    return to;
}

char *strncat(char *restrict to, const char *restrict from, size_t most) {
    char *end = to + strlen(to);
    size_t i = 0;
    for (; i < most && from[i]; i++)
        end[i] = from[i];
    end[i] = 0;
    return to;
}

int strncmp(const char *a, const char *b, size_t most) {
    for (size_t i = 0; i < most; i++) {
        unsigned char left = (unsigned char)a[i], right = (unsigned char)b[i];
        if (left != right)
            return left - right;
        if (left == 0)
            return 0;
    }
    return 0;
}

int strcmp(const char *a, const char *b) {
    return strncmp(a, b, (size_t)-1);
}

int strcoll(const char *a, const char *b) {
    return strcmp(a, b);
}

static int lower(char c) {
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : (unsigned char)c;
}

int strncasecmp(const char *a, const char *b, size_t most) {
    for (size_t i = 0; i < most; i++) {
        int left = lower(a[i]), right = lower(b[i]);
        if (left != right)
            return left - right;
        if (left == 0)
            return 0;
    }
    return 0;
}

int strcasecmp(const char *a, const char *b) {
    return strncasecmp(a, b, (size_t)-1);
}

char *strndup(const char *s, size_t most) {
    size_t length = strnlen(s, most);
    char *copy = malloc(length + 1);
    if (!copy)
        return 0;
    for (size_t i = 0; i < length; i++)
        copy[i] = s[i];
    copy[length] = 0;
    return copy;
}

char *strdup(const char *s) {
    return strndup(s, (size_t)-1);
}

/* The same text for every error. */
char *strerror(int code) {
    static char text[] = "error";
    (void)code;
    return text;
}

/* GNU's may have the text elsewhere, and has. POSIX's, which glibc calls by another name, copies it. */
char *strerror_r(int code, char *buffer, size_t size) {
    (void)buffer;
    (void)size;
    return strerror(code);
}

int __xpg_strerror_r(int code, char *buffer, size_t size) {
    (void)code;
    if (size == 0)
        return ERANGE;
    strncpy(buffer, "error", size);
    buffer[size - 1] = 0;
    return size < 6 ? ERANGE : 0;
}
