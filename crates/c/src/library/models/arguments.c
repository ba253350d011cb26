/* The words of any command line, made when they are first looked at. Each back edge of this loop is taken at most 4 times
   where loops have bounds: that is a bound of the verdict. */
#include <norn.h>

#define MOST_WORDS 6
#define ROOM 14

void __norn_argument(char *word, int room);

static char text[MOST_WORDS][ROOM];
static char *words[MOST_WORDS + 1];
static _Bool made;

char **__norn_arguments(int count) {
    if (made)
        return words;
    made = 1;
    for (int i = 0; i < count; i++) {
        if (i == MOST_WORDS)
            __norn_unsupported("a command line of more than 6 words");
        __norn_argument(text[i], ROOM);
        words[i] = text[i];
    }
    return words;
}
