//// Options are taken from the words as GNU does it: operands come last, and arguments stand behind or beside their letter.
//// check -m sc: safe
//// check -m sc -e events: safe
//// check -m sc -e states: safe
//// check -m sc -DWRONG: unsafe assertion optind == 6
int main(void) {
    char *words[] = { "p", "one", "-ab", "five", "-c", "two", 0 };
    assert(getopt(6, words, "ab:c") == 'a' && !optarg);
    assert(getopt(6, words, "ab:c") == 'b' && strcmp(optarg, "five") == 0);
    assert(getopt(6, words, "ab:c") == 'c');
    assert(getopt(6, words, "ab:c") == -1);
#ifdef WRONG
    assert(optind == 6);
#endif
    assert(optind == 4 && strcmp(words[4], "one") == 0 && strcmp(words[5], "two") == 0);
}
//// What is no option, and what lacks its argument. Two dashes end the options, and so may the first operand.
//// check -m sc: safe
int main(void) {
    char *words[] = { "p", "-x", "-bvalue", "-b", 0 };
    assert(getopt(4, words, "ab:") == '?' && optopt == 'x');
    assert(getopt(4, words, "ab:") == 'b' && strcmp(optarg, "value") == 0);
    assert(getopt(4, words, "ab:") == '?' && optopt == 'b');
    assert(getopt(4, words, "ab:") == -1 && optind == 4);
    optind = 3;
    assert(getopt(4, words, ":ab:") == ':');
    char *dashes[] = { "p", "one", "-a", "--", "-a", 0 };
    optind = 1;
    assert(getopt(5, dashes, "a") == 'a' && getopt(5, dashes, "a") == -1);
    assert(optind == 3 && strcmp(dashes[3], "one") == 0 && strcmp(dashes[4], "-a") == 0);
    char *strict[] = { "p", "one", "-a", 0 };
    optind = 0;
    assert(getopt(3, strict, "+a") == -1 && optind == 1);
    assert(getopt(3, strict, "-a") == 1 && strcmp(optarg, "one") == 0);
}
//// Long options, whole or by their beginning.
//// check -m sc: safe
//// check -m sc -e events: safe
#include <getopt.h>
static int flag;
static const struct option names[] = { { "size", required_argument, 0, 's' },
                                       { "verbose", no_argument, &flag, 7 },
                                       { "version", optional_argument, 0, 'v' },
                                       { 0, 0, 0, 0 } };
static int next(int count, char **words) {
    return getopt_long(count, words, "s:", names, 0);
}
int main(void) {
    char *words[] = { "p", "--size", "4", "one", "--verb", "--size=5", "--version", "--ver", "--none", "-s6", "--verbose=1", 0 };
    int index = 9;
    assert(getopt_long(11, words, "s:", names, &index) == 's' && strcmp(optarg, "4") == 0 && index == 0);
    assert(next(11, words) == 0 && flag == 7);
    assert(next(11, words) == 's' && strcmp(optarg, "5") == 0);
    assert(next(11, words) == 'v' && !optarg);
    assert(next(11, words) == '?' && next(11, words) == '?');
    assert(next(11, words) == 's' && strcmp(optarg, "6") == 0);
    assert(next(11, words) == '?' && optopt == 7);
    assert(next(11, words) == -1 && optind == 10 && strcmp(words[10], "one") == 0);
}
//// Any option may be given on the command line.
//// check -e events -m sc --unwind 3: unsafe assertion 0 @given
int main(int count, char **words) {
    if (getopt(count, words, "v") == 'v')
        assert(0); // @given
}
