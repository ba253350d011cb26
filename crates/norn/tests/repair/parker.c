// A parker: a thread that is told to go on must not miss it. The one who parks says that it waits and looks at the permit
// again; the one who unparks gives the permit and looks whether somebody waits.
//
// repair -m tso: 2 insertions, cost 20
// repair -m pso: 2 insertions, cost 20
// repair -m tso --robust --unwind 2: 2 insertions, cost 20
// repair -m pso --robust --unwind 2: 2 insertions, cost 20

#include <assert.h>
#include <pthread.h>

volatile int permit, waits, woken, parked;

void *unpark(void *unused)
{
    permit = 1;
    if (waits)
        woken = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, unpark, 0);
    waits = 1;
    if (!permit)
        parked = 1;
    pthread_join(thread, 0);
    // Who parks has to be woken.
    assert(!parked || woken);
    return 0;
}
