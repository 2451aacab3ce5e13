/// The rights of a role that only serves: it adds events and reads them, and changes none.
package import MacrologPostgreSQL

extension PostgreSQLServerStore {
    /// Why a role cannot be one that only serves.
    package enum RoleError: Error {
        /// There is no such role.
        case missing
        /// No right restricts it.
        case superuser
        /// It owns the tables, or is a member of the role that does.
        case owner
    }

    /// Makes the tables if they are missing, and gives a role what a server needs. The user of the address
    /// owns the tables from then on, or did before. All tables of the schema that it owns are meant.
    package static func giveRights(_ address: PostgreSQLAddress, to role: String) throws {
        var connection = try PostgreSQLConnection.open(address)
        if let mark = try connection.mark() { throw mark }
        let found = try connection.first(
            """
            SELECT rolsuper, pg_has_role(role.oid, current_user, 'MEMBER')
            FROM pg_roles AS role WHERE rolname = ?
            """, role
        ) { (isSuperuser: $0.int(0) == 1, isOwner: $0.int(1) == 1) }
        guard let found else { throw RoleError.missing }
        guard !found.isSuperuser else { throw RoleError.superuser }
        guard !found.isOwner else { throw RoleError.owner }
        try connection.migrate(PostgreSQLSchema.migrations)
        try connection.transaction { db in
            _ = try db.first("SELECT set_config('macrolog.role', ?, true)", role) { $0.text(0) }
            try db.run(
                """
                DO $$
                DECLARE
                    node text := current_setting('macrolog.role');
                    one text;
                BEGIN
                    EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', current_schema(), node);
                    FOR one IN
                        SELECT tablename FROM pg_tables
                        WHERE schemaname = current_schema() AND tableowner = current_user
                    LOOP
                        EXECUTE format('REVOKE ALL ON %I FROM %I', one, node);
                        EXECUTE format(
                            'GRANT %s ON %I TO %I',
                            CASE one WHEN 'event' THEN 'SELECT, INSERT' WHEN 'migration' THEN 'SELECT'
                                ELSE 'SELECT, INSERT, UPDATE, DELETE' END, one, node);
                    END LOOP;
                    EXECUTE format('GRANT EXECUTE ON FUNCTION remove_event(bigint) TO %I', node);
                END
                $$
                """)
        }
    }
}
