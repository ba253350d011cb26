// never, never, never
// main stores in its loop without end and waits for nothing. That the buffer may grow does not matter: it may as
// well be emptied after each store.
#include <pthread.h>
#include <stdatomic.h>
volatile int x;
int main(void) {
    while (x != 2)
        x = 1;
}
