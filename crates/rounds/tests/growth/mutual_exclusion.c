/* Peterson's algorithm, twice around. */
#include <assert.h>
#include <pthread.h>

volatile int wants[2], turn, inside;

static void enter(int me) {
    wants[me] = 1;
    turn = !me;
    while (wants[!me] && turn == !me)
        ;
    inside++;
    assert(inside == 1);
    inside--;
    wants[me] = 0;
}

void *one(void *arg) {
    for (int n = 0; n < 2; n++)
        enter(0);
    return 0;
}

void *two(void *arg) {
    for (int n = 0; n < 2; n++)
        enter(1);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, two, 0);
    return 0;
}
