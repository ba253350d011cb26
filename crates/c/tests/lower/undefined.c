/* Reaching a function without a body makes the verdict unknown; the reason is said where it is known. */
int missing(int);
void after(void);
int pthread_kill(unsigned long);
int dead(void);
int elsewhere(void);
int (*address)(int) = missing;
int main(int argc, char **argv) {
    if (argc > 3)
        return pthread_kill(0);
    if (argc > 2) {
        after();
        after();
    }
    if (0)
        dead();
ERROR:
    return missing(argc);
}
int not_called(void) { return elsewhere(); }
