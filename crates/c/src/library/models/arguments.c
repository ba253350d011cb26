/* The words of the command line, made when they are first looked at. Each back edge of this loop is taken at most 4 times
   where loops have bounds: that is a bound of the verdict. */
#include <norn.h>

#define MOST_WORDS 6

char *__norn_argument(void);

static char *words[MOST_WORDS + 1];
static _Bool made;

char **__norn_arguments(int count) {
    if (made)
        return words;
    made = 1;
    for (int i = 0; i < count; i++) {
        if (i == MOST_WORDS)
            __norn_unsupported("a command line of more than 6 words");
        words[i] = __norn_argument();
    }
    return words;
}
