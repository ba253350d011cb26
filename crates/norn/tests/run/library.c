// Models of library functions: strings, memory, numbers in text, sorting, allocation, formatted text.
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static int sign(int x) { return (x > 0) - (x < 0); }

int main(void)
{
    char text[32] = "weave";
    printf("string: %lu", strlen(text));
    printf(" %s", strcat(text, "r's "));
    printf(" %s", strncat(text, "threads", 3));
    printf(" %s\n", strcpy(text + 2, "ll"));
    printf("compare: %d %d %d %d\n", sign(strcmp("abc", "abd")), sign(strcmp("b", "a")), strcmp("", ""),
           sign(strncmp("abcd", "abzz", 2)));
    printf("compare: %d\n", sign(strcmp("\xff", "a")));
    const char *found = strchr("a/b/c", '/');
    printf("search: %s %s %d\n", found, strrchr("a/b/c", '/'), strchr("abc", 'x') == NULL);
    printf("search: %s %lu %lu\n", strstr("the needle here", "needle"), strspn("aabbc", "ab"), strcspn("hello", "l"));
    char padded[6];
    strncpy(padded, "ab", sizeof padded);
    printf("padded: %s %d\n", padded, padded[5]);
    int numbers[] = {42, -7, 19, 0, 19, INT_MIN, 3};
    const int count = sizeof numbers / sizeof *numbers;
    qsort(numbers, count, sizeof *numbers, by_value);
    printf("sorted:");
    for (int i = 0; i < count; i++)
        printf(" %d", numbers[i]);
    int key = 42, missing = 4;
    int *at = bsearch(&key, numbers, count, sizeof *numbers, by_value);
    printf("\nbsearch: %ld %d\n", at ? (long)(at - numbers) : -1,
           bsearch(&missing, numbers, count, sizeof *numbers, by_value) == NULL);
    const char *names[] = {"urd", "verdandi", "skuld"};
    qsort(names, 3, sizeof *names, by_name);
    printf("names: %s %s %s\n", names[0], names[1], names[2]);

    char *end;
    printf("strtol: %ld", strtol("  -42abc", &end, 10));
    printf(" [%s]", end);
    printf(" %ld", strtol("0x1F", NULL, 16));
    printf(" %ld", strtol("0x1g", &end, 0));
    printf(" [%s]", end);
    printf(" %ld %ld\n", strtol("0755", NULL, 0), strtol("zz", NULL, 36));
    errno = 0;
    printf("strtol: %d", strtol("99999999999999999999", NULL, 10) == LONG_MAX);
    printf(" %d\n", errno == ERANGE);
    printf("strtoul: %lu %lu\n", strtoul("4294967295", NULL, 10), strtoul("-1", NULL, 10));
    printf("atoi: %d %ld %d\n", atoi("123x"), atol("-9"), atoi("x"));
    printf("abs: %d %ld\n", abs(-5), labs(-6L));
    div_t quotient = div(-7, 2);
    printf("div: %d %d\n", quotient.quot, quotient.rem);

    char *memory = malloc(8);
    memset(memory, 'x', 7);
    memory[7] = 0;
    memory = realloc(memory, 16);
    memmove(memory + 2, memory, 8);
    memcpy(memory, "01", 2);
    printf("memory: %s %d %d\n", memory, memcmp(memory, "01x", 3), memchr(memory, 'x', 16) == memory + 2);
    free(memory);
    int *zeros = calloc(4, sizeof *zeros);
    printf("calloc: %d\n", zeros[0] | zeros[3]);
    free(zeros);
    char *copy = strdup("copy");
    printf("strdup: %s\n", copy);
    free(copy);

    char buffer[16];
    int length = snprintf(buffer, sizeof buffer, "%d-%s", 12345, "abcdefghijkl");
    printf("snprintf: %s %d\n", buffer, length);
    length = snprintf(NULL, 0, "%5d|%x", 7, 255);
    printf("snprintf: %d\n", length);
    length = sprintf(buffer, "%c%c%%", 'o', 'k');
    printf("sprintf: %s %d\n", buffer, length);
    snprintf(buffer, sizeof buffer, "%03d %-4d|%+d", 7, 8, 9);
    printf("snprintf: %s\n", buffer);

    printf("ctype: %d %d %d %d\n", !!isdigit('7'), !!isalpha('7'), !!isspace('\t'), !!isupper('a'));
    printf("ctype: %c %c %c\n", toupper('q'), tolower('Q'), toupper('3'));
    puts("puts");
    putchar('c');
    putchar('\n');
    fprintf(stdout, "fprintf: %s\n", "out");
    fputs("fputs\n", stdout);
    return 0;
}
