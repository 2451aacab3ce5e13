/// The tables of the server in PostgreSQL: those of ``Schema``, column by column.
///
/// A number is a `bigint`, a text compares by its bytes as in SQLite, and bytes are a `bytea`. Every
/// table but `server` and what counts for all accounts begins with the number of a space, or belongs to a row
/// that does; spaces never meet in a statement of a push or a pull.
import MacrologPostgreSQL

enum PostgreSQLSchema {
    /// The names of ``migrations``.
    static var steps: [String] { migrations.map(\.name) }

    /// Applied in order by the first of the nodes that start; see ``Schema/migrations`` for what each
    /// column means. Each statement ends with a semicolon and an empty line.
    static let migrations = ofEachStore + ofSeveralStores

    private static let ofEachStore = [
        PostgreSQLMigration(
            name: "server 1",
            """
            CREATE TABLE server (
                id boolean PRIMARY KEY DEFAULT true CHECK (id),  -- there is one row
                epoch bigint NOT NULL,          -- of all logs in this database, 1 to 2^32 - 1
                secrets bytea NOT NULL,         -- a digest of the secrets that all nodes have
                last_space bigint NOT NULL DEFAULT 0  -- given to an account; none is given twice
            );

            -- An account's row is also the lock of its log: each change of what belongs to an account
            -- holds it, so that what a change has read is still true when it commits.
            CREATE TABLE account (
                space bigint PRIMARY KEY,       -- 1 to 2^22 - 1
                name bytea NOT NULL UNIQUE,     -- 16 bytes, what a client sees
                email_key bytea NOT NULL UNIQUE,
                email text COLLATE "C" NOT NULL,
                password text COLLATE "C" NOT NULL,
                created bigint NOT NULL,        -- ms since 1970 UTC, as all times
                disabled bigint,
                deleted bigint,
                totp bytea,
                totp_confirmed bigint NOT NULL DEFAULT 0 CHECK (totp_confirmed IN (0, 1)),
                totp_step bigint NOT NULL DEFAULT 0,
                event_bytes bigint NOT NULL DEFAULT 0,
                unshared bigint NOT NULL DEFAULT 0
            ) WITH (fillfactor = 80);

            CREATE TABLE session (
                id bytea PRIMARY KEY,           -- 16 bytes
                space bigint NOT NULL REFERENCES account,
                label text COLLATE "C" NOT NULL,
                created bigint NOT NULL,
                last_seen bigint NOT NULL,
                revoked bigint,
                device bytea CHECK (length(device) = 16),
                cursor bigint CHECK (cursor >= 0),
                scope text COLLATE "C",
                first_day bigint,               -- days since 1970
                ends bigint
            ) WITH (fillfactor = 80);

            CREATE INDEX session_by_space ON session (space, created);

            CREATE TABLE refresh (
                digest bytea PRIMARY KEY,       -- BLAKE2b-256 of the token
                session bytea NOT NULL REFERENCES session,
                created bigint NOT NULL,
                used bigint
            );

            CREATE INDEX refresh_by_session ON refresh (session, created);

            -- The logs of all spaces. The two unique keys are the net below the lock: whatever else goes
            -- wrong, no number and no dot is given twice.
            CREATE TABLE event (
                place bigint PRIMARY KEY,       -- space << 40 | n
                space bigint NOT NULL REFERENCES account,
                t bigint NOT NULL,              -- ms since 1970 UTC << 16 | counter
                t_max bigint NOT NULL,          -- greatest t of the space up to here
                device bytea NOT NULL,          -- 16 bytes
                seq bigint NOT NULL,
                hash bytea NOT NULL,            -- SHA-256 of body
                digest bytea NOT NULL,          -- 16 bytes, of the space up to here
                body bytea NOT NULL,
                UNIQUE (space, device, seq)
            );

            -- The log only grows, but goes with its account: for every role, its owner included.
            CREATE FUNCTION event_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                IF TG_OP = 'DELETE' THEN
                    IF EXISTS (SELECT 1 FROM account WHERE space = old.space AND deleted IS NOT NULL) THEN
                        RETURN old;
                    END IF;
                END IF;
                RAISE EXCEPTION 'event is append-only' USING ERRCODE = 'restrict_violation';
            END
            $$;

            CREATE TRIGGER event_refuses_change BEFORE UPDATE OR DELETE ON event
            FOR EACH ROW EXECUTE FUNCTION event_is_append_only();

            CREATE TRIGGER event_refuses_truncate BEFORE TRUNCATE ON event
            FOR EACH STATEMENT EXECUTE FUNCTION event_is_append_only();

            CREATE TABLE blob (
                space bigint NOT NULL REFERENCES account,
                name bytea NOT NULL CHECK (length(name) = 32),
                bytes bigint NOT NULL,
                stored bigint NOT NULL,
                PRIMARY KEY (space, name)
            );

            CREATE TABLE blob_mention (
                space bigint NOT NULL,
                name bytea NOT NULL,
                place bigint NOT NULL REFERENCES event,
                removes bigint NOT NULL,        -- 1: the event only takes it out of sets
                admitted bigint NOT NULL,
                PRIMARY KEY (space, name, place)
            );

            CREATE INDEX blob_mention_by_place ON blob_mention (place);

            CREATE TABLE known_network (
                digest bytea PRIMARY KEY CHECK (length(digest) = 32),
                space bigint NOT NULL REFERENCES account,
                seen bigint NOT NULL
            );

            CREATE INDEX known_network_by_space ON known_network (space);

            CREATE TABLE code (
                digest bytea PRIMARY KEY CHECK (length(digest) = 32),
                space bigint NOT NULL REFERENCES account,
                kind text COLLATE "C" NOT NULL CHECK (kind IN ('reset', 'reset_totp', 'recovery')),
                expires bigint NOT NULL
            );

            CREATE INDEX code_by_space ON code (space);

            CREATE TABLE invitation (
                number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                digest bytea NOT NULL UNIQUE CHECK (length(digest) = 32),
                created bigint NOT NULL,
                expires bigint NOT NULL,
                uses bigint NOT NULL CHECK (uses >= 1),
                used bigint NOT NULL DEFAULT 0 CHECK (used BETWEEN 0 AND uses)
            );

            CREATE TABLE audit (
                place bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                space bigint NOT NULL REFERENCES account,
                at bigint NOT NULL,
                event text COLLATE "C" NOT NULL,
                network text COLLATE "C",
                device text COLLATE "C"
            );

            CREATE INDEX audit_by_space ON audit (space, place);

            CREATE TABLE data_key (
                space bigint PRIMARY KEY REFERENCES account,
                wrapped bytea NOT NULL
            );

            CREATE TABLE share (
                id bytea PRIMARY KEY CHECK (length(id) = 16),
                space bigint NOT NULL REFERENCES account,
                digest bytea NOT NULL UNIQUE CHECK (length(digest) = 32),
                created bigint NOT NULL,
                expires bigint NOT NULL,
                opens_max bigint NOT NULL CHECK (opens_max >= 0),
                opens bigint NOT NULL DEFAULT 0,
                opened bigint,
                origin text COLLATE "C" NOT NULL,
                document bytea NOT NULL,
                card bytea NOT NULL
            );

            CREATE INDEX share_by_space ON share (space, created);

            CREATE INDEX share_by_expiry ON share (expires);

            CREATE TABLE analysis_day (
                space bigint PRIMARY KEY,       -- 0: people without an account
                began bigint NOT NULL,
                count bigint NOT NULL
            );

            CREATE TABLE webhook (
                id bytea PRIMARY KEY CHECK (length(id) = 16),
                space bigint NOT NULL REFERENCES account,
                created bigint NOT NULL,
                events text COLLATE "C" NOT NULL,
                target bytea NOT NULL,
                secret bytea NOT NULL,
                stopped text COLLATE "C" CHECK (stopped IN ('gone', 'failing', 'restored', 'password')),
                failures bigint NOT NULL DEFAULT 0,
                last_at bigint,
                last_status bigint,
                last_failure text COLLATE "C"
            );

            CREATE INDEX webhook_by_space ON webhook (space, created);

            CREATE TABLE webhook_message (
                id bytea PRIMARY KEY CHECK (length(id) = 16),
                webhook bytea NOT NULL REFERENCES webhook,
                created bigint NOT NULL,
                due bigint,
                attempts bigint NOT NULL DEFAULT 0,
                body bytea NOT NULL
            );

            CREATE INDEX webhook_message_by_due ON webhook_message (due) WHERE due IS NOT NULL;

            CREATE INDEX webhook_message_by_webhook ON webhook_message (webhook, created);

            CREATE TABLE webhook_look (
                space bigint PRIMARY KEY REFERENCES account,
                look bigint NOT NULL,
                state bytea NOT NULL
            );

            CREATE INDEX webhook_look_by_time ON webhook_look (look);

            -- Changes that cannot be made twice, by a random number that each has: after a commit of
            -- unknown outcome, a row says that it was made.
            CREATE TABLE change_made (
                id bytea PRIMARY KEY,           -- 16 bytes
                at timestamptz NOT NULL DEFAULT now()
            )
            """),
        PostgreSQLMigration(
            name: "+ server nodes",
            """
            CREATE INDEX change_made_by_time ON change_made (at);

            CREATE TABLE blob_history (
                began bigint NOT NULL,
                mark bytea CHECK (length(mark) = 32),
                next bytea CHECK (length(next) = 32)
            );

            -- What one node does at a time, until it does not ask for longer. The time is the database's.
            CREATE TABLE lease (
                task bigint PRIMARY KEY,        -- 0: collection; a space: its messages; negative: a request
                node bytea NOT NULL,            -- random, of one process
                ends timestamptz NOT NULL
            );

            -- Buckets of attempts that all nodes charge.
            CREATE TABLE attempt (
                bucket bytea PRIMARY KEY CHECK (length(bucket) = 32),
                full_at bigint NOT NULL         -- when it is full again, if nothing is taken
            );

            CREATE INDEX attempt_by_time ON attempt (full_at)
            """),
        PostgreSQLMigration(
            name: "+ server roles",
            """
            -- Removes an event of an account that is deleted; for any other the trigger refuses. A server needs
            -- no right to delete from the log, only to call this, which runs with the rights of the owner.
            CREATE FUNCTION remove_event(gone bigint) RETURNS void LANGUAGE sql SECURITY DEFINER
            SET search_path FROM CURRENT AS $$ DELETE FROM event WHERE place = gone $$;

            REVOKE EXECUTE ON FUNCTION remove_event FROM PUBLIC
            """),
        // A node of the version before answers the database's epoch for such an account. Its devices recover at
        // each change between the two, which costs time and loses nothing.
        PostgreSQLMigration(
            name: "+ server account epochs",
            """
            ALTER TABLE account ADD COLUMN epoch bigint CHECK (epoch BETWEEN 1 AND 4294967295)
            """),
    ]
}
