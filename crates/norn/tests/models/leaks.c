//// Memory that is not freed is no leak while something points to it.
//// check --memory-leak: safe
//// check --memory-leak -e states: safe
//// check --memory-leak -e stateless: safe
static char *kept, *inside, *behind;
static unsigned long number;
int main(void) {
    kept = malloc(4);
    inside = (char *)malloc(4) + 2;
    behind = (char *)malloc(4) + 4;
    number = (unsigned long)malloc(4) | 1;
}
//// It is one once the last pointer is overwritten.
//// check --memory-leak: unsafe memory-leak nothing points to '*malloc @LOST
//// check --memory-leak -e states: unsafe memory-leak nothing points to '*malloc @LOST
//// check --memory-leak -e stateless: unsafe memory-leak nothing points to '*malloc @LOST
//// check -e states: safe
static char *kept;
int main(void) {
    kept = malloc(4); // @LOST
    kept = 0;
}
//// Lists are followed; a list that nothing points to is lost as a whole, even if it is a ring.
//// check --memory-leak: safe
//// check --memory-leak -e states: safe
//// check --memory-leak -e stateless: safe
//// check --memory-leak -D LOSE: unsafe memory-leak
//// check --memory-leak -D LOSE -e states: unsafe memory-leak
//// check --memory-leak -D LOSE -e stateless: unsafe memory-leak
struct node { struct node *next; int value; };
static struct node *list;
int main(void) {
    struct node *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    a->next = b;
    b->next = a;
    list = a;
#ifdef LOSE
    list = 0;
#endif
}
//// Main's own variables are gone when it has returned, but not when it calls exit; what abort leaves is no leak.
//// check --memory-leak -D LEAVE=return: unsafe memory-leak @MAIN
//// check --memory-leak -D LEAVE=return -e states: unsafe memory-leak @MAIN
//// check --memory-leak -D LEAVE=return -e stateless: unsafe memory-leak @MAIN
//// check --memory-leak -D LEAVE=exit: safe
//// check --memory-leak -D LEAVE=exit -e states: safe
//// check --memory-leak -D LEAVE=exit -e stateless: safe
//// check --memory-leak -D LEAVE=stop: safe
//// check --memory-leak -D LEAVE=stop -e states: safe
static void stop(int status) {
    (void)status;
    abort();
}
int main(void) {
    char *volatile own = malloc(4); // @MAIN
    *own = 1;
    if (*own == 1)
        LEAVE (0);
    stop(0);
}
//// Two threads that both set a pointer lose what the first has made.
//// check --memory-leak: unsafe memory-leak
//// check --memory-leak -e states: unsafe memory-leak
//// check --memory-leak -e stateless: unsafe memory-leak
//// check --memory-leak -e sample: unsafe memory-leak
//// check --memory-leak -e auto: unsafe memory-leak
//// check --memory-leak -e events: unknown does not look for memory leaks
//// check --memory-leak -e rounds: unknown does not look for memory leaks
static char *_Atomic one;
THREAD(sets) {
    char *mine = malloc(1);
    if (!one)
        one = mine;
    else
        free(mine);
    return 0;
}
int main(void) {
    pthread_t first = start(sets), second = start(sets);
    finish(first);
    finish(second);
    free(one);
}
//// With a compare-and-exchange they do not.
//// check --memory-leak: safe
//// check --memory-leak -e states: safe
//// check --memory-leak -e stateless: safe
//// check --memory-leak -e auto: safe
static char *_Atomic one;
THREAD(sets) {
    char *mine = malloc(1), *none = 0;
    if (!atomic_compare_exchange_strong(&one, &none, mine))
        free(mine);
    return 0;
}
int main(void) {
    pthread_t first = start(sets), second = start(sets);
    finish(first);
    finish(second);
    free(one);
}
