import SQLite

/// The tables of a device's log.
///
/// `device`, `event` and `seal` are the truth and only grow. `entity`, `touch` and `conflict` are
/// folded from them and can be thrown away. `replica`, `clock` and `memo` belong to this device.
enum Schema {
    static let migrations = [
        Migration(
            name: "log 1",
            """
            -- Devices by small numbers of this file's own.
            CREATE TABLE device (
                key INTEGER PRIMARY KEY,
                id BLOB NOT NULL UNIQUE CHECK (length(id) = 16)
            ) STRICT;

            -- The events as they were encoded, of this device and of others.
            CREATE TABLE event (
                device INTEGER NOT NULL REFERENCES device (key),
                seq INTEGER NOT NULL CHECK (seq > 0),
                body BLOB NOT NULL,
                PRIMARY KEY (device, seq)
            ) STRICT, WITHOUT ROWID;

            -- What the hub added on admission; n has no gaps, and its greatest is the cursor.
            CREATE TABLE seal (
                n INTEGER PRIMARY KEY,
                t INTEGER NOT NULL,          -- milliseconds since 1970 UTC << 16 | counter
                device INTEGER NOT NULL,
                seq INTEGER NOT NULL,
                digest BLOB NOT NULL CHECK (length(digest) = 16)  -- of the prefix up to n
            ) STRICT;
            CREATE UNIQUE INDEX seal_by_dot ON seal (device, seq);

            -- The folded state of each entity, packed.
            CREATE TABLE entity (
                id BLOB NOT NULL,
                kind TEXT NOT NULL,
                state BLOB NOT NULL,
                PRIMARY KEY (id, kind)
            ) STRICT, WITHOUT ROWID;

            -- Which events touched an entity.
            CREATE TABLE touch (
                id BLOB NOT NULL,
                kind TEXT NOT NULL,
                device INTEGER NOT NULL,
                seq INTEGER NOT NULL,
                PRIMARY KEY (id, kind, device, seq)
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
                epoch INTEGER NOT NULL       -- 0: has never met a hub
            ) STRICT;

            -- How this device's wall clock stood to its monotonic clock, from an event on.
            CREATE TABLE clock (
                seq INTEGER PRIMARY KEY,
                boot BLOB NOT NULL,
                offset INTEGER NOT NULL      -- wall minus monotonic, milliseconds
            ) STRICT;

            -- Small facts about this replica that are no part of the log.
            CREATE TABLE memo (
                name TEXT PRIMARY KEY,
                value ANY
            ) STRICT, WITHOUT ROWID;
            """,
            appendOnly: ["device", "event", "seal"]),
        Migration(
            name: "log 2",
            """
            -- A device that this one once was has two keys: its events that were sealed here as
            -- own, and what the hub has under its name from then on.
            PRAGMA defer_foreign_keys = ON;
            CREATE TABLE device_before AS SELECT key, id FROM device;
            DROP TABLE device;
            CREATE TABLE device (
                key INTEGER PRIMARY KEY,
                id BLOB NOT NULL CHECK (length(id) = 16)
            ) STRICT;
            INSERT INTO device (key, id) SELECT key, id FROM device_before;
            DROP TABLE device_before;

            -- The name that this device takes next, or NULL.
            ALTER TABLE replica ADD COLUMN next BLOB CHECK (length(next) = 16);

            -- Events that say their first name, by it.
            CREATE TABLE reissue (
                origin BLOB NOT NULL,
                origin_seq INTEGER NOT NULL,
                device INTEGER NOT NULL,
                seq INTEGER NOT NULL,
                PRIMARY KEY (origin, origin_seq, device, seq)
            ) STRICT, WITHOUT ROWID;

            -- Events that count no more: an event sealed before says the same.
            CREATE TABLE void (
                device INTEGER NOT NULL,
                seq INTEGER NOT NULL,
                PRIMARY KEY (device, seq)
            ) STRICT, WITHOUT ROWID;
            """,
            appendOnly: ["device", "reissue", "void"]),
        Migration(
            name: "log 3 forks",
            """
            -- Where the hub's log went on otherwise than this one, or NULL: only behind it may
            -- seals be taken back.
            ALTER TABLE replica ADD COLUMN fork INTEGER;
            DROP TRIGGER seal_refuses_delete;
            CREATE TRIGGER seal_refuses_delete BEFORE DELETE ON seal
            WHEN old.n <= coalesce((SELECT fork FROM replica), 9223372036854775807)
            BEGIN SELECT RAISE(ABORT, 'seal is append-only'); END;

            -- Events of others that the hub has lost, in their order, to be issued anew.
            CREATE TABLE orphan (
                position INTEGER PRIMARY KEY,
                device INTEGER NOT NULL,
                seq INTEGER NOT NULL
            ) STRICT;
            """),
        Migration(
            name: "log 4 dots",
            """
            -- Events by one number, their dot's: the device's key << 40 | seq. One behind the other
            -- they fill the pages of a table of numbers, and the index of seals is half as wide.
            CREATE TABLE event_by_dot (
                dot INTEGER PRIMARY KEY,
                body BLOB NOT NULL
            ) STRICT;
            INSERT INTO event_by_dot SELECT device << 40 | seq, body FROM event
            ORDER BY device, seq;
            DROP TABLE event;
            ALTER TABLE event_by_dot RENAME TO event;

            CREATE TABLE seal_of_dot (
                n INTEGER PRIMARY KEY,
                t INTEGER NOT NULL,          -- milliseconds since 1970 UTC << 16 | counter
                dot INTEGER NOT NULL,
                digest BLOB NOT NULL CHECK (length(digest) = 16)  -- of the prefix up to n
            ) STRICT;
            INSERT INTO seal_of_dot SELECT n, t, device << 40 | seq, digest FROM seal ORDER BY n;
            DROP TABLE seal;
            ALTER TABLE seal_of_dot RENAME TO seal;
            CREATE UNIQUE INDEX seal_by_dot ON seal (dot);
            CREATE TRIGGER seal_refuses_delete BEFORE DELETE ON seal
            WHEN old.n <= coalesce((SELECT fork FROM replica), 9223372036854775807)
            BEGIN SELECT RAISE(ABORT, 'seal is append-only'); END;
            CREATE TRIGGER seal_refuses_update BEFORE UPDATE ON seal
            BEGIN SELECT RAISE(ABORT, 'seal is append-only'); END;

            -- The events that once touched an entity and that its state knows no more, because
            -- later ones overwrote them. The state names the others.
            DROP TABLE touch;
            CREATE TABLE touch (
                id BLOB NOT NULL,
                kind TEXT NOT NULL,
                dot INTEGER NOT NULL,
                PRIMARY KEY (id, kind, dot)
            ) STRICT, WITHOUT ROWID;

            CREATE TABLE reissue_of_dot (
                origin BLOB NOT NULL,
                origin_seq INTEGER NOT NULL,
                dot INTEGER NOT NULL,
                PRIMARY KEY (origin, origin_seq, dot)
            ) STRICT, WITHOUT ROWID;
            INSERT INTO reissue_of_dot SELECT origin, origin_seq, device << 40 | seq FROM reissue;
            DROP TABLE reissue;
            ALTER TABLE reissue_of_dot RENAME TO reissue;

            CREATE TABLE void_dot (dot INTEGER PRIMARY KEY) STRICT;
            INSERT INTO void_dot SELECT device << 40 | seq FROM void;
            DROP TABLE void;
            ALTER TABLE void_dot RENAME TO void;

            CREATE TABLE orphan_dot (
                position INTEGER PRIMARY KEY,
                dot INTEGER NOT NULL
            ) STRICT;
            INSERT INTO orphan_dot SELECT position, device << 40 | seq FROM orphan;
            DROP TABLE orphan;
            ALTER TABLE orphan_dot RENAME TO orphan;
            """,
            appendOnly: ["event", "reissue", "void"]),
        Compaction.migration,
        Migration(
            name: "log 6 blobs",
            """
            -- The blobs that the hub has said it has.
            CREATE TABLE blob_told (
                name BLOB PRIMARY KEY CHECK (length(name) = 32),
                epoch INTEGER NOT NULL,      -- of the hub's log when it said so
                at INTEGER NOT NULL          -- ms since 1970 UTC, by this device's clock
            ) STRICT, WITHOUT ROWID;
            """),
        Migration(
            name: "log 7 repair",
            """
            -- What damaged rows of event and seal held when they were replaced. Only what was put
            -- here first may be changed there; and a skeleton may take a sealed event's place.
            CREATE TABLE aside (
                n INTEGER,                   -- of a row of seal, with t; NULL for one of event
                t INTEGER,
                dot INTEGER NOT NULL,
                body BLOB                    -- of a row of event
            ) STRICT;
            CREATE INDEX aside_by_dot ON aside (dot);

            DROP TRIGGER event_refuses_update;
            CREATE TRIGGER event_refuses_update BEFORE UPDATE ON event
            WHEN new.dot IS NOT old.dot
            OR NOT EXISTS (SELECT 1 FROM aside WHERE dot = old.dot AND body IS old.body)
            AND (substr(old.body, 1, 1) = x'A6' OR substr(new.body, 1, 1) <> x'A6'
                OR NOT EXISTS (SELECT 1 FROM seal WHERE seal.dot = old.dot))
            BEGIN SELECT RAISE(ABORT, 'event is append-only'); END;

            -- A digest is computed from the rows, and may be computed again.
            DROP TRIGGER seal_refuses_update;
            CREATE TRIGGER seal_refuses_update BEFORE UPDATE OF n, t, dot ON seal
            WHEN new.n IS NOT old.n OR NOT EXISTS
                (SELECT 1 FROM aside WHERE dot = old.dot AND n = old.n AND t = old.t)
            BEGIN SELECT RAISE(ABORT, 'seal is append-only'); END;

            DROP TRIGGER seal_refuses_delete;
            CREATE TRIGGER seal_refuses_delete BEFORE DELETE ON seal
            WHEN old.n <= coalesce((SELECT fork FROM replica), 9223372036854775807)
            AND NOT EXISTS (SELECT 1 FROM aside WHERE dot = old.dot AND n = old.n AND t = old.t)
            BEGIN SELECT RAISE(ABORT, 'seal is append-only'); END;
            """, appendOnly: ["aside"]),
        snapshot,
        Migration(
            name: "log 9 void",
            """
            -- Behind a fork an unsealed event may count again, when what had said it before is gone.
            DROP TRIGGER void_refuses_delete;
            CREATE TRIGGER void_refuses_delete BEFORE DELETE ON void
            WHEN (SELECT fork FROM replica) IS NULL
            OR EXISTS (SELECT 1 FROM seal WHERE seal.dot = old.dot)
            BEGIN SELECT RAISE(ABORT, 'void is append-only'); END;
            """),
        Migration(
            name: "log 10 hash",
            """
            -- Of the body, where it was recorded or put right here: see RecordedHash.swift.
            ALTER TABLE event ADD COLUMN hash INTEGER;
            """),
    ]

