/* Options of the command line, as GNU's getopt takes them: operands move behind the options, unless the list of options begins with
   '+'. Messages are not printed. */
#include <getopt.h>
#include <string.h>

/* What is left of a word with several options, and how many operands lie between that word and its argument. */
static char *rest;
static int passed;

static void bring(char **words, int from, int to) {
    char *word = words[from];
    for (; from > to; from--)
        words[from] = words[from - 1];
    words[to] = word;
}

static void end_word(int used) {
    rest = 0;
    optind += used;
}

/* The word behind the current one, as its argument. */
static char *next_word(int count, char **words) {
    int from = optind + 1 + passed;
    if (from >= count) {
        end_word(1);
        return 0;
    }
    bring(words, from, optind + 1);
    char *word = words[optind + 1];
    end_word(2);
    return word;
}

static int missing(const char *options) {
    return *options == ':' ? ':' : '?';
}

static int read_short(int count, char **words, const char *options) {
    char c = *rest++;
    const char *found = c == ':' || c == ';' ? 0 : strchr(options, c);
    if (!found || found[1] != ':') {
        if (!*rest)
            end_word(1);
        if (found)
            return c;
        optopt = c;
        return '?';
    }
    if (*rest || found[2] == ':') {
        optarg = *rest ? rest : 0;
        end_word(1);
        return c;
    }
    optarg = next_word(count, words);
    if (optarg)
        return c;
    optopt = c;
    return missing(options);
}

/* The number of the long option, -1 if there is none, -2 if the beginning fits several that differ. */
static int find_long(const char *word, size_t length, const struct option *names) {
    int found = -1;
    for (int i = 0; names[i].name; i++) {
        if (strncmp(names[i].name, word, length) != 0)
            continue;
        if (names[i].name[length] == 0)
            return i;
        if (found == -1)
            found = i;
        else if (found >= 0 && (names[i].has_arg != names[found].has_arg || names[i].flag != names[found].flag ||
                                names[i].val != names[found].val))
            found = -2;
    }
    return found;
}

static int read_long(int count, char **words, const char *options, const struct option *names, int *index, int number,
                     char *value) {
    const struct option *option = &names[number];
    if (value && option->has_arg == no_argument) {
        optopt = option->val;
        end_word(1);
        return '?';
    }
    if (value || option->has_arg != required_argument) {
        optarg = value;
        end_word(1);
    } else {
        optarg = next_word(count, words);
        if (!optarg) {
            optopt = option->val;
            return missing(options);
        }
    }
    if (index)
        *index = number;
    if (!option->flag)
        return option->val;
    *option->flag = option->val;
    return 0;
}

static int next_option(int count, char **words, const char *options, const struct option *names, int *index, _Bool only) {
    char order = *options;
    if (order == '+' || order == '-')
        options++;
    optarg = 0;
    if (optind == 0) {
        optind = 1;
        rest = 0;
    }
    if (rest)
        return read_short(count, words, options);
    passed = 0;
    int at = optind;
    while (at < count && (words[at][0] != '-' || !words[at][1])) {
        if (order == '+')
            return -1;
        if (order == '-') {
            optarg = words[optind++];
            return 1;
        }
        at++;
    }
    if (at >= count)
        return -1;
    bring(words, at, optind);
    passed = at - optind;
    char *word = words[optind];
    if (word[1] == '-' && !word[2]) {
        end_word(1);
        return -1;
    }
    if (names && (word[1] == '-' || (only && (word[2] || !strchr(options, word[1]))))) {
        char *name = word + (word[1] == '-' ? 2 : 1);
        size_t length = strcspn(name, "=");
        int number = find_long(name, length, names);
        if (number >= 0)
            return read_long(count, words, options, names, index, number, name[length] ? name + length + 1 : 0);
        if (word[1] == '-' || number == -2 || !strchr(options, word[1])) {
            optopt = 0;
            end_word(1);
            return '?';
        }
    }
    rest = word + 1;
    return read_short(count, words, options);
}

int getopt(int count, char *const arguments[], const char *options) {
    return next_option(count, (char **)arguments, options, 0, 0, 0);
}

int getopt_long(int count, char *const arguments[], const char *options, const struct option *names, int *index) {
    return next_option(count, (char **)arguments, options, names, index, 0);
}

int getopt_long_only(int count, char *const arguments[], const char *options, const struct option *names, int *index) {
    return next_option(count, (char **)arguments, options, names, index, 1);
}
