/* What getopt leaves behind, as it is before the first call. */
char *optarg = 0;
int optind = 1;
int opterr = 1;
int optopt = '?';
