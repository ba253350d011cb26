/* Formatted text into memory. Conversions: d i u o x X c s p % with all flags, widths, precisions and lengths.
   Left out: floating-point numbers, n, wide characters. */
#include <norn.h>
#include <norn_stdint.h>
#include <stdarg.h>

/* Where the text goes: what does not fit is counted only. */
struct output {
    char *to;
    size_t size;
    size_t length;
};

struct conversion {
    _Bool left, zero, plus, space, alternative;
    int width;
    /* Negative if none is given. */
    int precision;
};

static void put(struct output *output, char c) {
    if (output->length + 1 < output->size)
        output->to[output->length] = c;
    output->length++;
}

static void fill(struct output *output, char c, int count) {
    for (int i = 0; i < count; i++)
        put(output, c);
}

/* Prefix, zeros and text, padded to the width. */
static void put_field(struct output *output, const struct conversion *how, const char *prefix, int zeros, const char *text, int length) {
    int prefix_length = 0;
    while (prefix[prefix_length])
        prefix_length++;
    int padding = how->width - prefix_length - zeros - length;
    if (!how->left)
        fill(output, ' ', padding);
    for (int i = 0; i < prefix_length; i++)
        put(output, prefix[i]);
    fill(output, '0', zeros);
    for (int i = 0; i < length; i++)
        put(output, text[i]);
    if (how->left)
        fill(output, ' ', padding);
}

static void put_integer(struct output *output, const struct conversion *how, const char *prefix, uintmax_t value, unsigned int base, char ten) {
    char digits[24];
    int first = 24, zeros = 0, prefix_length = 0;
    for (; value != 0; value /= base) {
        unsigned int digit = (unsigned int)(value % base);
        digits[--first] = (char)(digit < 10 ? '0' + digit : ten + (digit - 10));
    }
    int length = 24 - first;
    while (prefix[prefix_length])
        prefix_length++;
    if (how->precision >= 0)
        zeros = how->precision - length;
    else if (how->zero && !how->left && how->width - prefix_length > length)
        zeros = how->width - prefix_length - length;
    else
        zeros = length == 0;
    if (base == 8 && how->alternative && zeros <= 0)
        zeros = 1;
    put_field(output, how, prefix, zeros > 0 ? zeros : 0, digits + first, length);
}

/* Reads the digits of a number in the format, or takes the next argument for a star. */
static const char *read_number(const char *format, va_list *args, int *number) {
    if (*format == '*') {
        *number = va_arg(*args, int);
        return format + 1;
    }
    *number = 0;
    for (; *format >= '0' && *format <= '9'; format++)
        *number = *number * 10 + (*format - '0');
    return format;
}

/* The length modifiers, as the size of the argument in bytes. */
static const char *read_length(const char *format, int *bytes) {
    *bytes = sizeof(int);
    for (;; format++) {
        if (*format == 'h')
            *bytes = *bytes == 2 ? 1 : 2;
        else if (*format == 'l')
            *bytes = format[1] == 'l' || format[-1] == 'l' ? (int)sizeof(long long) : (int)sizeof(long);
        else if (*format == 'j' || *format == 'q')
            *bytes = sizeof(intmax_t);
        else if (*format == 'z' || *format == 't')
            *bytes = sizeof(size_t);
        else
            return format;
    }
}

static intmax_t next_signed(va_list *args, int bytes) {
    if (bytes == 8)
        return va_arg(*args, long long);
    int value = va_arg(*args, int);
    return bytes == 1 ? (signed char)value : bytes == 2 ? (short)value : value;
}

static uintmax_t next_unsigned(va_list *args, int bytes) {
    if (bytes == 8)
        return va_arg(*args, unsigned long long);
    unsigned int value = va_arg(*args, unsigned int);
    return bytes == 1 ? (unsigned char)value : bytes == 2 ? (unsigned short)value : value;
}

static void put_string(struct output *output, const struct conversion *how, const char *text) {
    int length = 0;
    if (text == 0)
        text = "(null)";
    while ((how->precision < 0 || length < how->precision) && text[length])
        length++;
    put_field(output, how, "", 0, text, length);
}

/* Carries out the conversion that begins after the percent sign; where the format goes on. */
static const char *convert(struct output *output, const char *format, va_list *args) {
    struct conversion how = { 0, 0, 0, 0, 0, 0, -1 };
    int bytes;
    for (;; format++) {
        if (*format == '-')
            how.left = 1;
        else if (*format == '0')
            how.zero = 1;
        else if (*format == '+')
            how.plus = 1;
        else if (*format == ' ')
            how.space = 1;
        else if (*format == '#')
            how.alternative = 1;
        else
            break;
    }
    format = read_number(format, args, &how.width);
    if (how.width < 0) {
        how.left = 1;
        how.width = -how.width;
    }
    if (*format == '.')
        format = read_number(format + 1, args, &how.precision);
    format = read_length(format, &bytes);
    switch (*format) {
    case 'd':
    case 'i': {
        intmax_t value = next_signed(args, bytes);
        const char *sign = value < 0 ? "-" : how.plus ? "+" : how.space ? " " : "";
        put_integer(output, &how, sign, value < 0 ? -(uintmax_t)value : (uintmax_t)value, 10, 'a');
        break;
    }
    case 'u':
        put_integer(output, &how, "", next_unsigned(args, bytes), 10, 'a');
        break;
    case 'o':
        put_integer(output, &how, "", next_unsigned(args, bytes), 8, 'a');
        break;
    case 'x':
    case 'X': {
        uintmax_t value = next_unsigned(args, bytes);
        const char *prefix = !how.alternative || value == 0 ? "" : *format == 'x' ? "0x" : "0X";
        put_integer(output, &how, prefix, value, 16, *format == 'x' ? 'a' : 'A');
        break;
    }
    case 'p':
        put_integer(output, &how, "0x", (uintptr_t)va_arg(*args, void *), 16, 'a');
        break;
    case 'c': {
        char c = (char)va_arg(*args, int);
        put_field(output, &how, "", 0, &c, 1);
        break;
    }
    case 's':
        put_string(output, &how, va_arg(*args, const char *));
        break;
    case '%':
        put(output, '%');
        break;
    default:
        __norn_unsupported("a conversion of the format that is neither an integer, a character, a string nor a pointer");
    }
    return format + 1;
}

int vsnprintf(char *restrict to, size_t size, const char *restrict format, va_list args) {
    struct output output = { to, size, 0 };
    va_list rest;
    va_copy(rest, args);
    while (*format) {
        if (*format == '%')
            format = convert(&output, format + 1, &rest);
        else
            put(&output, *format++);
    }
    va_end(rest);
    if (size > 0)
        to[output.length < size ? output.length : size - 1] = 0;
    return (int)output.length;
}
