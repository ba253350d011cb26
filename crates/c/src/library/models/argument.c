/* A word of the command line: any text. Each back edge of this loop is taken at most 11 times where loops have bounds. */
#include <norn.h>

#define MOST_CHARACTERS 13

char __norn_nondet_argv(void);

char *__norn_argument(void) {
    char *word = __norn_alloc(MOST_CHARACTERS + 1);
    for (int i = 0;; i++) {
        if (i > MOST_CHARACTERS)
            __norn_unsupported("a word of the command line with more than 13 characters");
        word[i] = __norn_nondet_argv();
        if (!word[i])
            return word;
    }
}
