/// The tables of the server in PostgreSQL that are for several stores: which one this is, and the directory.
import MacrologPostgreSQL

extension PostgreSQLSchema {
    /// The last of ``migrations``.
    static let ofSeveralStores = [
        PostgreSQLMigration(
            name: "+ server placement",
            """
            -- The store that serves the account; NULL: this one. Set while the row is locked FOR UPDATE, which waits
            -- for every change of the account. From then on, this store changes nothing of it.
            ALTER TABLE account ADD COLUMN away text COLLATE "C";

            -- How many moves have brought the account here; 0: it was made here. Who finds the same before and after
            -- a read knows that the account did not go and come back meanwhile, and of two copies the one with
            -- more was made from the other one.
            ALTER TABLE account ADD COLUMN arrival bigint NOT NULL DEFAULT 0;

            -- Which of several stores this is; no row: it is the only one.
            CREATE TABLE store_part (
                id boolean PRIMARY KEY DEFAULT true CHECK (id),
                name text COLLATE "C" NOT NULL,
                service bytea NOT NULL CHECK (length(service) = 16),  -- random, the same in all stores
                is_directory boolean NOT NULL,
                moves bigint NOT NULL DEFAULT 0  -- in the directory: how many accounts have moved
            );

            -- In the directory: all stores, and where each account is.
            CREATE TABLE placement_store (name text COLLATE "C" PRIMARY KEY);

            CREATE TABLE placement (
                space bigint PRIMARY KEY,
                email_key bytea UNIQUE,         -- NULL: of an account that is deleted
                store text COLLATE "C" NOT NULL REFERENCES placement_store,
                move bigint NOT NULL DEFAULT 0  -- the number of its last move, by store_part.moves; 0: none
            );

            CREATE INDEX placement_by_move ON placement (move) WHERE move > 0;

            -- Refuses a change of an account that another store serves, and one that no placement names. It locks
            -- the row and looks afterwards: a condition in the query would lock nothing while the account is here.
            -- Events have no trigger: who adds some updates the account in the same transaction.
            CREATE FUNCTION account_is_here() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
            SET search_path FROM CURRENT AS $$
            DECLARE
                owner bigint;
                elsewhere text;
            BEGIN
                IF NOT EXISTS (SELECT 1 FROM store_part)
                    OR current_setting('macrolog.placement', true) = 'on'
                THEN
                    RETURN new;
                END IF;
                IF TG_TABLE_NAME <> 'account' THEN
                    IF TG_TABLE_NAME = 'refresh' THEN
                        SELECT space INTO owner FROM session WHERE id = new.session;
                    ELSIF TG_TABLE_NAME = 'webhook_message' THEN
                        SELECT space INTO owner FROM webhook WHERE id = new.webhook;
                    ELSE
                        owner := new.space;
                    END IF;
                    SELECT away INTO elsewhere FROM account WHERE space = owner FOR KEY SHARE;
                    IF elsewhere IS NULL THEN
                        RETURN new;
                    END IF;
                END IF;
                RAISE EXCEPTION 'another store serves this account' USING ERRCODE = 'ML001';
            END
            $$;

            CREATE TRIGGER account_is_placed BEFORE INSERT ON account
            FOR EACH ROW EXECUTE FUNCTION account_is_here();

            CREATE TRIGGER account_is_here BEFORE UPDATE ON account
            FOR EACH ROW WHEN (old.away IS NOT NULL) EXECUTE FUNCTION account_is_here();

            -- A receipt of a device is left out: who writes it holds the account's row and looks at it first.
            CREATE TRIGGER account_is_here
            BEFORE INSERT OR UPDATE OF id, space, label, created, revoked, scope, first_day, ends ON session
            FOR EACH ROW EXECUTE FUNCTION account_is_here();

            DO $$
            DECLARE one text;
            BEGIN
                FOREACH one IN ARRAY ARRAY[
                    'refresh', 'code', 'known_network', 'audit', 'share', 'analysis_day', 'webhook',
                    'webhook_message', 'webhook_look', 'blob', 'blob_mention']
                LOOP
                    EXECUTE format(
                        'CREATE TRIGGER account_is_here BEFORE INSERT OR UPDATE ON %I '
                        'FOR EACH ROW EXECUTE FUNCTION account_is_here()', one);
                END LOOP;
            END
            $$;

            -- Locks accounts, in the order of their numbers, if all of them are here.
            CREATE FUNCTION lock_served(wanted bigint[]) RETURNS void LANGUAGE plpgsql AS $$
            DECLARE
                elsewhere text;
                found_here bigint := 0;
            BEGIN
                FOR elsewhere IN
                    SELECT away FROM account WHERE space = ANY (wanted) ORDER BY space FOR UPDATE
                LOOP
                    IF elsewhere IS NULL THEN found_here := found_here + 1; END IF;
                END LOOP;
                IF found_here <> (SELECT count(DISTINCT one) FROM unnest(wanted) AS one) THEN
                    RAISE EXCEPTION 'another store serves this account' USING ERRCODE = 'ML001';
                END IF;
            END
            $$;

            -- What is left of an account that another store serves goes as well.
            CREATE OR REPLACE FUNCTION event_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                IF TG_OP = 'DELETE' THEN
                    IF EXISTS (
                        SELECT 1 FROM account
                        WHERE space = old.space AND (deleted IS NOT NULL OR away IS NOT NULL))
                    THEN
                        RETURN old;
                    END IF;
                END IF;
                RAISE EXCEPTION 'event is append-only' USING ERRCODE = 'restrict_violation';
            END
            $$
            """),
        PostgreSQLMigration(
            name: "+ server invited",
            """
            -- In the directory: the invitation of which the address holds a use until its account is made.
            ALTER TABLE placement ADD COLUMN invitation bytea;

            CREATE INDEX placement_by_invitation ON placement (invitation) WHERE invitation IS NOT NULL
            """),
    ]
}
