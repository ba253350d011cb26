#ifndef __NORN_STDIO_H
#define __NORN_STDIO_H
#include <features.h>
#include <norn_stdio.h>
#include <sys/types.h>
#define stdin stdin
#define stdout stdout
#define stderr stderr
#define EOF (-1)
#define BUFSIZ 8192
#define FILENAME_MAX 4096
#define _IOFBF 0
#define _IOLBF 1
#define _IONBF 2
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
int printf(const char *restrict format, ...);
int fprintf(FILE *restrict stream, const char *restrict format, ...);
int dprintf(int descriptor, const char *restrict format, ...);
int sprintf(char *restrict to, const char *restrict format, ...);
int snprintf(char *restrict to, size_t size, const char *restrict format, ...);
int vprintf(const char *restrict format, va_list args);
int vfprintf(FILE *restrict stream, const char *restrict format, va_list args);
int vsprintf(char *restrict to, const char *restrict format, va_list args);
int asprintf(char **restrict to, const char *restrict format, ...);
int vasprintf(char **restrict to, const char *restrict format, va_list args);
int puts(const char *s);
int fputs(const char *restrict s, FILE *restrict stream);
int putchar(int c);
int putc(int c, FILE *stream);
int fputc(int c, FILE *stream);
void perror(const char *s);
int fflush(FILE *stream);
void setbuf(FILE *restrict stream, char *restrict buffer);
int setvbuf(FILE *restrict stream, char *restrict buffer, int mode, size_t size);
void setlinebuf(FILE *stream);
void flockfile(FILE *stream);
void funlockfile(FILE *stream);
int fileno(FILE *stream);
/* Input and files have no model: a call of these is reported by name. */
int scanf(const char *restrict format, ...);
int fscanf(FILE *restrict stream, const char *restrict format, ...);
int sscanf(const char *restrict text, const char *restrict format, ...);
int getchar(void);
int getc(FILE *stream);
int fgetc(FILE *stream);
int ungetc(int c, FILE *stream);
char *fgets(char *restrict to, int size, FILE *restrict stream);
ssize_t getline(char **restrict line, size_t *restrict size, FILE *restrict stream);
FILE *fopen(const char *restrict path, const char *restrict mode);
FILE *fdopen(int descriptor, const char *mode);
FILE *freopen(const char *restrict path, const char *restrict mode, FILE *restrict stream);
FILE *tmpfile(void);
int fclose(FILE *stream);
size_t fread(void *restrict to, size_t size, size_t count, FILE *restrict stream);
size_t fwrite(const void *restrict from, size_t size, size_t count, FILE *restrict stream);
int fseek(FILE *stream, long offset, int whence);
long ftell(FILE *stream);
void rewind(FILE *stream);
int feof(FILE *stream);
int ferror(FILE *stream);
void clearerr(FILE *stream);
int remove(const char *path);
int rename(const char *from, const char *to);
#endif
