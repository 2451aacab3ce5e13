#pragma once
#ifdef __linux__
#include <linux/stat.h>
#include <malloc.h> /* mallopt, which Swift's Glibc module leaves out */
#include <sys/syscall.h>
#include <sys/vfs.h> /* statfs, which it leaves out, too */
#include <unistd.h>

#ifndef AT_FDCWD
#define AT_FDCWD -100 /* <fcntl.h> would define `struct stat` a second time for Swift */
#endif

/* When a file was made, in nanoseconds since 1970 UTC; 0 where the file system does not say. Swift
   cannot call `syscall`, which is variadic. */
static inline long long macrolog_birth(const char *path) {
    struct statx status;
    if (syscall(SYS_statx, AT_FDCWD, path, 0, STATX_BTIME, &status) != 0) return 0;
    if (!(status.stx_mask & STATX_BTIME)) return 0;
    return status.stx_btime.tv_sec * 1000000000LL + status.stx_btime.tv_nsec;
}
#endif
