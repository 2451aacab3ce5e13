#pragma once
#ifdef __linux__
#include <crypt.h>

/* The function of libcrypt, which is opened when it is first needed. */
struct macrolog_crypt {
    __typeof__(&crypt_rn) hash;
};
#endif
