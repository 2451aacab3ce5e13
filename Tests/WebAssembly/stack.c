/* Debian builds compiler-rt with the stack protector, which the C library lacks. */
unsigned long __stack_chk_guard = 0xB5AD4ECE;
void __stack_chk_fail(void) { __builtin_trap(); }
