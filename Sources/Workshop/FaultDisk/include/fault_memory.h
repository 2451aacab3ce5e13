#pragma once
#include <stdint.h>

/* Memory that SQLite asks for in vain, on order and of one thread, for the simulation only. What it
   takes from pieces that it has already does not count. */

/* Whether this process's SQLite asks here at all. */
int fault_memory_is_installed(void);
/* Lets requests of this thread fail, after so many that are spared. Counts begin anew. */
void fault_memory_fail(uint64_t after, uint64_t times);
/* How many requests there were since then. */
uint64_t fault_memory_count(void);
/* How many of them have failed. */
uint64_t fault_memory_failures(void);
/* Whether requests of this thread neither fail nor count from now on; returns what was so before. */
int fault_memory_spare(int is_sparing);
