/* The time zone is UTC. */
char *tzname[2] = { "UTC", "UTC" };
long timezone = 0;
int daylight = 0;
