#pragma once
#include <microhttpd.h>

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
    const char *certificate; /* PEM, or NULL without TLS */
    const char *key;         /* PEM, or NULL without TLS */
    const char *priorities;  /* GnuTLS priority string, or NULL without TLS */
    MHD_LogCallback log;
    MHD_AccessHandlerCallback access;
    void *(*line)(void *, const char *, struct MHD_Connection *);
    MHD_RequestCompletedCallback completed;
    MHD_NotifyConnectionCallback connection;
    size_t (*unescape)(void *, struct MHD_Connection *, char *);
    void *context;
};

static inline struct MHD_Daemon *cmhd_start(const struct cmhd_settings *s)
{
    struct MHD_OptionItem tls[] = {
        {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)s->key},
        {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)s->certificate},
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
        MHD_OPTION_ARRAY, s->key != NULL ? tls : &tls[3],
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
