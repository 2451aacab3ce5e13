import MacrologPostgreSQL
import MacrologTestSupport
import Testing

/// Empty databases in one server, which runs as long as these tests.
enum Scratch {
    static let server = Result { try PostgreSQLServer(isDurable: false) }
    static let missing = Comment(rawValue: PostgreSQLServer.tools.missing)

    static func address() throws -> PostgreSQLAddress {
        let server = try server.get()
        return try PostgreSQLAddress(server.address(of: try server.newDatabase()))
    }

    static func connection() throws -> PostgreSQLConnection {
        try PostgreSQLConnection.open(try address())
    }
}
