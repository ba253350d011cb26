#ifndef __NORN_STRING_H
#define __NORN_STRING_H
#include <features.h>
#include <stddef.h>
void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int value, size_t size);
int memcmp(const void *a, const void *b, size_t size);
void *memchr(const void *memory, int value, size_t size);
void *memccpy(void *restrict to, const void *restrict from, int last, size_t size);
size_t strlen(const char *s);
size_t strnlen(const char *s, size_t most);
char *strcpy(char *restrict to, const char *restrict from);
char *strncpy(char *restrict to, const char *restrict from, size_t size);
char *stpcpy(char *restrict to, const char *restrict from);
char *strcat(char *restrict to, const char *restrict from);
char *strncat(char *restrict to, const char *restrict from, size_t most);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t most);
int strcoll(const char *a, const char *b);
char *strchr(const char *s, int c);
char *strrchr(const char *s, int c);
size_t strspn(const char *s, const char *accept);
size_t strcspn(const char *s, const char *reject);
char *strpbrk(const char *s, const char *accept);
char *strstr(const char *s, const char *part);
char *strtok(char *restrict s, const char *restrict separators);
char *strtok_r(char *restrict s, const char *restrict separators, char **restrict state);
char *strsep(char **restrict s, const char *restrict separators);
char *strdup(const char *s);
char *strndup(const char *s, size_t most);
char *strerror(int code);
#ifdef _GNU_SOURCE
char *strerror_r(int code, char *buffer, size_t size);
#else
int strerror_r(int code, char *buffer, size_t size) __asm__("__xpg_strerror_r");
#endif
#include <strings.h>
#ifdef _GNU_SOURCE
void *mempcpy(void *restrict to, const void *restrict from, size_t size);
void *memrchr(const void *memory, int value, size_t size);
char *strchrnul(const char *s, int c);
#endif
#endif
