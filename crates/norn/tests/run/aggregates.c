// Structs, unions and arrays: copying, passing, returning, nesting, anonymous members, initialisers, literals.
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct point {
    int x, y;
};
struct shape {
    char name[6];
    struct point corners[3];
    union {
        int count;
        unsigned char raw[4];
    };
    struct {
        short depth;
        long weight;
    };
};
union number {
    int i;
    float f;
    unsigned char bytes[8];
    struct point p;
};
struct chain {
    int value;
    struct chain *next;
};
struct tail {
    int length;
    short items[];
};

static struct shape table[] = {
    [2] = {"third", .corners = {[1] = {5, 6}, {7}}, .count = 0x01020304},
    {.name = "last", .depth = -3, .weight = 1L << 40},
    [0].corners[2].y = 9,
    [0].name = {'f', 'i', [4] = 't'},
};
static int grid[][3] = {{1}, {2, 3}, 4, 5, 6, [4] = {[1] = 7}};
static const char *words[] = {"one", "two" "three", [3] = "four"};

static struct shape moved(struct shape s, struct point by)
{
    for (int i = 0; i < 3; i++)
        s.corners[i].x += by.x, s.corners[i].y += by.y;
    s.name[0] = 'M';
    return s;
}

static struct point swapped(struct point p) { return (struct point){p.y, p.x}; }
static union number as_float(float f) { return (union number){.f = f}; }
static int sum(int n, const int a[static 1]) { return n ? *a + sum(n - 1, a + 1) : 0; }

static void show(const char *what, const struct shape *s)
{
    printf("%s: [%.6s]", what, s->name);
    for (int i = 0; i < 3; i++)
        printf(" (%d,%d)", s->corners[i].x, s->corners[i].y);
    printf(" %x %d %ld\n", s->count, s->depth, s->weight);
}

int main(void)
{
    printf("sizes: %lu %lu %lu %lu %lu\n", sizeof(struct shape), sizeof table, sizeof grid, sizeof words,
           sizeof(struct tail));
    printf("offsets: %lu %lu %lu\n", offsetof(struct shape, corners[1].y), offsetof(struct shape, raw[2]),
           offsetof(struct shape, weight));
    for (int i = 0; i < 4; i++)
        show("table", &table[i]);
    struct shape s = moved(table[2], (struct point){10, -10});
    show("moved", &s);
    show("kept", &table[2]);
    table[1] = table[3], table[1].weight--;
    show("copied", &table[1]);
    show("nested", &(struct shape){.corners[1] = swapped((struct point){1, 2}), .weight = -1});
    printf("member of call: %d %d\n", swapped((struct point){3, 4}).x, moved(s, s.corners[1]).corners[2].y);
    printf("raw: %d %d\n", table[2].raw[0], table[2].raw[3]);
    union number n = as_float(-1.5f);
    printf("union: %08x %d\n", n.i, n.bytes[3]);
    n.p = (struct point){1, 2};
    n.bytes[4] = 0xff;
    printf("union: %d %d\n", n.p.x, n.p.y);
    for (int i = 0; i < 5; i++)
        printf("grid: %d %d %d\n", grid[i][0], grid[i][1], grid[i][2]);
    int (*row)[3] = grid + 1;
    printf("rows: %d %d %ld\n", (*row)[1], row[1][2], (long)(&grid[4] - row));
    printf("words: %s %s %d %s\n", words[0], words[1], words[2] == NULL, words[3]);
    printf("literal: %d\n", sum(4, (int[]){1, 20, 300, 4000}));
    struct chain c = {3, NULL}, b = {2, &c}, a = {1, &b};
    for (struct chain *at = &a; at; at = at->next)
        printf("chain: %d\n", at->value);
    struct chain *middle = a.next;
    *middle = (struct chain){middle->value * 10, middle->next->next};
    printf("chain: %d %d\n", b.value, b.next == NULL);
    struct point array[2] = {{1, 2}, {3, 4}}, other[2];
    memcpy(other, array, sizeof other);
    array[0] = array[1];
    printf("arrays: %d %d %d\n", array[0].x, other[0].x, memcmp(array, other, sizeof array) > 0);
    char text[8] = "abc", exact[3] = "xyz";
    printf("text: %s %d %.3s\n", text, text[7], exact);
    int indexed = 1, list[] = {indexed, indexed + 1, indexed ? 7 : 8, [5] = -indexed};
    printf("list: %d %d %d %d %d\n", list[1], list[2], list[4], list[5], (int)(sizeof list / sizeof *list));
    printf("swap indices: %d %c\n", 2 [list], 1 ["hello"]);
    struct point loop[3];
    for (int i = 0; i < 3; i++)
        loop[i] = i ? loop[i - 1] : (struct point){i, i + 1}, loop[i].x++;
    printf("loop: %d %d\n", loop[2].x, loop[2].y);
    struct point chosen = s.depth ? array[0] : other[0];
    printf("chosen: %d", chosen.x);
    printf(" %d\n", (chosen = other[1]).y);
    return 0;
}
