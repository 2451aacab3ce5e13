#pragma once

/* The functions of libpq 14 or later that are used. They are declared here, so that a server which
   keeps its data in SQLite is built without PostgreSQL's headers. `HeaderTests` compares each
   declaration with libpq's header.

   Enumerations are declared as the unsigned integers that they are, and `Oid` as well. */

typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;

/* libpq's own header has these, when `HeaderTests` reads it first. */
#ifndef LIBPQ_FE_H
typedef struct {
    char *keyword;
    char *envvar;
    char *compiled;
    char *val;
    char *label;
    char *dispchar;
    int dispsize;
} PQconninfoOption;

typedef struct pgNotify {
    char *relname;
    int be_pid;
    char *extra;
    struct pgNotify *next;
} PGnotify;
#endif

PQconninfoOption *PQconninfoParse(const char *conninfo, char **errmsg);
void PQconninfoFree(PQconninfoOption *options);
void PQfreemem(void *memory);
PGconn *PQconnectdbParams(
    const char *const *keywords, const char *const *values, int expand_dbname);
void PQfinish(PGconn *connection);
unsigned PQstatus(const PGconn *connection);
int PQserverVersion(const PGconn *connection);
char *PQerrorMessage(const PGconn *connection);
int PQsocket(const PGconn *connection);
int PQsetnonblocking(PGconn *connection, int isOn);
int PQenterPipelineMode(PGconn *connection);
int PQpipelineSync(PGconn *connection);
int PQflush(PGconn *connection);
int PQconsumeInput(PGconn *connection);
int PQisBusy(PGconn *connection);
PGresult *PQgetResult(PGconn *connection);
PGnotify *PQnotifies(PGconn *connection);
int PQsendPrepare(
    PGconn *connection, const char *name, const char *sql, int count, const unsigned *types);
int PQsendQueryPrepared(
    PGconn *connection, const char *name, int count, const char *const *values,
    const int *lengths, const int *formats, int resultFormat);
int PQsendQueryParams(
    PGconn *connection, const char *sql, int count, const unsigned *types,
    const char *const *values, const int *lengths, const int *formats, int resultFormat);
void (*PQsetNoticeReceiver(
    PGconn *connection, void (*receive)(void *to, const PGresult *result), void *to))(
    void *, const PGresult *);
unsigned PQresultStatus(const PGresult *result);
char *PQresultErrorField(const PGresult *result, int field);
char *PQcmdStatus(PGresult *result);
char *PQcmdTuples(PGresult *result);
int PQntuples(const PGresult *result);
int PQnfields(const PGresult *result);
char *PQgetvalue(const PGresult *result, int row, int column);
int PQgetlength(const PGresult *result, int row, int column);
int PQgetisnull(const PGresult *result, int row, int column);
void PQclear(PGresult *result);

/* The same, found when the library is opened. */
struct macrolog_libpq {
    __typeof__(&PQconninfoParse) conninfo_parse;
    __typeof__(&PQconninfoFree) conninfo_free;
    __typeof__(&PQfreemem) freemem;
    __typeof__(&PQconnectdbParams) connect;
    __typeof__(&PQfinish) finish;
    __typeof__(&PQstatus) status;
    __typeof__(&PQserverVersion) server_version;
    __typeof__(&PQerrorMessage) error_message;
    __typeof__(&PQsocket) socket;
    __typeof__(&PQsetnonblocking) set_nonblocking;
    __typeof__(&PQenterPipelineMode) enter_pipeline_mode;
    __typeof__(&PQpipelineSync) pipeline_sync;
    __typeof__(&PQflush) flush;
    __typeof__(&PQconsumeInput) consume_input;
    __typeof__(&PQisBusy) is_busy;
    __typeof__(&PQgetResult) get_result;
    __typeof__(&PQnotifies) notifies;
    __typeof__(&PQsendPrepare) send_prepare;
    __typeof__(&PQsendQueryPrepared) send_prepared;
    __typeof__(&PQsendQueryParams) send_params;
    __typeof__(&PQsetNoticeReceiver) set_notice_receiver;
    __typeof__(&PQresultStatus) result_status;
    __typeof__(&PQresultErrorField) error_field;
    __typeof__(&PQcmdStatus) command_status;
    __typeof__(&PQcmdTuples) command_rows;
    __typeof__(&PQntuples) row_count;
    __typeof__(&PQnfields) column_count;
    __typeof__(&PQgetvalue) value;
    __typeof__(&PQgetlength) length;
    __typeof__(&PQgetisnull) is_null;
    __typeof__(&PQclear) clear;
};

/* ConnStatusType */
enum { MACROLOG_PG_CONNECTION_OK = 0 };
/* ExecStatusType */
enum {
    MACROLOG_PG_EMPTY = 0,
    MACROLOG_PG_COMMAND_OK = 1,
    MACROLOG_PG_ROWS = 2,
    MACROLOG_PG_SYNC = 10,
    MACROLOG_PG_ABORTED = 11
};
/* Fields of an error or a notice. */
enum {
    MACROLOG_PG_SEVERITY = 'V',
    MACROLOG_PG_SQLSTATE = 'C',
    MACROLOG_PG_MESSAGE = 'M'
};