    private static let snapshot = Migration(
        name: "log 8 snapshot",
        """
        -- What the hub's snapshot is of, while this device shows it; see Preview.swift.
        CREATE TABLE snapshot (
            one INTEGER PRIMARY KEY CHECK (one = 1),
            stage INTEGER NOT NULL CHECK (stage BETWEEN 0 AND 3),
            epoch INTEGER NOT NULL,
            n INTEGER NOT NULL,              -- how many events the hub has folded
            seen INTEGER NOT NULL,           -- how many are in the states, with those since
            seen_digest BLOB NOT NULL CHECK (length(seen_digest) = 16),
            elsewhere BLOB NOT NULL          -- a filter of the ids that are not in the first part
        ) STRICT;

        -- Its parts.
        CREATE TABLE snapshot_part (
            position INTEGER PRIMARY KEY,
            hash BLOB NOT NULL CHECK (length(hash) = 32),
            is_here INTEGER NOT NULL
        ) STRICT;

        -- The entities whose state came with it, to be folded anew from the events.
        CREATE TABLE preview (
            id BLOB NOT NULL,
            kind TEXT NOT NULL,
            whole INTEGER NOT NULL,          -- 0: only what has happened since is known
            PRIMARY KEY (id, kind)
        ) STRICT, WITHOUT ROWID;
        """)
}
