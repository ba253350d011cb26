/* Structs go member by member, bit-fields by their unit, large arrays by a loop. */
struct pair { char c; int i; };
struct bits { unsigned lo : 3; int hi : 5; unsigned char rest; };
union mixed { int i; char c[6]; };
union same { int *p; struct { char *q; } s; };
struct big { int head; int data[200]; };
struct pair gp; struct bits gb; union mixed gm; union same gs; struct big gg;
struct pair make(struct pair p, int i) { p.i = i; return p; }
int main(void) {
    struct pair a = {1}, b;
    struct bits c = {.hi = -1};
    struct big d = {7};
    char text[6] = "hi";
    b = a;
    b = make(a, 3);
    gp = b;
    c.lo = 5;
    int hi = c.hi;
    gb = c;
    union mixed m = gm;
    union same s = gs;
    gg = d;
    return make(b, 4).i + hi + text[0] + m.i + *s.p;
}
