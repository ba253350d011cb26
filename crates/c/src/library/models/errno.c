/* Each thread has an error number of its own. */
#include <norn_errno.h>

static _Thread_local int number;

int *__errno_location(void) {
    return &number;
}
