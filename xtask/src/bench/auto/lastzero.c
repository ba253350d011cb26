// A searcher looks for the last zero of an array from its end, while each of N writers makes a cell one more than the cell
// before it.
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 15
#endif

int cells[N + 1];

void *search(void *unused)
{
    int i = N;
    while (cells[i] != 0)
        i--;
    assert(i >= 0);
    return 0;
}

void *write_cell(void *number)
{
    long j = (long)number;
    cells[j] = cells[j - 1] + 1;
    return 0;
}

int main(void)
{
    pthread_t searcher, writers[N];
    pthread_create(&searcher, 0, search, 0);
    for (long j = 1; j <= N; j++)
        pthread_create(&writers[j - 1], 0, write_cell, (void *)j);
    pthread_join(searcher, 0);
    for (int j = 0; j < N; j++)
        pthread_join(writers[j], 0);
    return 0;
}
