// A result that nobody looks at needs no value; one that a join or a caller may see is indeterminate.
#include <pthread.h>
int x;
int nondet_int(void);
void *unseen(void *p) { x = 1; }
int seen(void) { x = 2; }
static int ignored(void) { return nondet_int(); }
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, unseen, 0);
    pthread_join(t, 0);
    ignored();
    return seen();
}
