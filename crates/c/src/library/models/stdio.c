/* Output without a format. Nothing is buffered and nothing fails. Only the standard streams exist. */
#include <norn_errno.h>
#include <norn.h>
#include <norn_stdio.h>

int fputs(const char *restrict s, FILE *restrict stream) {
    if (stream == stderr)
        __norn_print(2, "%s", s);
    else
        __norn_print(1, "%s", s);
    return 0;
}

int puts(const char *s) {
    __norn_print(1, "%s\n", s);
    return 0;
}

int putchar(int c) {
    __norn_print(1, "%c", c);
    return (unsigned char)c;
}

int fputc(int c, FILE *stream) {
    if (stream == stderr)
        __norn_print(2, "%c", c);
    else
        __norn_print(1, "%c", c);
    return (unsigned char)c;
}

int putc(int c, FILE *stream) {
    return fputc(c, stream);
}

/* What glibc's headers make of putc. */
int _IO_putc(int c, FILE *stream) {
    return fputc(c, stream);
}

void perror(const char *s) {
    __norn_print(2, "%s: error %d\n", s, errno);
}

int fflush(FILE *stream) {
    (void)stream;
    return 0;
}

void setbuf(FILE *restrict stream, char *restrict buffer) {
    (void)stream;
    (void)buffer;
}

int setvbuf(FILE *restrict stream, char *restrict buffer, int mode, size_t size) {
    (void)stream;
    (void)buffer;
    (void)mode;
    (void)size;
    return 0;
}

void setlinebuf(FILE *stream) {
    (void)stream;
}

static void put_bytes(const unsigned char *bytes, size_t size, _Bool to_stderr) {
    for (size_t i = 0; i < size; i++) {
        if (to_stderr)
            __norn_print(2, "%c", bytes[i]);
        else
            __norn_print(1, "%c", bytes[i]);
    }
}

size_t fwrite(const void *restrict from, size_t size, size_t count, FILE *restrict stream) {
    put_bytes(from, size * count, stream == stderr);
    return size == 0 ? 0 : count;
}

/* There are no descriptors but those of the standard streams. */
ptrdiff_t write(int descriptor, const void *from, size_t size) {
    if (descriptor != 1 && descriptor != 2)
        __norn_unsupported("writing to something other than the standard streams");
    put_bytes(from, size, descriptor == 2);
    return (ptrdiff_t)size;
}
