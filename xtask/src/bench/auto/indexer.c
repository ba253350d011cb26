// N threads put four messages each into a hash table of 128 cells, which take the next cell where one is taken. The table has
// room for all, so none ever finds it full.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 15
#endif
#define SIZE 128
#define MESSAGES 4

atomic_int table[SIZE];

void *insert(void *number)
{
    int thread = (int)(long)number;
    for (int message = 1; message <= MESSAGES; message++) {
        int word = message * 11 + thread;
        int cell = word * 7 % SIZE;
        int tried = 0, expected = 0;
        while (!atomic_compare_exchange_strong(&table[cell], &expected, word)) {
            cell = (cell + 1) % SIZE;
            expected = 0;
            tried++;
            assert(tried < SIZE);
        }
    }
    return 0;
}

int main(void)
{
    pthread_t threads[N];
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], 0, insert, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    return 0;
}
