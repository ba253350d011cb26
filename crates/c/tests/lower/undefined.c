/* Reaching a function without a body makes the verdict unknown. */
int missing(int);
extern int nowhere;
void after(void);
int (*address)(int) = missing;
int main(int argc, char **argv) {
    if (argc > 3)
        return nowhere;
    if (argc > 2)
        after();
ERROR:
    return missing(argc);
}
