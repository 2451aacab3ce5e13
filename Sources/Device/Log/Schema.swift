import MacrologSQLite

/// The tables of a device's log.
///
/// `device`, `event` and `seal` are the source of truth. Their rows are only added, with three exceptions:
/// a damaged row is replaced after it was copied to `aside`, the seals after a fork are deleted, and compaction puts
/// the skeleton of an event in its place.
/// `entity`, `touch` and `conflict` are folded from them and can be deleted and folded again. The other
/// tables belong to this device. A table with a column `one` has at most one row.
enum Schema {
    /// Until a version is released, a change of a statement gives it another name, so that files of
    /// earlier builds are refused untouched.
    static let migrations = [
        Migration(
            name: "device log 3",
            """
            -- Short keys for device IDs, valid in this file only. A former device ID of this device has
            -- two: one for its own events that were sealed before the rotation, and one for the events
            -- that the server has under that ID from then on.
            CREATE TABLE device (
                key INTEGER PRIMARY KEY,
                id BLOB NOT NULL CHECK (length(id) = 16)
            ) STRICT;

            -- The encoded events of this device and of others. A dot is one number here:
            -- the device's key << 40 | seq.
            CREATE TABLE event (
                dot INTEGER PRIMARY KEY,
                body BLOB NOT NULL,
                hash INTEGER                 -- of a body that was recorded here: RecordedHash.swift
            ) STRICT;

            -- The seal that the server gave each event: n is its place in the server's log, without
            -- gaps; the greatest n is the cursor.
            CREATE TABLE seal (
                n INTEGER PRIMARY KEY,
                t INTEGER NOT NULL,          -- milliseconds since 1970 UTC << 16 | counter
                dot INTEGER NOT NULL,
                digest BLOB NOT NULL CHECK (length(digest) = 16)  -- of the prefix up to n
            ) STRICT;
            CREATE UNIQUE INDEX seal_by_dot ON seal (dot);

            -- The former contents of damaged rows of event and seal that were replaced. A row with
            -- neither n nor body is an event that was in void and was removed from it.
            CREATE TABLE aside (
                n INTEGER,                   -- of a row of seal, with t
                t INTEGER,
                dot INTEGER NOT NULL,
                body BLOB                    -- of a row of event
            ) STRICT;
            CREATE INDEX aside_by_dot ON aside (dot);

            -- Reissued events, by the device ID and number under which they were first recorded.
            CREATE TABLE reissue (
                origin BLOB NOT NULL,
                origin_seq INTEGER NOT NULL,
                dot INTEGER NOT NULL,
                PRIMARY KEY (origin, origin_seq, dot)
            ) STRICT, WITHOUT ROWID;

            -- Events that are not folded, because an event sealed earlier has the same content.
            CREATE TABLE void (dot INTEGER PRIMARY KEY) STRICT;

            -- Events of other devices that the server has lost, in their order; this device reissues
            -- them.
            CREATE TABLE orphan (
                position INTEGER PRIMARY KEY,
                dot INTEGER NOT NULL,
                t INTEGER NOT NULL,          -- of its former seal, kept when it is reissued
                hash INTEGER NOT NULL        -- of its body, as it was sealed: RecordedHash.swift
            ) STRICT;

            -- The folded state of each entity, packed.
            CREATE TABLE entity (
                id BLOB NOT NULL,
                kind TEXT NOT NULL,
                state BLOB NOT NULL,
                PRIMARY KEY (id, kind)
            ) STRICT, WITHOUT ROWID;

            -- The events that changed an entity and were overwritten by later ones. Those that were not
            -- overwritten are named in the entity's state.
            CREATE TABLE touch (
                id BLOB NOT NULL,
                kind TEXT NOT NULL,
                dot INTEGER NOT NULL,
                PRIMARY KEY (id, kind, dot)
            ) STRICT, WITHOUT ROWID;

            -- The entities that have a conflict.
            CREATE TABLE conflict (
                id BLOB NOT NULL,
                kind TEXT NOT NULL,
                PRIMARY KEY (id, kind)
            ) STRICT, WITHOUT ROWID;

            -- This device's ID, and the log that it follows.
            CREATE TABLE replica (
                one INTEGER PRIMARY KEY CHECK (one = 1),
                device INTEGER NOT NULL REFERENCES device (key),
                epoch INTEGER NOT NULL,      -- 0: has never met a server
                next BLOB CHECK (length(next) = 16),  -- the ID to which it rotates, or NULL
                fork INTEGER,                -- the n after which the two logs differ, or NULL
                -- The n up to which payloads may have been compacted; 0 for none.
                compacted_through INTEGER NOT NULL DEFAULT 0 CHECK (compacted_through >= 0),
                -- Damaged events that could not be reissued, until that is reported.
                not_reissued INTEGER NOT NULL DEFAULT 0 CHECK (not_reissued >= 0)
            ) STRICT;

            -- The offset of this device's wall clock from its monotonic clock, from an event on.
            CREATE TABLE clock (
                seq INTEGER PRIMARY KEY,
                boot BLOB NOT NULL,
                offset INTEGER NOT NULL      -- wall minus monotonic, milliseconds
            ) STRICT;

            -- The blobs that the server has confirmed.
            CREATE TABLE server_blob (
                name BLOB PRIMARY KEY CHECK (length(name) = 32),
                epoch INTEGER NOT NULL,      -- of the server's log when it said so
                at INTEGER NOT NULL          -- ms since 1970 UTC, by this device's clock
            ) STRICT, WITHOUT ROWID;

            -- The state of syncing, as the last exchange left it. A time is in ms since 1970 UTC by
            -- this device's clock; a sample is `wall monotonic boot` of the same moment, from which a
            -- duration can be measured even after the clock was set.
            CREATE TABLE sync_state (
                one INTEGER PRIMARY KEY CHECK (one = 1),
                account TEXT,                -- whose log this is; NULL before the first log-in
                head INTEGER NOT NULL DEFAULT 0 CHECK (head >= 0),  -- the server's, when last asked
                success_at INTEGER,          -- the last success; NULL for never
                success_sample TEXT,         -- its sample
                failing_since_sample TEXT,   -- the first error after it
                last_error TEXT,             -- a sentence; NULL when the last sync succeeded
                offline INTEGER NOT NULL DEFAULT 0 CHECK (offline IN (0, 1)),  -- by the last error
                server_at INTEGER,           -- the server's clock, ms since 1970 UTC
                server_sample TEXT,          -- this device's at that moment
                -- The server's list of devices, as JSON.
                receipts TEXT CHECK (substr(receipts, 1, 1) = '{'),
                photo_error TEXT,            -- why photos wait, a sentence; NULL when they do not
                CHECK ((success_at IS NULL) = (success_sample IS NULL)),
                CHECK ((server_at IS NULL) = (server_sample IS NULL))
            ) STRICT;
            INSERT INTO sync_state (one) VALUES (1);

            -- The last recovery of the server.
            CREATE TABLE recovery_report (
                one INTEGER PRIMARY KEY CHECK (one = 1),
                finished_at INTEGER NOT NULL,  -- ms since 1970 UTC
                given_back INTEGER NOT NULL CHECK (given_back >= 0),  -- sealed events
                reissued INTEGER NOT NULL CHECK (reissued >= 0)       -- events
            ) STRICT;

            -- The last repair of this file.
            CREATE TABLE repair_report (
                one INTEGER PRIMARY KEY CHECK (one = 1),
                finished_at INTEGER NOT NULL,  -- ms since 1970 UTC
                fetched INTEGER NOT NULL CHECK (fetched >= 0),    -- events, from the server
                first_n INTEGER NOT NULL CHECK (first_n >= 0),    -- of them; 0 for none
                last_n INTEGER NOT NULL CHECK (last_n >= first_n),
                rebuilt INTEGER NOT NULL CHECK (rebuilt >= 0),    -- places of what is derived
                lost INTEGER NOT NULL CHECK (lost >= 0)           -- unsealed events
            ) STRICT;

            -- What the maintenance of this file remembers.
            CREATE TABLE maintenance (
                one INTEGER PRIMARY KEY CHECK (one = 1),
                read_models BLOB CHECK (length(read_models) = 32),  -- SHA-256 of their tables
                verified_n INTEGER NOT NULL DEFAULT 0 CHECK (verified_n >= 0),
                verified_entity BLOB NOT NULL DEFAULT x'',  -- both: up to where; 0, empty: begin
                clone_mark TEXT,             -- of the file beside this one and of their place
                compacted_at INTEGER,        -- ms since 1970 UTC, when it was last due
                reminded_minute INTEGER      -- up to which reminders were shown: local, since 1970
            ) STRICT;
            INSERT INTO maintenance (one) VALUES (1);

            -- Rows of event are only added. An update needs a copy of the old row in aside, or
            -- replaces a sealed event by its skeleton (Compaction.swift).
            CREATE TRIGGER event_refuses_update BEFORE UPDATE ON event
            WHEN new.dot IS NOT old.dot
            OR NOT EXISTS (SELECT 1 FROM aside WHERE dot = old.dot AND body IS old.body)
            AND (substr(old.body, 1, 1) = x'A6' OR substr(new.body, 1, 1) <> x'A6'
                OR NOT EXISTS (SELECT 1 FROM seal WHERE seal.dot = old.dot))
            BEGIN SELECT RAISE(ABORT, 'event is append-only'); END;
            CREATE TRIGGER event_refuses_delete BEFORE DELETE ON event
            BEGIN SELECT RAISE(ABORT, 'event is append-only'); END;

            -- Rows of seal are only added. An update or a deletion needs a copy of the old row in
            -- aside; after a fork, a deletion needs none. A digest can be computed again.
            CREATE TRIGGER seal_refuses_update BEFORE UPDATE OF n, t, dot ON seal
            WHEN new.n IS NOT old.n OR NOT EXISTS
                (SELECT 1 FROM aside WHERE dot = old.dot AND n = old.n AND t = old.t)
            BEGIN SELECT RAISE(ABORT, 'seal is append-only'); END;
            CREATE TRIGGER seal_refuses_delete BEFORE DELETE ON seal
            WHEN old.n <= coalesce((SELECT fork FROM replica), 9223372036854775807)
            AND NOT EXISTS (SELECT 1 FROM aside WHERE dot = old.dot AND n = old.n AND t = old.t)
            BEGIN SELECT RAISE(ABORT, 'seal is append-only'); END;

            -- A deletion from void needs a row in aside. It happens after a fork, when the earlier event
            -- of the same content is gone, and after a repair, when this event is the first sealed.
            CREATE TRIGGER void_refuses_update BEFORE UPDATE ON void
            BEGIN SELECT RAISE(ABORT, 'void is append-only'); END;
            CREATE TRIGGER void_refuses_delete BEFORE DELETE ON void
            WHEN NOT EXISTS
                (SELECT 1 FROM aside WHERE dot = old.dot AND n IS NULL AND body IS NULL)
            BEGIN SELECT RAISE(ABORT, 'void is append-only'); END;
            """, appendOnly: ["device", "reissue", "aside"])
    ]
}
