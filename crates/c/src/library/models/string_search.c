/* Strings: searching and splitting.
   Characters are compared as `char`. */
#include <stddef.h>

char *strchrnul(const char *s, int c) {
    while (*s && *s != (char)c)
        s++;
    return (char *)s;
}

char *strchr(const char *s, int c) {
    char *found = strchrnul(s, c);
    return *found == (char)c ? found : 0;
}

char *strrchr(const char *s, int c) {
    const char *found = 0;
    for (;; s++) {
        char here = *s;
        if (here == (char)c)
            found = s;
        if (here == 0)
            return (char *)found;
    }
}

char *index(const char *s, int c) {
    return strchr(s, c);
}

char *rindex(const char *s, int c) {
    return strrchr(s, c);
}

size_t strspn(const char *s, const char *accept) {
    size_t length = 0;
    while (s[length] && strchr(accept, s[length]))
        length++;
    return length;
}

size_t strcspn(const char *s, const char *reject) {
    size_t length = 0;
    while (s[length] && !strchr(reject, s[length]))
        length++;
    return length;
}

char *strpbrk(const char *s, const char *accept) {
    s += strcspn(s, accept);
    return *s ? (char *)s : 0;
}

char *strstr(const char *s, const char *part) {
    for (;; s++) {
        size_t i = 0;
        while (part[i] && s[i] == part[i])
            i++;
        if (part[i] == 0)
            return (char *)s;
        if (*s == 0)
            return 0;
    }
}

char *strtok_r(char *restrict s, const char *restrict separators, char **restrict state) {
    if (s == 0)
        s = *state;
    s += strspn(s, separators);
    if (*s == 0) {
        *state = s;
        return 0;
    }
    char *end = s + strcspn(s, separators);
    if (*end) {
        *end = 0;
        end++;
    }
    *state = end;
    return s;
}

char *strtok(char *restrict s, const char *restrict separators) {
    static char *state;
    return strtok_r(s, separators, &state);
}

char *strsep(char **restrict s, const char *restrict separators) {
    char *begin = *s;
    if (begin == 0)
        return 0;
    char *end = begin + strcspn(begin, separators);
    if (*end) {
        *end = 0;
        *s = end + 1;
    } else {
        *s = 0;
    }
    return begin;
}
