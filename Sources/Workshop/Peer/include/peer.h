#ifndef MACROLOG_PEER_H
#define MACROLOG_PEER_H
#include <stddef.h>
#include <stdint.h>

/* A second engine, in plain C, for the benchmarks alone: how fast can the same work be?

   It opens a file that our engine has made, and works on it by the same rules (protocol.md §3 to §7): same tables,
   same bytes, same journal, same flushes, one transaction a page. Our engine can open the file afterwards, and finds
   the state hash that it computes for itself.

   It knows what the common workload needs: meals of six fields, set and set again. Whatever else it meets (other kinds
   and operations, values beyond their bounds, skeletons, reissued events) it refuses, and changes nothing in the file.
   After an error every call returns it again. */

typedef struct macrolog_peer macrolog_peer;

/* The readings of a device's clocks at one moment, in milliseconds; the boot within which `monotonic` counts. */
typedef struct {
    int64_t wall, monotonic;
    uint64_t boot_high, boot_low;
} macrolog_peer_clock;

/* Opens a file, alone. Returns NULL only without memory: ask `macrolog_peer_error`. */
macrolog_peer *macrolog_peer_open(const char *path);
void macrolog_peer_close(macrolog_peer *peer);

/* Why the last call failed; NULL when none has failed. */
const char *macrolog_peer_error(const macrolog_peer *peer);

/* The n up to which the file holds the server's log, and how many of its own events the server has not sealed. */
int64_t macrolog_peer_cursor(const macrolog_peer *peer);
int64_t macrolog_peer_unsealed(const macrolog_peer *peer);

/* The functions below return 0, or -1 after an error. */

/* Encodes the next request for the server: at most 500 own events. The bytes last until the next call. */
int macrolog_peer_request(macrolog_peer *peer, const macrolog_peer_clock *now, const uint8_t **bytes, size_t *count);

/* Takes an encoded answer of the server, in one durable transaction. */
int macrolog_peer_take(macrolog_peer *peer, const uint8_t *answer, size_t count);

/* Reads every conflict, and counts the entities that have one. */
int macrolog_peer_conflicts(macrolog_peer *peer, int64_t *count);

/* Empties the derived tables and folds them again from the log, in one durable transaction. */
int macrolog_peer_rebuild(macrolog_peer *peer);

#endif
