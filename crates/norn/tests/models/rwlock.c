//// Two readers may be inside at once.
//// check: unsafe assertion inside < 2
static pthread_rwlock_t lk = PTHREAD_RWLOCK_INITIALIZER;
static atomic_int inside;
THREAD(reads) {
    assert(pthread_rwlock_rdlock(&lk) == 0);
    inside++;
    assert(inside < 2);
    inside--;
    assert(pthread_rwlock_unlock(&lk) == 0);
    return 0;
}
int main(void) {
    both(reads, reads);
}
//// A writer excludes readers and writers.
//// check --deadlock --data-race: safe
static pthread_rwlock_t lk = PTHREAD_RWLOCK_INITIALIZER;
static int x, y;
THREAD(writes) {
    assert(pthread_rwlock_wrlock(&lk) == 0);
    x++;
    y++;
    assert(pthread_rwlock_unlock(&lk) == 0);
    return 0;
}
THREAD(reads) {
    assert(pthread_rwlock_rdlock(&lk) == 0);
    assert(x == y);
    assert(pthread_rwlock_unlock(&lk) == 0);
    return 0;
}
int main(void) {
    pthread_t reader = start(reads);
    both(writes, writes);
    finish(reader);
    assert(x == 2);
}
//// Under a read lock two threads must not write.
//// check --data-race: unsafe data-race
static pthread_rwlock_t lk = PTHREAD_RWLOCK_INITIALIZER;
static int x;
THREAD(writes) {
    pthread_rwlock_rdlock(&lk);
    x = 1;
    pthread_rwlock_unlock(&lk);
    return 0;
}
int main(void) {
    both(writes, writes);
}
//// A reader's lock blocks a writer, and a writer waits for the last reader.
//// check --deadlock: unsafe deadlock
//// check --deadlock -DBOTH: safe
static pthread_rwlock_t lk = PTHREAD_RWLOCK_INITIALIZER;
THREAD(writes) {
    pthread_rwlock_wrlock(&lk);
    pthread_rwlock_unlock(&lk);
    return 0;
}
int main(void) {
    assert(pthread_rwlock_rdlock(&lk) == 0);
    assert(pthread_rwlock_rdlock(&lk) == 0);
    pthread_t thread = start(writes);
    pthread_rwlock_unlock(&lk);
#ifdef BOTH
    pthread_rwlock_unlock(&lk);
#endif
    finish(thread);
}
//// The holder of the write lock blocks for ever if it locks again, for reading or writing.
//// check --deadlock -DHOW=pthread_rwlock_rdlock: unsafe deadlock @again
//// check --deadlock -DHOW=pthread_rwlock_wrlock: unsafe deadlock @again
static pthread_rwlock_t lk = PTHREAD_RWLOCK_INITIALIZER;
int main(void) {
    pthread_rwlock_wrlock(&lk);
    HOW(&lk); // @again
}
//// The try calls never block and say EBUSY if and only if the lock cannot be had.
//// check --deadlock: safe
static pthread_rwlock_t lk;
int main(void) {
    assert(pthread_rwlock_init(&lk, 0) == 0);
    assert(pthread_rwlock_tryrdlock(&lk) == 0);
    assert(pthread_rwlock_tryrdlock(&lk) == 0);
    assert(pthread_rwlock_trywrlock(&lk) == EBUSY);
    assert(pthread_rwlock_unlock(&lk) == 0);
    assert(pthread_rwlock_trywrlock(&lk) == EBUSY);
    assert(pthread_rwlock_unlock(&lk) == 0);
    assert(pthread_rwlock_trywrlock(&lk) == 0);
    assert(pthread_rwlock_trywrlock(&lk) == EBUSY);
    assert(pthread_rwlock_tryrdlock(&lk) == EBUSY);
    assert(pthread_rwlock_unlock(&lk) == 0);
    assert(pthread_rwlock_timedwrlock(&lk, &soon) == 0);
    assert(pthread_rwlock_unlock(&lk) == 0);
    assert(pthread_rwlock_timedrdlock(&lk, &soon) == 0);
    assert(pthread_rwlock_unlock(&lk) == 0);
    assert(pthread_rwlock_destroy(&lk) == 0);
}
//// The timed calls may time out while the lock is held, and may succeed.
//// check -DHOW=pthread_rwlock_timedrdlock: safe
//// check -DHOW=pthread_rwlock_timedrdlock -DNEVER=0: unsafe assertion result != NEVER
//// check -DHOW=pthread_rwlock_timedrdlock -DNEVER=ETIMEDOUT: unsafe assertion result != NEVER
//// check -DHOW=pthread_rwlock_timedwrlock: safe
//// check -DHOW=pthread_rwlock_timedwrlock -DNEVER=0: unsafe assertion result != NEVER
//// check -DHOW=pthread_rwlock_timedwrlock -DNEVER=ETIMEDOUT: unsafe assertion result != NEVER
static pthread_rwlock_t lk = PTHREAD_RWLOCK_INITIALIZER;
THREAD(writes) {
    pthread_rwlock_wrlock(&lk);
    pthread_rwlock_unlock(&lk);
    return 0;
}
int main(void) {
    start(writes);
    int result = HOW(&lk, &soon);
    assert(result == 0 || result == ETIMEDOUT);
#ifdef NEVER
    assert(result != NEVER);
#endif
}
//// An unlock by a thread that holds no lock is misuse, whether another thread writes, reads, or nobody does either.
//// check -DHOW=pthread_rwlock_wrlock: unsafe misuse unlock of a read-write lock that the calling thread does not hold @wrong
//// check -DHOW=pthread_rwlock_rdlock: unsafe misuse unlock of a read-write lock that the calling thread does not hold @wrong
//// check -DHOW=(void): unsafe misuse unlock of a read-write lock that the calling thread does not hold @wrong
static pthread_rwlock_t lk = PTHREAD_RWLOCK_INITIALIZER;
THREAD(unlocks) {
    pthread_rwlock_unlock(&lk); // @wrong
    return 0;
}
int main(void) {
    HOW(&lk);
    finish(start(unlocks));
}
//// A destroyed lock must not be used, and a lock that is held must not be destroyed.
//// check: unsafe misuse use of a destroyed read-write lock @use
//// check -DHELD: unsafe misuse destruction of a locked read-write lock @destroys
static pthread_rwlock_t lk = PTHREAD_RWLOCK_INITIALIZER;
int main(void) {
#ifdef HELD
    pthread_rwlock_rdlock(&lk);
#endif
    pthread_rwlock_destroy(&lk); // @destroys
    pthread_rwlock_rdlock(&lk); // @use
}
//// A lock empties the store buffer.
//// check: safe
static pthread_rwlock_t lk = PTHREAD_RWLOCK_INITIALIZER;
static int x, y, a, b;
THREAD(first) {
    x = 1;
    pthread_rwlock_rdlock(&lk);
    a = y;
    return 0;
}
THREAD(second) {
    y = 1;
    pthread_rwlock_rdlock(&lk);
    b = x;
    return 0;
}
int main(void) {
    both(first, second);
    assert(a == 1 || b == 1);
}
//// Attributes can be read back; a wrong value is refused with EINVAL.
//// check: safe
int main(void) {
    pthread_rwlockattr_t attr;
    int value;
    assert(pthread_rwlockattr_init(&attr) == 0);
    assert(pthread_rwlockattr_setpshared(&attr, 9) == EINVAL);
    assert(pthread_rwlockattr_setpshared(&attr, PTHREAD_PROCESS_SHARED) == 0);
    assert(pthread_rwlockattr_getpshared(&attr, &value) == 0 && value == PTHREAD_PROCESS_SHARED);
    assert(pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_WRITER_NP) == 0);
    assert(pthread_rwlockattr_getkind_np(&attr, &value) == 0 && value == PTHREAD_RWLOCK_PREFER_WRITER_NP);
    assert(pthread_rwlockattr_destroy(&attr) == 0);
}
//// A thread that holds the lock for writing and locks it again may be told so, or block for ever.
//// check -DCALL=pthread_rwlock_rdlock(&lock_): unsafe assertion == 0
//// check -DCALL=pthread_rwlock_wrlock(&lock_): unsafe assertion == 0
//// check -DCALL=pthread_rwlock_timedrdlock(&lock_,&soon): unsafe assertion == 0
//// check -DCALL=pthread_rwlock_timedwrlock(&lock_,&soon): unsafe assertion == 0
//// check -e events -DCALL=pthread_rwlock_rdlock(&lock_): unsafe assertion == 0
//// check -e states -DCALL=pthread_rwlock_wrlock(&lock_): unsafe assertion == 0
//// check -DTOLD -DCALL=pthread_rwlock_rdlock(&lock_): safe
//// check -DTOLD -DCALL=pthread_rwlock_wrlock(&lock_): safe
//// check --deadlock -DTOLD -DCALL=pthread_rwlock_wrlock(&lock_): unsafe deadlock
//// check --deadlock -DTOLD -DCALL=pthread_rwlock_timedwrlock(&lock_,&soon): safe
static pthread_rwlock_t lock_ = PTHREAD_RWLOCK_INITIALIZER;
int main(void) {
    pthread_rwlock_wrlock(&lock_);
#ifdef TOLD
    assert(CALL == EDEADLK);
#else
    assert(CALL == 0);
#endif
}
//// Locks that prefer writers are not modelled.
//// check -DINIT: unknown prefers writers
//// check: unknown prefers writers
//// check -e events: unknown prefers writers
#ifdef INIT
static pthread_rwlock_t first;
#else
static pthread_rwlock_t first = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
#endif
int main(void) {
#ifdef INIT
    pthread_rwlockattr_t attr;
    pthread_rwlockattr_init(&attr);
    pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&first, &attr);
#endif
    pthread_rwlock_rdlock(&first);
}
