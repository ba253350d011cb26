/* A word of the command line, or what an environment variable holds: any text. Each back edge of this loop is taken at most 11 times where loops have bounds. */
#include <norn.h>

char __norn_nondet_argv(void);

void __norn_argument(char *word, int room) {
    for (int i = 0;; i++) {
        if (i == room)
            __norn_unsupported("a word of the command line or of the environment with more than 13 characters");
        char c = __norn_nondet_argv();
        word[i] = c;
        if (!c)
            return;
    }
}
