/* Output of arguments with a format that is not known, where nobody asks how much was written. Only the strings are looked at, and of each only whether its
   first character is there: no engine should have to follow the text. */
#include <norn.h>
#include <stdarg.h>

#define SLOT 8

static void look(const char *format, char *list) {
    _Bool inside = 0, is_cut = 0;
    for (; *format; format++) {
        if (!inside) {
            inside = *format == '%';
            is_cut = 0;
            continue;
        }
        switch (*format) {
        case '-': case '+': case ' ': case '#': case '\'': case '0' ... '9':
        case 'h': case 'l': case 'j': case 'z': case 't': case 'q':
            break;
        case '.':
            is_cut = 1;
            break;
        case '*':
            list += SLOT;
            break;
        case '%': case 'm':
            inside = 0;
            break;
        case 'n': case '$':
            __norn_unsupported("a conversion '%n', or one that names its argument");
        case 'L':
            __norn_unsupported("an output of something that is neither a number nor a pointer");
        case 's':
            if (!is_cut)
                (void)**(volatile const char *const *)list;
            list += SLOT;
            inside = 0;
            break;
        default:
            list += SLOT;
            inside = 0;
        }
    }
}

int __norn_write_list(const void *format, void *list) {
    look(format, list);
    __norn_print_list(1, format, list);
    return 0;
}

int __norn_warn_list(const void *format, void *list) {
    look(format, list);
    __norn_print_list(2, format, list);
    return 0;
}

int __norn_write(const void *format, ...) {
    va_list list;
    va_start(list, format);
    return __norn_write_list(format, list);
}

int __norn_warn(const void *format, ...) {
    va_list list;
    va_start(list, format);
    return __norn_warn_list(format, list);
}
