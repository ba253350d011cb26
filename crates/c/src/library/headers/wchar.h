#ifndef __NORN_WCHAR_H
#define __NORN_WCHAR_H
#include <features.h>
#include <stddef.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#define WEOF 0xffffffffu
typedef unsigned int wint_t;
typedef struct { int __count; unsigned int __value; } mbstate_t;
struct tm;
/* No model: a call of these is reported by name. */
size_t wcslen(const wchar_t *text);
int wcscmp(const wchar_t *a, const wchar_t *b);
int wcsncmp(const wchar_t *a, const wchar_t *b, size_t size);
wchar_t *wcscpy(wchar_t *restrict to, const wchar_t *restrict from);
wchar_t *wcsncpy(wchar_t *restrict to, const wchar_t *restrict from, size_t size);
wchar_t *wcscat(wchar_t *restrict to, const wchar_t *restrict from);
wchar_t *wcschr(const wchar_t *text, wchar_t character);
wchar_t *wcsrchr(const wchar_t *text, wchar_t character);
wchar_t *wcsstr(const wchar_t *text, const wchar_t *part);
wchar_t *wmemcpy(wchar_t *restrict to, const wchar_t *restrict from, size_t size);
wchar_t *wmemmove(wchar_t *to, const wchar_t *from, size_t size);
wchar_t *wmemset(wchar_t *to, wchar_t character, size_t size);
int wmemcmp(const wchar_t *a, const wchar_t *b, size_t size);
long wcstol(const wchar_t *restrict text, wchar_t **restrict end, int base);
unsigned long wcstoul(const wchar_t *restrict text, wchar_t **restrict end, int base);
wint_t btowc(int byte);
int wctob(wint_t character);
int mbsinit(const mbstate_t *state);
size_t mbrtowc(wchar_t *restrict to, const char *restrict from, size_t size, mbstate_t *restrict state);
size_t wcrtomb(char *restrict to, wchar_t character, mbstate_t *restrict state);
size_t mbsrtowcs(wchar_t *restrict to, const char **restrict from, size_t size, mbstate_t *restrict state);
size_t wcsrtombs(char *restrict to, const wchar_t **restrict from, size_t size, mbstate_t *restrict state);
wint_t fgetwc(FILE *stream);
wint_t fputwc(wchar_t character, FILE *stream);
int wprintf(const wchar_t *restrict format, ...);
int fwprintf(FILE *restrict stream, const wchar_t *restrict format, ...);
int swprintf(wchar_t *restrict to, size_t size, const wchar_t *restrict format, ...);
#endif
