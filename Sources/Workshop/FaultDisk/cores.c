#define _GNU_SOURCE
#include "cores.h"

#if defined(__linux__)
#include <sched.h>

static _Thread_local cpu_set_t all;

void core_stay(int number) {
    if (sched_getaffinity(0, sizeof all, &all) != 0) return;
    int count = CPU_COUNT(&all);
    if (count == 0) return;
    number %= count;
    for (int core = 0; core < CPU_SETSIZE; core++) {
        if (!CPU_ISSET(core, &all) || number-- > 0) continue;
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(core, &one);
        sched_setaffinity(0, sizeof one, &one);
        return;
    }
}

void core_leave(void) {
    if (CPU_COUNT(&all) > 0) sched_setaffinity(0, sizeof all, &all);
}
#else
void core_stay(int number) { (void)number; }
void core_leave(void) {}
#endif
