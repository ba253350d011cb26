#ifndef __NORN_STRINGS_H
#define __NORN_STRINGS_H
#include <features.h>
#include <stddef.h>
int strcasecmp(const char *a, const char *b);
int strncasecmp(const char *a, const char *b, size_t most);
void bzero(void *memory, size_t size);
void bcopy(const void *from, void *to, size_t size);
int bcmp(const void *a, const void *b, size_t size);
char *index(const char *s, int c);
char *rindex(const char *s, int c);
int ffs(int value);
#endif
