#pragma once
#include <curl/curl.h>
#include <netinet/in.h>
#include <sys/socket.h>

/* The functions of libcurl, which is opened when it is first needed. Each has the type that curl's
   header declares; `easy_setopt` is variadic, which Swift cannot call. */
struct macrolog_curl {
    __typeof__(&curl_global_init) global_init;
    __typeof__(&curl_easy_init) easy_init;
    __typeof__(&curl_easy_cleanup) easy_cleanup;
    __typeof__(&curl_easy_strerror) easy_strerror;
    void *easy_setopt;
    __typeof__(&curl_slist_append) slist_append;
    __typeof__(&curl_slist_free_all) slist_free_all;
    __typeof__(&curl_multi_init) multi_init;
    __typeof__(&curl_multi_cleanup) multi_cleanup;
    __typeof__(&curl_multi_add_handle) multi_add_handle;
    __typeof__(&curl_multi_remove_handle) multi_remove_handle;
    __typeof__(&curl_multi_perform) multi_perform;
    __typeof__(&curl_multi_info_read) multi_info_read;
    __typeof__(&curl_multi_poll) multi_poll;
    __typeof__(&curl_multi_wakeup) multi_wakeup;
};

typedef CURLcode (*macrolog_curl_setopt)(CURL *, CURLoption, ...);

static inline CURLcode macrolog_curl_set_number(
    void *setopt, CURL *curl, CURLoption option, long value) {
    return ((macrolog_curl_setopt)setopt)(curl, option, value);
}

static inline CURLcode macrolog_curl_set_size(
    void *setopt, CURL *curl, CURLoption option, curl_off_t value) {
    return ((macrolog_curl_setopt)setopt)(curl, option, value);
}

static inline CURLcode macrolog_curl_set_text(
    void *setopt, CURL *curl, CURLoption option, const char *value) {
    return ((macrolog_curl_setopt)setopt)(curl, option, value);
}

static inline CURLcode macrolog_curl_set_pointer(
    void *setopt, CURL *curl, CURLoption option, void *value) {
    return ((macrolog_curl_setopt)setopt)(curl, option, value);
}

/* Hands each line of the head, and each piece of the body, to a function together with `to`. */
static inline void macrolog_curl_set_sinks(
    void *setopt, CURL *curl, curl_write_callback head, curl_write_callback body, void *to) {
    ((macrolog_curl_setopt)setopt)(curl, CURLOPT_HEADERFUNCTION, head);
    ((macrolog_curl_setopt)setopt)(curl, CURLOPT_HEADERDATA, to);
    ((macrolog_curl_setopt)setopt)(curl, CURLOPT_WRITEFUNCTION, body);
    ((macrolog_curl_setopt)setopt)(curl, CURLOPT_WRITEDATA, to);
}

/* The bytes of the address that curl wants to connect to; none for another family. */
static inline const unsigned char *macrolog_curl_address(
    const struct curl_sockaddr *at, size_t *count) {
    const struct sockaddr *address = &at->addr;
    *count = at->family == AF_INET ? 4 : at->family == AF_INET6 ? 16 : 0;
    if (at->family == AF_INET)
        return (const unsigned char *)&((const struct sockaddr_in *)(const void *)address)->sin_addr;
    if (at->family == AF_INET6)
        return (const unsigned char *)&((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
    return 0;
}

/* Opens a socket as curl would. */
static inline curl_socket_t macrolog_curl_socket(const struct curl_sockaddr *at) {
    return socket(at->family, at->socktype | SOCK_CLOEXEC, at->protocol);
}

/* Asks a function for the socket of each connection, together with `to`. */
static inline void macrolog_curl_set_opener(
    void *setopt, CURL *curl, curl_opensocket_callback open, void *to) {
    ((macrolog_curl_setopt)setopt)(curl, CURLOPT_OPENSOCKETFUNCTION, open);
    ((macrolog_curl_setopt)setopt)(curl, CURLOPT_OPENSOCKETDATA, to);
}

/* Asks a function for each piece of a body to be sent, and another to begin again. */
static inline void macrolog_curl_set_source(
    void *setopt, CURL *curl, curl_read_callback read, curl_seek_callback seek, void *from) {
    ((macrolog_curl_setopt)setopt)(curl, CURLOPT_READFUNCTION, read);
    ((macrolog_curl_setopt)setopt)(curl, CURLOPT_READDATA, from);
    ((macrolog_curl_setopt)setopt)(curl, CURLOPT_SEEKFUNCTION, seek);
    ((macrolog_curl_setopt)setopt)(curl, CURLOPT_SEEKDATA, from);
}
