#ifndef __NORN_PWD_H
#define __NORN_PWD_H
#include <features.h>
#include <sys/types.h>
struct passwd { char *pw_name, *pw_passwd; uid_t pw_uid; gid_t pw_gid; char *pw_gecos, *pw_dir, *pw_shell; };
/* No model: a call of these is reported by name. */
struct passwd *getpwuid(uid_t user);
struct passwd *getpwnam(const char *name);
#endif
