// Message passing by a semaphore: who gets the token sees the data.

#include <semaphore.h>
#define OBJECTS sem_t token;
#define SETUP(at) sem_init(&(at)->token, 0, 0)
#define VARIABLES(V) V(int, data)
#define RESULTS(R) R(got_token) R(saw_data)
#define THREADS(T) T(sender) T(receiver)
#include "program.h"

THREAD(sender)
{
    at->data = 1;
    sem_post(&at->token);
}

THREAD(receiver)
{
    int got = sem_trywait(&at->token) == 0;
    saw(saw_data, at->data);
    saw(got_token, got);
}
