// Kopetz and Reisinger's non-blocking write: the writer never waits, the reader reads again. The writer then looks whether
// a reader has asked for more.
//
// repair -m tso: 2 insertions, cost 20
// repair -m pso: 2 insertions, cost 20
// repair -m tso --robust --unwind 2: 2 insertions, cost 20
// repair -m pso --robust --unwind 2: 3 insertions, cost 22

#include <assert.h>
#include <pthread.h>

volatile int version, data, asked, answered, missed;

void *reader(void *unused)
{
    asked = 1;
    int before = version;
    int value = data;
    if (before == 2 && version == before)
        assert(value == 1);
    if (before == 0)
        missed = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, reader, 0);
    version = 1;
    data = 1;
    version = 2;
    if (asked)
        answered = 1;
    pthread_join(thread, 0);
    assert(!missed || answered);
    return 0;
}
