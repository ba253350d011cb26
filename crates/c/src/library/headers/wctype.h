#ifndef __NORN_WCTYPE_H
#define __NORN_WCTYPE_H
#include <features.h>
#include <wchar.h>
typedef unsigned long wctype_t;
typedef const int *wctrans_t;
/* No model: a call of these is reported by name. */
int iswalnum(wint_t character);
int iswalpha(wint_t character);
int iswblank(wint_t character);
int iswcntrl(wint_t character);
int iswdigit(wint_t character);
int iswgraph(wint_t character);
int iswlower(wint_t character);
int iswprint(wint_t character);
int iswpunct(wint_t character);
int iswspace(wint_t character);
int iswupper(wint_t character);
int iswxdigit(wint_t character);
wint_t towlower(wint_t character);
wint_t towupper(wint_t character);
#endif
