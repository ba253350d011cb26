//// A post before a wait orders what was written before it.
//// check --deadlock --data-race: safe
//// check -DWITHOUT: unsafe assertion x == 1
static sem_t sem;
static int x;
THREAD(posts) {
    x = 1;
    assert(sem_post(&sem) == 0);
    return 0;
}
int main(void) {
    assert(sem_init(&sem, 0, 0) == 0);
    pthread_t thread = start(posts);
#ifndef WITHOUT
    assert(sem_wait(&sem) == 0);
#endif
    assert(x == 1);
    finish(thread);
}
//// A wait blocks while the value is 0.
//// check --deadlock: unsafe deadlock @waits
static sem_t sem;
int main(void) {
    sem_init(&sem, 0, 1);
    sem_wait(&sem);
    sem_wait(&sem); // @waits
}
//// A semaphore of value 1 excludes, one of value 2 lets two in.
//// check -DVALUE=1 --data-race: safe
//// check -DVALUE=2: unsafe assertion x == 2
static sem_t sem;
static int x;
THREAD(add) {
    sem_wait(&sem);
    x++;
    sem_post(&sem);
    return 0;
}
int main(void) {
    sem_init(&sem, 0, VALUE);
    both(add, add);
    assert(x == 2);
}
//// Posts are counted; another thread than the waiting one gives them.
//// check --deadlock: safe
static sem_t sem;
THREAD(posts) {
    sem_post(&sem);
    sem_post(&sem);
    return 0;
}
int main(void) {
    sem_init(&sem, 0, 0);
    start(posts);
    sem_wait(&sem);
    sem_wait(&sem);
}
//// A trywait fails with EAGAIN in errno if the value is 0, and changes it otherwise.
//// check --deadlock: safe
int main(void) {
    sem_t sem;
    int value;
    assert(sem_init(&sem, 0, 1) == 0);
    assert(sem_trywait(&sem) == 0);
    assert(sem_getvalue(&sem, &value) == 0 && value == 0);
    errno = 0;
    assert(sem_trywait(&sem) == -1 && errno == EAGAIN);
    assert(sem_post(&sem) == 0 && sem_post(&sem) == 0);
    assert(sem_getvalue(&sem, &value) == 0 && value == 2);
    assert(sem_destroy(&sem) == 0);
}
//// A timed wait may time out while the value is 0, with ETIMEDOUT in errno, and may succeed.
//// check: safe
//// check -DNEVER=0: unsafe assertion result != NEVER
//// check -DNEVER=-1: unsafe assertion result != NEVER
static sem_t sem;
THREAD(posts) {
    sem_post(&sem);
    return 0;
}
int main(void) {
    sem_init(&sem, 0, 0);
    start(posts);
    int result = sem_timedwait(&sem, &soon);
    assert(result == 0 || (result == -1 && errno == ETIMEDOUT));
#ifdef NEVER
    assert(result != NEVER);
#endif
}
//// A timed wait on a positive value succeeds.
//// check --deadlock: safe
int main(void) {
    sem_t sem;
    sem_init(&sem, 0, 1);
    assert(sem_timedwait(&sem, &soon) == 0);
}
//// Too large a value is refused.
//// check: safe
int main(void) {
    sem_t sem;
    assert(sem_init(&sem, 0, (unsigned)INT_MAX + 1) == -1 && errno == EINVAL);
    assert(sem_init(&sem, 0, INT_MAX) == 0);
    assert(sem_post(&sem) == -1 && errno == EOVERFLOW);
}
//// A destroyed semaphore must not be used.
//// check: unsafe misuse use of a semaphore that is destroyed or not initialised @use
int main(void) {
    sem_t sem;
    sem_init(&sem, 0, 1);
    sem_destroy(&sem);
    sem_post(&sem); // @use
}
//// A post empties the store buffer.
//// check: safe
static sem_t mine, yours;
static int x, y, a, b;
THREAD(first) {
    x = 1;
    sem_post(&mine);
    a = y;
    return 0;
}
THREAD(second) {
    y = 1;
    sem_post(&yours);
    b = x;
    return 0;
}
int main(void) {
    both(first, second);
    assert(a == 1 || b == 1);
}
