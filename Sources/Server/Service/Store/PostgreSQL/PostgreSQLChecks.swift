/// What keeps a server from starting on a PostgreSQL database, found out before anything is changed.
package import MacrologCryptography
import MacrologEvents
package import MacrologPostgreSQL

extension PostgreSQLServerStore {
    /// Refuses a database on which a server with these secrets and keys would not start. Changes nothing.
    ///
    /// - Parameter secrets: `nil` if there are none yet, which only a new database allows.
    /// - Throws: ``StoreMark``, ``OtherSecrets``, ``ServerFile/KeyProblem``, and what the database says.
    package static func check(
        _ address: PostgreSQLAddress, secrets: Secrets?, keys: [DataKey]
    ) throws {
        var connection = try PostgreSQLConnection.open(address)
        try connection.requirePlace(address)
        if let mark = try connection.mark() { throw mark }
        if try !connection.pendingMigrations(PostgreSQLSchema.migrations).isEmpty {
            try connection.requireCreating(address)
        }
        guard try connection.hasStore() else { return }
        guard let secrets, try connection.accountsBelong(to: secrets) else { throw OtherSecrets() }
        if let problem = AtRest.problem(try connection.storedKeys(), keys) { throw problem }
    }

    /// Whether a database knows photos.
    package static func hasPhotos(_ address: PostgreSQLAddress) throws(PostgreSQLError) -> Bool {
        var connection = try PostgreSQLConnection.open(address)
        guard try connection.hasStore() else { return false }
        return try connection.first("SELECT 1 FROM blob LIMIT 1") { _ in true } ?? false
    }

    /// By what a folder of photos is known to be that of servers with these secrets.
    package static func folderMark(_ secrets: Secrets) -> String { hexadecimal(secrets.mark) }

    /// Refuses secrets that are not those of a database with a store. Changes nothing.
    package static func check(_ address: PostgreSQLAddress, secrets: Secrets) throws {
        var connection = try PostgreSQLConnection.open(address)
        guard try connection.hasStore() else { return }
        guard try connection.accountsBelong(to: secrets) else { throw OtherSecrets() }
    }
}

extension PostgreSQLConnection {
    /// Whether a server has used the database.
    fileprivate mutating func hasStore() throws(PostgreSQLError) -> Bool {
        let exists = try first("SELECT to_regclass('server') IS NOT NULL") { $0.int(0) == 1 }
        guard exists == true else { return false }
        return try epoch() != nil
    }

    /// Refuses a database that cannot hold every text, and a role that sees no schema.
    mutating func requirePlace(_ address: PostgreSQLAddress) throws(PostgreSQLError) {
        let place = try first(
            """
            SELECT CAST(pg_encoding_to_char(encoding) AS text), current_schema() IS NOT NULL
            FROM pg_database WHERE datname = current_database()
            """
        ) { (encoding: $0.text(0), hasSchema: $0.int(1) == 1) }
        guard let place else { return }
        guard place.encoding == "UTF8" else {
            throw .unsuitable(
                address, "its encoding is \(place.encoding)",
                "make one with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0, and name that one"
            )
        }
        guard place.hasSchema else {
            throw .unsuitable(
                address, "this user sees no schema in it",
                "make one for it with CREATE SCHEMA, or set its search_path with ALTER ROLE")
        }
    }

    /// Refuses a role that cannot make the tables which are missing.
    fileprivate mutating func requireCreating(_ address: PostgreSQLAddress) throws(PostgreSQLError)
    {
        let canCreate = try first("SELECT has_schema_privilege(current_schema(), 'CREATE')") {
            $0.int(0) == 1
        }
        guard canCreate == true else {
            throw .unsuitable(
                address, "tables are missing, and this user may not create them",
                "as the owner, type `sync-server store roles`, or GRANT CREATE ON SCHEMA to this user"
            )
        }
    }
}

extension PostgreSQLError {
    fileprivate static func unsuitable(
        _ address: PostgreSQLAddress, _ detail: String, _ hint: String
    ) -> PostgreSQLError {
        PostgreSQLError(
            .unsuitable, operation: "using \(address.summary)", detail: detail, hint: hint)
    }
}
