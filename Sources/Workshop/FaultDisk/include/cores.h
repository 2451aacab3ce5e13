#pragma once

/* Keeps this thread, and those that it will start, on one of the cores that it may use; the order
   of the cores is the system's, and goes round. Does nothing where the system does not know how. */
void core_stay(int number);

/* Lets this thread use all cores again that it might use before `core_stay`. */
void core_leave(void);
