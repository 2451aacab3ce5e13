#pragma once
#include <zxcvbn.h>

/* The functions of libzxcvbn, which is opened when it is first needed. */
struct macrolog_zxcvbn {
    __typeof__(&ZxcvbnMatch) match;
    __typeof__(&ZxcvbnFreeInfo) free_info;
};
