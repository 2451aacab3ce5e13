#pragma once
#include <gnutls/abstract.h>
#include <microhttpd.h>
#include <stdlib.h>

#ifdef __linux__
#include <linux/filter.h>
#include <sys/socket.h>
#endif

/* Swift cannot call variadic functions. These wrap what the room needs. */

struct cmhd_settings {
    unsigned int flags;
    unsigned int threads;
    int listen_socket;
    size_t connection_memory;
    unsigned int connections;
    unsigned int connections_per_address;
    const char *priorities; /* GnuTLS priority string, or NULL without TLS */
    MHD_LogCallback log;
    MHD_AccessHandlerCallback access;
    void *(*line)(void *, const char *, struct MHD_Connection *);
    MHD_RequestCompletedCallback completed;
    MHD_NotifyConnectionCallback connection;
    size_t (*unescape)(void *, struct MHD_Connection *, char *);
    void *context;
};

/* A certificate with its chain and its key. A connection may use it to its end, so it is never freed:
   some kilobytes each time that a server gets another one. */
struct cmhd_identity {
    gnutls_pcert_st chain[16];
    unsigned int count;
    gnutls_privkey_t key;
};

/* Reads both from PEM. NULL and a reason if they are not valid or do not belong together. */
static inline struct cmhd_identity *cmhd_identity_read(
    const void *certificate, size_t certificate_bytes, const void *key, size_t key_bytes,
    const char **reason)
{
    gnutls_datum_t chain = {(unsigned char *)certificate, (unsigned int)certificate_bytes};
    gnutls_datum_t secret = {(unsigned char *)key, (unsigned int)key_bytes};
    gnutls_certificate_credentials_t both;
    int status = gnutls_certificate_allocate_credentials(&both);
    if (status >= 0) {
        /* Compares the key with the certificate, too. */
        status = gnutls_certificate_set_x509_key_mem(both, &chain, &secret, GNUTLS_X509_FMT_PEM);
        gnutls_certificate_free_credentials(both);
    }
    struct cmhd_identity *identity = calloc(1, sizeof *identity);
    if (status >= 0 && identity != NULL) {
        identity->count = sizeof identity->chain / sizeof identity->chain[0];
        status = gnutls_pcert_list_import_x509_raw(
            identity->chain, &identity->count, &chain, GNUTLS_X509_FMT_PEM, 0);
        if (status >= 0) status = gnutls_privkey_init(&identity->key);
        if (status >= 0)
            status = gnutls_privkey_import_x509_raw(
                identity->key, &secret, GNUTLS_X509_FMT_PEM, NULL, 0);
    }
    if (status >= 0 && identity != NULL) return identity;
    *reason = status < 0 ? gnutls_strerror(status) : "no memory left";
    free(identity);
    return NULL;
}

/* Which identity a connection is to show: set once, before the first server starts. */
typedef const struct cmhd_identity *(*cmhd_choice)(struct MHD_Connection *);
static inline cmhd_choice *cmhd_choice_slot(void)
{
    static cmhd_choice choice;
    return &choice;
}

static inline int cmhd_retrieve(
    gnutls_session_t session, const gnutls_datum_t *authorities, int authority_count,
    const gnutls_pk_algorithm_t *algorithms, int algorithm_count, gnutls_pcert_st **chain,
    unsigned int *count, gnutls_privkey_t *key)
{
    (void)authorities, (void)authority_count, (void)algorithms, (void)algorithm_count;
    const struct cmhd_identity *identity = (*cmhd_choice_slot())(gnutls_session_get_ptr(session));
    if (identity == NULL) return -1;
    *chain = (gnutls_pcert_st *)identity->chain;
    *count = identity->count;
    *key = identity->key;
    return 0;
}

static inline struct MHD_Daemon *cmhd_start(const struct cmhd_settings *s)
{
    struct MHD_OptionItem tls[] = {
        {MHD_OPTION_HTTPS_CERT_CALLBACK, 0, (void *)cmhd_retrieve},
        {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)s->priorities},
        {MHD_OPTION_END, 0, NULL}};
    return MHD_start_daemon(
        s->flags | MHD_USE_ERROR_LOG, 0, NULL, NULL, s->access, s->context,
        MHD_OPTION_EXTERNAL_LOGGER, s->log, s->context,
        MHD_OPTION_LISTEN_SOCKET, s->listen_socket,
        MHD_OPTION_THREAD_POOL_SIZE, s->threads,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, s->connection_memory,
        MHD_OPTION_CONNECTION_LIMIT, s->connections,
        MHD_OPTION_PER_IP_CONNECTION_LIMIT, s->connections_per_address,
        MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_URI_LOG_CALLBACK, s->line, s->context,
        MHD_OPTION_NOTIFY_COMPLETED, s->completed, s->context,
        MHD_OPTION_NOTIFY_CONNECTION, s->connection, s->context,
        MHD_OPTION_UNESCAPE_CALLBACK, s->unescape, s->context,
        MHD_OPTION_ARRAY, s->priorities != NULL ? tls : &tls[2],
        MHD_OPTION_END);
}

static inline void *cmhd_socket_context(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

static inline int cmhd_socket(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

static inline const struct sockaddr *cmhd_peer(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    return info ? info->client_addr : NULL;
}

static inline size_t cmhd_header_bytes(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info ? info->header_size : 0;
}

/* Drops whatever comes to a listening socket from now on, so that its queue runs empty. A client
   repeats its first packet and finds the next server, or none. */
static inline void cmhd_drop_incoming(int listener)
{
#ifdef __linux__
    // Only SYN: a handshake that has begun must end, or its client sends into nothing.
    struct sock_filter drop[] = {
        BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 13), // the flags of the TCP header
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x02, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, 0),
        BPF_STMT(BPF_RET | BPF_K, 0xFFFFFFFF),
    };
    struct sock_fprog program = {sizeof drop / sizeof drop[0], drop};
    setsockopt(listener, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program);
#else
    (void)listener;
#endif
}
