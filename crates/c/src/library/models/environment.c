/* The list of environment variables. What it contains is not modelled. */
#include <norn.h>
#include <stddef.h>

static char *variables[1];
char **environ = variables;
char **__environ = variables;

static void refuse(void) __attribute__((constructor));

static void refuse(void) {
    __norn_unsupported("the contents of 'environ'");
}
