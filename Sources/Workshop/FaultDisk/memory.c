#include "fault_memory.h"
#include <sqlite3.h>

/* What SQLite takes memory from otherwise. */
static sqlite3_mem_methods usual;
static int is_installed;

static _Thread_local struct {
    uint64_t count, spared, failing, failures;
    int is_sparing;
} order;

static int fails(void) {
    if (order.is_sparing) return 0;
    order.count++;
    if (order.spared > 0) {
        order.spared--;
        return 0;
    }
    if (order.failing == 0) return 0;
    order.failing--;
    order.failures++;
    return 1;
}

static void *take(int count) { return fails() ? 0 : usual.xMalloc(count); }

static void *resize(void *old, int count) { return fails() ? 0 : usual.xRealloc(old, count); }

/* Before anybody can have used SQLite: later it takes no other memory. */
__attribute__((constructor)) static void install(void) {
    if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &usual) != SQLITE_OK) return;
    sqlite3_mem_methods methods = usual;
    methods.xMalloc = take;
    methods.xRealloc = resize;
    is_installed = sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) == SQLITE_OK;
}

int fault_memory_is_installed(void) { return is_installed; }

void fault_memory_fail(uint64_t after, uint64_t times) {
    order.count = order.failures = 0;
    order.spared = after;
    order.failing = times;
}

uint64_t fault_memory_count(void) { return order.count; }

uint64_t fault_memory_failures(void) { return order.failures; }

int fault_memory_spare(int is_sparing) {
    int before = order.is_sparing;
    order.is_sparing = is_sparing;
    return before;
}
