import MacrologSQLite

/// The tables of a device's log.
///
/// `device`, `event` and `seal` are the source of truth and only grow. `entity`, `touch` and
/// `conflict` are folded from them and can be deleted. `replica`, `clock` and `memo` belong to this
/// device.
enum Schema {
    static let migrations = [
        Migration(
            name: "device log 1",
            """
            -- Devices by small numbers of this file's own. A device that this one once was has two:
            -- for its events that were sealed here as own, and for what the server has under its name
            -- from then on.
            CREATE TABLE device (
                key INTEGER PRIMARY KEY,
                id BLOB NOT NULL CHECK (length(id) = 16)
            ) STRICT;

            -- The events as they were encoded, of this device and of others, by one number, their
            -- dot's: the device's key << 40 | seq.
            CREATE TABLE event (
                dot INTEGER PRIMARY KEY,
                body BLOB NOT NULL,
                hash INTEGER                 -- of a body that was recorded here: RecordedHash.swift
            ) STRICT;

            -- What the server added on admission; n has no gaps, and its greatest is the cursor.
            CREATE TABLE seal (
                n INTEGER PRIMARY KEY,
                t INTEGER NOT NULL,          -- milliseconds since 1970 UTC << 16 | counter
                dot INTEGER NOT NULL,
                digest BLOB NOT NULL CHECK (length(digest) = 16)  -- of the prefix up to n
            ) STRICT;
            CREATE UNIQUE INDEX seal_by_dot ON seal (dot);

            -- What damaged rows of event and seal held when they were replaced.
            CREATE TABLE aside (
                n INTEGER,                   -- of a row of seal, with t; NULL for one of event
                t INTEGER,
                dot INTEGER NOT NULL,
                body BLOB                    -- of a row of event
            ) STRICT;
            CREATE INDEX aside_by_dot ON aside (dot);

            -- Events that say their first name, by it.
            CREATE TABLE reissue (
                origin BLOB NOT NULL,
                origin_seq INTEGER NOT NULL,
                dot INTEGER NOT NULL,
                PRIMARY KEY (origin, origin_seq, dot)
            ) STRICT, WITHOUT ROWID;

            -- Events that count no more: an event sealed before says the same.
            CREATE TABLE void (dot INTEGER PRIMARY KEY) STRICT;

            -- Events of others that the server has lost, in their order, to be issued again.
            CREATE TABLE orphan (
                position INTEGER PRIMARY KEY,
                dot INTEGER NOT NULL,
                t INTEGER                    -- of its former seal, kept when it is reissued
            ) STRICT;

            -- The folded state of each entity, packed.
            CREATE TABLE entity (
                id BLOB NOT NULL,
                kind TEXT NOT NULL,
                state BLOB NOT NULL,
                PRIMARY KEY (id, kind)
            ) STRICT, WITHOUT ROWID;

            -- The events that once touched an entity and that its state does not name any more,
            -- because later ones overwrote them. The state names the others.
            CREATE TABLE touch (
                id BLOB NOT NULL,
                kind TEXT NOT NULL,
                dot INTEGER NOT NULL,
                PRIMARY KEY (id, kind, dot)
            ) STRICT, WITHOUT ROWID;

            -- The entities about which devices disagree.
            CREATE TABLE conflict (
                id BLOB NOT NULL,
                kind TEXT NOT NULL,
                PRIMARY KEY (id, kind)
            ) STRICT, WITHOUT ROWID;

            -- Who this device is, and which log it follows.
            CREATE TABLE replica (
                one INTEGER PRIMARY KEY CHECK (one = 1),
                device INTEGER NOT NULL REFERENCES device (key),
                epoch INTEGER NOT NULL,      -- 0: has never met a server
                next BLOB CHECK (length(next) = 16),  -- the name it takes next, or NULL
                fork INTEGER                 -- where the server's log went on otherwise, or NULL
            ) STRICT;

            -- How this device's wall clock stood to its monotonic clock, from an event on.
            CREATE TABLE clock (
                seq INTEGER PRIMARY KEY,
                boot BLOB NOT NULL,
                offset INTEGER NOT NULL      -- wall minus monotonic, milliseconds
            ) STRICT;

            -- The blobs that the server has said it has.
            CREATE TABLE blob_told (
                name BLOB PRIMARY KEY CHECK (length(name) = 32),
                epoch INTEGER NOT NULL,      -- of the server's log when it said so
                at INTEGER NOT NULL          -- ms since 1970 UTC, by this device's clock
            ) STRICT, WITHOUT ROWID;

            -- Small facts about this replica that are no part of the log.
            CREATE TABLE memo (
                name TEXT PRIMARY KEY,
                value ANY
            ) STRICT, WITHOUT ROWID;

            -- The truth only grows. An event may change where its bytes were put aside first, or
            -- where a skeleton takes a sealed event's place (Compaction.swift).
            CREATE TRIGGER event_refuses_update BEFORE UPDATE ON event
            WHEN new.dot IS NOT old.dot
            OR NOT EXISTS (SELECT 1 FROM aside WHERE dot = old.dot AND body IS old.body)
            AND (substr(old.body, 1, 1) = x'A6' OR substr(new.body, 1, 1) <> x'A6'
                OR NOT EXISTS (SELECT 1 FROM seal WHERE seal.dot = old.dot))
            BEGIN SELECT RAISE(ABORT, 'event is append-only'); END;
            CREATE TRIGGER event_refuses_delete BEFORE DELETE ON event
            BEGIN SELECT RAISE(ABORT, 'event is append-only'); END;

            -- A seal may change or go where it was put aside first; after a fork it may go. A digest
            -- is computed from the rows, and may be computed again.
            CREATE TRIGGER seal_refuses_update BEFORE UPDATE OF n, t, dot ON seal
            WHEN new.n IS NOT old.n OR NOT EXISTS
                (SELECT 1 FROM aside WHERE dot = old.dot AND n = old.n AND t = old.t)
            BEGIN SELECT RAISE(ABORT, 'seal is append-only'); END;
            CREATE TRIGGER seal_refuses_delete BEFORE DELETE ON seal
            WHEN old.n <= coalesce((SELECT fork FROM replica), 9223372036854775807)
            AND NOT EXISTS (SELECT 1 FROM aside WHERE dot = old.dot AND n = old.n AND t = old.t)
            BEGIN SELECT RAISE(ABORT, 'seal is append-only'); END;

            -- After a fork an unsealed event may count again, when what had said it before is gone.
            CREATE TRIGGER void_refuses_update BEFORE UPDATE ON void
            BEGIN SELECT RAISE(ABORT, 'void is append-only'); END;
            CREATE TRIGGER void_refuses_delete BEFORE DELETE ON void
            WHEN (SELECT fork FROM replica) IS NULL
            OR EXISTS (SELECT 1 FROM seal WHERE seal.dot = old.dot)
            BEGIN SELECT RAISE(ABORT, 'void is append-only'); END;
            """, appendOnly: ["device", "reissue", "aside"])
    ]
}
