/* Environment variables: each is unset or has any text, which stays as it is. Only the first thread may ask for them, for 4 names at most;
   the texts have the bounds of words of the command line. */
#include <norn.h>
#include <stdlib.h>
#include <string.h>

#define MOST_NAMES 4
#define ROOM 14

void __norn_argument(char *word, int room);
_Bool __norn_nondet_unset(void);

static const char *names[MOST_NAMES];
static char text[MOST_NAMES][ROOM];
static char *values[MOST_NAMES];
static int count;

char *getenv(const char *name) {
    if (__norn_self() != 0)
        __norn_unsupported("'getenv' in a thread other than the first");
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return values[i];
    if (count == MOST_NAMES)
        __norn_unsupported("more than 4 environment variables");
    int i = count++;
    names[i] = name;
    if (!__norn_nondet_unset()) {
        __norn_argument(text[i], ROOM);
        values[i] = text[i];
    }
    return values[i];
}
