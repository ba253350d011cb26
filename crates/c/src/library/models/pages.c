/* Pages have the size of x86. */
#include <unistd.h>

int getpagesize(void) {
    return 4096;
}
