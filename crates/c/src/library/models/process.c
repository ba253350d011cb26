/* There is one process, with a number that says nothing. */
#include <unistd.h>

pid_t getpid(void) {
    return 1000;
}

pid_t getppid(void) {
    return 1;
}
