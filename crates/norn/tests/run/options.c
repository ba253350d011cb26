/* The words of a command line: options, their arguments, and operands, which move behind them. */
#include <getopt.h>
#include <stdio.h>
#include <unistd.h>
#define N(a) (int)(sizeof a/sizeof*a-1)
static int flag;
static const struct option names[] = { { "size", 1, 0, 's' }, { "verbose", 0, &flag, 7 }, { "version", 2, 0, 'v' }, { 0, 0, 0, 0 } };
static void run(int n, char **w, const char *o, int kind) {
    int r, idx = -1; optind = 0; opterr = 0;
    for (int k = 0; k < 12; k++) {
        r = kind == 0 ? getopt(n, w, o) : kind == 1 ? getopt_long(n, w, o, names, &idx) : getopt_long_only(n, w, o, names, &idx);
        printf("%d %s %d", r, optarg ? optarg : "-", r == '?' || r == ':' ? optopt : 0);
        printf(" %d\n", idx);
        if (r == -1) break;
    }
    printf("ind %d:", optind);
    for (int i = 1; i < n; i++) printf(" %s", w[i]);
    printf(" flag %d\n", flag); flag = 0;
}
int main(void) {
    char *a[] = { "p", "one", "-ab", "five", "-c", "two", 0 }; run(N(a), a, "ab:c", 0);
    char *b[] = { "p", "-x", "-bvalue", "-b", 0 }; run(N(b), b, "ab:", 0);
    char *c[] = { "p", "one", "-a", "--", "-a", 0 }; run(N(c), c, "a", 0);
    char *d[] = { "p", "one", "-a", 0 }; run(N(d), d, "+a", 0);
    char *e[] = { "p", "one", "-a", "x", 0 }; run(N(e), e, "-a", 0);
    char *f[] = { "p", "--size", "4", "one", "--verb", "--size=5", "--version", "--ver", "--none", "-s6", "--verbose=1", 0 }; run(N(f), f, "s:", 1);
    char *g[] = { "p", "x", "--size", 0 }; run(N(g), g, ":s:", 1);
    char *h[] = { "p", "-size", "4", "q", "-s", "7", "-verbose", "-version=3", "-z", "-zz", 0 }; run(N(h), h, "s:z", 2);
    char *i[] = { "p", "-a::", "-", "-d", "-dx", "--", "k", 0 }; run(N(i), i, "ad::", 0);
    char *j[] = { "p", "m", "n", "-b", "v", "o", "-ab", "w", "q", 0 }; run(N(j), j, ":ab:", 0);
}
