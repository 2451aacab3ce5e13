#pragma once
#include <curl/curl.h>

/* Only what Swift cannot import: curl_easy_setopt and curl_easy_getinfo are variadic. The names in
   parentheses keep curl's type-checking macros away. */

static inline CURLcode macrolog_curl_set_number(CURL *curl, CURLoption option, long value) {
    return (curl_easy_setopt)(curl, option, value);
}

static inline CURLcode macrolog_curl_set_size(CURL *curl, CURLoption option, curl_off_t value) {
    return (curl_easy_setopt)(curl, option, value);
}

static inline CURLcode macrolog_curl_set_text(CURL *curl, CURLoption option, const char *value) {
    return (curl_easy_setopt)(curl, option, value);
}

static inline CURLcode macrolog_curl_set_pointer(CURL *curl, CURLoption option, void *value) {
    return (curl_easy_setopt)(curl, option, value);
}

/* Hands each line of the head, and each piece of the body, to a function together with `to`. */
static inline void macrolog_curl_set_sinks(
    CURL *curl, curl_write_callback head, curl_write_callback body, void *to) {
    (curl_easy_setopt)(curl, CURLOPT_HEADERFUNCTION, head);
    (curl_easy_setopt)(curl, CURLOPT_HEADERDATA, to);
    (curl_easy_setopt)(curl, CURLOPT_WRITEFUNCTION, body);
    (curl_easy_setopt)(curl, CURLOPT_WRITEDATA, to);
}

/* Asks a function for each piece of a body to be sent, and another to begin anew. */
static inline void macrolog_curl_set_source(
    CURL *curl, curl_read_callback read, curl_seek_callback seek, void *from) {
    (curl_easy_setopt)(curl, CURLOPT_READFUNCTION, read);
    (curl_easy_setopt)(curl, CURLOPT_READDATA, from);
    (curl_easy_setopt)(curl, CURLOPT_SEEKFUNCTION, seek);
    (curl_easy_setopt)(curl, CURLOPT_SEEKDATA, from);
}
