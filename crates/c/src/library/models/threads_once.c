/* One-time initialisation of C11. */
#include <pthread.h>
#include <threads.h>

void call_once(once_flag *flag, void (*function)(void)) {
    pthread_once(&flag->__state, function);
}
