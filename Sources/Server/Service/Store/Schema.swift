/// The tables of the server.
import MacrologEvents
import MacrologSQLite

enum Schema {
    static let migrations = [
        Migration(
            name: "server 1",
            """
            CREATE TABLE server (
                epoch INTEGER NOT NULL  -- of all logs in this file, 1 to 2^32 - 1
            ) STRICT;

            CREATE TABLE account (
                space INTEGER PRIMARY KEY,      -- 1 to 2^22 - 1
                name BLOB NOT NULL UNIQUE,      -- 16 bytes, what a client sees
                email_key BLOB NOT NULL UNIQUE, -- BLAKE2b-256 of the address, keyed
                email TEXT NOT NULL,            -- as its owner wrote it
                password TEXT NOT NULL,         -- Argon2id, PHC text
                created INTEGER NOT NULL,       -- ms since 1970 UTC
                event_bytes INTEGER NOT NULL DEFAULT 0  -- of all events: what its quota counts
            ) STRICT;

            -- A session, and what its device was last heard to hold: its id in the log and its
            -- cursor, both NULL before its first exchange.
            CREATE TABLE session (
                id BLOB PRIMARY KEY,            -- 16 bytes
                space INTEGER NOT NULL REFERENCES account,
                label TEXT NOT NULL,
                created INTEGER NOT NULL,       -- ms since 1970 UTC
                last_seen INTEGER NOT NULL,     -- ms since 1970 UTC
                revoked INTEGER,                -- ms since 1970 UTC
                device BLOB CHECK (length(device) = 16),
                cursor INTEGER CHECK (cursor >= 0)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX session_by_space ON session (space, created);

            CREATE TABLE refresh (
                digest BLOB PRIMARY KEY,        -- BLAKE2b-256 of the token
                session BLOB NOT NULL REFERENCES session,
                created INTEGER NOT NULL,       -- ms since 1970 UTC
                used INTEGER                    -- ms since 1970 UTC
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX refresh_by_session ON refresh (session, created);

            -- The logs of all spaces.
            CREATE TABLE event (
                place INTEGER PRIMARY KEY,      -- space << 40 | n
                space INTEGER NOT NULL REFERENCES account,
                t INTEGER NOT NULL,             -- ms since 1970 UTC << 16 | counter
                t_max INTEGER NOT NULL,         -- greatest t of the space up to here
                device BLOB NOT NULL,           -- 16 bytes
                seq INTEGER NOT NULL,
                hash BLOB NOT NULL,             -- SHA-256 of body
                digest BLOB NOT NULL,           -- 16 bytes, of the space up to here
                body BLOB NOT NULL
            ) STRICT;
            CREATE UNIQUE INDEX event_by_dot ON event (space, device, seq);

            -- Blobs that are there whole; the bytes are files.
            CREATE TABLE blob (
                space INTEGER NOT NULL REFERENCES account,
                name BLOB NOT NULL CHECK (length(name) = 32),  -- SHA-256 of the bytes
                bytes INTEGER NOT NULL,
                stored INTEGER NOT NULL,        -- ms since 1970 UTC
                PRIMARY KEY (space, name)
            ) STRICT, WITHOUT ROWID;

            -- Which events name which blobs, there or not.
            CREATE TABLE blob_mention (
                space INTEGER NOT NULL,
                name BLOB NOT NULL,
                place INTEGER NOT NULL REFERENCES event,
                removes INTEGER NOT NULL,       -- 1: the event only takes it out of sets
                admitted INTEGER NOT NULL,      -- ms since 1970 UTC
                PRIMARY KEY (space, name, place)
            ) STRICT, WITHOUT ROWID;

            -- From where an account logged in, and when it last did. A digest of address and network
            -- with the server's key: the file alone does not say from where.
            CREATE TABLE known_network (
                digest BLOB PRIMARY KEY CHECK (length(digest) = 32),
                seen INTEGER NOT NULL           -- ms since 1970 UTC
            ) STRICT, WITHOUT ROWID;
            """, appendOnly: ["event"])
    ]
}

/// The row key of an event: space and number in one integer, so that the rows of a space are
/// adjacent.
struct Place {
    /// Events of one space at most.
    static let numberMax: Int64 = 1 << 40 - 1
    /// The greatest number of a space.
    static let spaceMax: Int64 = 1 << 22 - 1

    /// The place of event `n` of a space; `n` 0 is before the first.
    ///
    /// - Throws: The error for a damaged file, if no row can have this place.
    static func of(_ space: Space, _ n: LogNumber?) throws(SQLiteError) -> Int64 {
        guard space > 0, space < 1 << 22, let n, n >= 0, n <= numberMax else {
            throw .number("it is no number of a log")
        }
        return space << 40 | n.rawValue
    }

    /// The number within the space.
    static func number(_ place: Int64) -> LogNumber { LogNumber(place & numberMax) }

    /// The last place that a space can have.
    static func end(_ space: Space) throws(SQLiteError) -> Int64 {
        try of(space, LogNumber(numberMax))
    }
}
