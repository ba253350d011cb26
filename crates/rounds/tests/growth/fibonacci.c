/* Two threads add to one another's counter, six times each; main asks whether one of them can get as far as LIMIT. The
   largest value needs every one of the twelve additions to alternate: 377. So LIMIT 377 is reached and 378 is not. */
#include <assert.h>
#include <pthread.h>

#ifndef LIMIT
#define LIMIT 377
#endif

volatile int a = 1, b = 1;

void *left(void *arg) {
    for (int n = 0; n < 6; n++)
        a += b;
    return 0;
}

void *right(void *arg) {
    for (int n = 0; n < 6; n++)
        b += a;
    return 0;
}

int main(void) {
    pthread_t l, r;
    pthread_create(&l, 0, left, 0);
    pthread_create(&r, 0, right, 0);
    int first = a;
    int second = b;
    assert(first < LIMIT && second < LIMIT);
    return 0;
}
