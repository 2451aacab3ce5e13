/// The tables of the server.
import MacrologEvents
import MacrologSQLite

enum Schema {
    /// The names of ``migrations``.
    static var steps: [String] { migrations.map(\.name) }

    /// Until a version is released, a change of this text gives it another name, so that files of
    /// earlier builds are refused untouched.
    static let migrations = [
        Migration(
            name: "server 3",
            """
            CREATE TABLE server (
                epoch INTEGER NOT NULL,         -- of all logs in this file, 1 to 2^32 - 1
                last_space INTEGER NOT NULL DEFAULT 0  -- given to an account; none is given twice
            ) STRICT;

            CREATE TABLE account (
                space INTEGER PRIMARY KEY,      -- 1 to 2^22 - 1
                name BLOB NOT NULL UNIQUE,      -- 16 bytes, what a client sees
                email_key BLOB NOT NULL UNIQUE, -- BLAKE2b-256 of the address, keyed
                email TEXT NOT NULL,            -- as its owner wrote it
                password TEXT NOT NULL,         -- Argon2id, PHC text; or bcrypt; empty: none yet
                created INTEGER NOT NULL,       -- ms since 1970 UTC
                disabled INTEGER,               -- ms since 1970 UTC; NULL: it may be used
                deleted INTEGER,                -- ms since 1970 UTC, while its rows are removed
                -- The second factor: its secret, sealed; whether it is asked for; the last time step
                -- whose code was used.
                totp BLOB,
                totp_confirmed INTEGER NOT NULL DEFAULT 0 CHECK (totp_confirmed IN (0, 1)),
                totp_step INTEGER NOT NULL DEFAULT 0,
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

            -- The log only grows, but goes with its account.
            CREATE TRIGGER event_refuses_update BEFORE UPDATE ON event
            BEGIN SELECT RAISE(ABORT, 'event is append-only'); END;
            CREATE TRIGGER event_refuses_delete BEFORE DELETE ON event
            WHEN NOT EXISTS
                (SELECT 1 FROM account WHERE space = old.space AND deleted IS NOT NULL)
            BEGIN SELECT RAISE(ABORT, 'event is append-only'); END;

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
            CREATE INDEX blob_mention_by_place ON blob_mention (place);

            -- From where an account logged in, and when it last did. A digest of address and network
            -- with the server's key: the file alone does not say from where.
            CREATE TABLE known_network (
                digest BLOB PRIMARY KEY CHECK (length(digest) = 32),
                space INTEGER NOT NULL REFERENCES account,
                seen INTEGER NOT NULL           -- ms since 1970 UTC
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX known_network_by_space ON known_network (space);

            -- Codes that work once, by their digest with the server's key: the operator's for a new
            -- password, without and with ending the second factor, and those in place of it.
            CREATE TABLE code (
                digest BLOB PRIMARY KEY CHECK (length(digest) = 32),
                space INTEGER NOT NULL REFERENCES account,
                kind TEXT NOT NULL CHECK (kind IN ('reset', 'reset_totp', 'recovery')),
                expires INTEGER NOT NULL        -- ms since 1970 UTC
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX code_by_space ON code (space);

            CREATE TABLE invitation (
                number INTEGER PRIMARY KEY AUTOINCREMENT,  -- none is given twice
                digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
                created INTEGER NOT NULL,       -- ms since 1970 UTC
                expires INTEGER NOT NULL,       -- ms since 1970 UTC
                uses INTEGER NOT NULL CHECK (uses >= 1),
                used INTEGER NOT NULL DEFAULT 0 CHECK (used BETWEEN 0 AND uses)
            ) STRICT;

            -- What happened to an account, for its owner to read.
            CREATE TABLE audit (
                place INTEGER PRIMARY KEY,
                space INTEGER NOT NULL REFERENCES account,
                at INTEGER NOT NULL,            -- ms since 1970 UTC
                event TEXT NOT NULL,
                network TEXT,                   -- shortened; NULL: the operator
                device TEXT                     -- the label of a session
            ) STRICT;
            CREATE INDEX audit_by_space ON audit (space, place);
            """),
        Migration(
            name: "server keys",
            """
            -- With which key the events and blobs of an account are encrypted; no row while they are
            -- stored as they are.
            CREATE TABLE data_key (
                space INTEGER PRIMARY KEY REFERENCES account,
                wrapped BLOB NOT NULL           -- encrypted with the server's key, outside this file
            ) STRICT;
            """),
        Migration(
            name: "server shares",
            """
            -- What people show to others: a frozen copy for everyone who has its token.
            CREATE TABLE share (
                id BLOB PRIMARY KEY CHECK (length(id) = 16),
                space INTEGER NOT NULL REFERENCES account,
                digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),  -- of the token, keyed
                created INTEGER NOT NULL,       -- ms since 1970 UTC
                expires INTEGER NOT NULL,       -- ms since 1970 UTC
                opens_max INTEGER NOT NULL CHECK (opens_max >= 0),  -- 0: no limit
                opens INTEGER NOT NULL DEFAULT 0,
                opened INTEGER,                 -- ms since 1970 UTC: the last one that counted
                origin TEXT NOT NULL,           -- the server's address as the owner reaches it
                document BLOB NOT NULL,         -- JSON
                card BLOB NOT NULL              -- PNG
            ) STRICT;
            CREATE INDEX share_by_space ON share (space, created);
            CREATE INDEX share_by_expiry ON share (expires);
            -- When the account last ended a share, as far as this file knows; ms since 1970 UTC.
            ALTER TABLE account ADD COLUMN unshared INTEGER NOT NULL DEFAULT 0;
            """),
        Migration(
            name: "server tokens",
            """
            -- Of a session that is a token for scripts or someone else: what it may do, the first day that it
            -- shows (days since 1970), and when it ends (ms since 1970 UTC). NULL for a device.
            ALTER TABLE session ADD COLUMN scope TEXT;
            ALTER TABLE session ADD COLUMN first_day INTEGER;
            ALTER TABLE session ADD COLUMN ends INTEGER;
            """),
        Migration(
            name: "server analyses",
            """
            -- How many analyses an account has had since its day began. Space 0: people without an account.
            CREATE TABLE analysis_day (
                space INTEGER PRIMARY KEY,
                began INTEGER NOT NULL,         -- ms since 1970 UTC
                count INTEGER NOT NULL
            ) STRICT;
            """),
        Migration(
            name: "server webhooks",
            """
            -- Where an account has messages sent.
            CREATE TABLE webhook (
                id BLOB PRIMARY KEY CHECK (length(id) = 16),
                space INTEGER NOT NULL REFERENCES account,
                created INTEGER NOT NULL,       -- ms since 1970 UTC
                events TEXT NOT NULL,           -- which messages, with spaces between them
                target BLOB NOT NULL,           -- the address
                secret BLOB NOT NULL,           -- what messages are signed with, sealed
                stopped TEXT CHECK (stopped IN ('gone', 'failing', 'restored', 'password')),
                failures INTEGER NOT NULL DEFAULT 0,  -- messages that were given up, in a row
                last_at INTEGER,                -- ms since 1970 UTC: the last attempt
                last_status INTEGER,            -- of its answer; NULL: none
                last_failure TEXT               -- NULL: the message was taken
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX webhook_by_space ON webhook (space, created);

            CREATE TABLE webhook_message (
                id BLOB PRIMARY KEY CHECK (length(id) = 16),
                webhook BLOB NOT NULL REFERENCES webhook,
                created INTEGER NOT NULL,       -- ms since 1970 UTC
                due INTEGER,                    -- ms since 1970 UTC: the next attempt; NULL: it is over
                attempts INTEGER NOT NULL DEFAULT 0,
                body BLOB NOT NULL              -- JSON; empty once it is over
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX webhook_message_by_due ON webhook_message (due) WHERE due IS NOT NULL;
            CREATE INDEX webhook_message_by_webhook ON webhook_message (webhook, created);
            CREATE INDEX webhook_message_waiting ON webhook_message (webhook) WHERE due IS NOT NULL;

            -- When an account with such an address is to be looked at for something to tell, and what was
            -- known when it last was.
            CREATE TABLE webhook_look (
                space INTEGER PRIMARY KEY REFERENCES account,
                look INTEGER NOT NULL,          -- ms since 1970 UTC
                state BLOB NOT NULL             -- JSON
            ) STRICT;
            CREATE INDEX webhook_look_by_time ON webhook_look (look);
            """),
        Migration(
            name: "server webhook digests",
            """
            -- SHA-256 of all other columns of the row; NULL only until the next start of a server.
            ALTER TABLE webhook ADD COLUMN digest BLOB CHECK (length(digest) = 32);
            ALTER TABLE webhook_message ADD COLUMN digest BLOB CHECK (length(digest) = 32);
            ALTER TABLE webhook_look ADD COLUMN digest BLOB CHECK (length(digest) = 32);
            """),
        Migration(
            name: "server blob history",
            """
            -- Since when this database stores blobs in a storage outside of its folder, and which mark that
            -- has; one row, written at each collection.
            CREATE TABLE blob_history (
                began INTEGER NOT NULL,         -- ms since 1970 UTC
                mark BLOB CHECK (length(mark) = 32),
                next BLOB CHECK (length(next) = 32)  -- the one that replaces it
            ) STRICT;
            """),
        Migration(
            name: "server account epochs",
            """
            -- The epoch of the account's log, if it was restored apart from the others; NULL: that of the file.
            ALTER TABLE account ADD COLUMN epoch INTEGER CHECK (epoch BETWEEN 1 AND 4294967295);
            """),
    ]
}

/// The row key of an event: space and number in one integer, so that the rows of a space are
/// adjacent.
struct Place {
    /// Events of one space at most.
    static let numberMax: Int64 = 1 << 40 - 1
    /// The greatest number of a space.
    static let spaceMax: Int64 = 1 << 22 - 1

    /// The place of event `n` of a space; `n` 0 is before the first. `nil` if no row can have it.
    static func of(_ space: Space, _ n: LogNumber?) -> Int64? {
        guard space > 0, space <= spaceMax, let n, n >= 0, n <= numberMax else { return nil }
        return space << 40 | n.rawValue
    }

    /// The number within the space.
    static func number(_ place: Int64) -> LogNumber { LogNumber(place & numberMax) }
}
