import MacrologCryptography
import MacrologHTTP
import MacrologJSON
import MacrologPostgreSQL
import MacrologService
import MacrologTestSupport
import Testing

/// Goal: a server whose role only serves does everything that a server does, and even who has its password cannot
/// change or delete an event.
/// Method: a service on such a role; and the same role with statements of its own.
@Suite(.enabled(if: PostgreSQLServer.isThere, Comment(rawValue: PostgreSQLServer.tools.missing)))
struct RolesTests {
    private let folder = ScratchFolder()
    private let server: PostgreSQLServer
    private let database, role: String

    init() throws {
        server = try ScratchDatabases.shared.get().server
        database = try server.newDatabase()
        role = "node_\(database)"
    }

    private func address(as user: String) throws -> PostgreSQLAddress {
        try PostgreSQLAddress(
            server.address(of: database).replacing("user=postgres", with: "user=\(user)"))
    }

    private func store() throws -> PostgreSQLServerStore {
        try PostgreSQLServerStore.open(
            try address(as: role), beside: folder.file("server.db"), secrets: TestServer.secrets,
            newEpoch: 7, connections: 5
        ) { _ in }
    }

    /// What the database says to a statement of the role.
    private func refusal(_ statement: String) throws -> String {
        let error = #expect(throws: UnpackedProcess.Failed.self, "\(statement)") {
            try server.query(
                statement,
                at: server.address(of: database).replacing(
                    "user=postgres", with: "user=\(role)"))
        }
        return error.map { "\($0)" } ?? ""
    }

    @Test func `a role that only serves does all that a server does, and changes no event`() throws
    {
        try server.query("CREATE ROLE \(role) LOGIN")
        // Without the tables, it cannot make them.
        let denied = #expect(throws: PostgreSQLError.self) { _ = try store() }
        #expect(denied?.state == "42501")
        try PostgreSQLServerStore.giveRights(try address(as: "postgres"), to: role)
        try PostgreSQLServerStore.giveRights(try address(as: "postgres"), to: role)
        let service = try TestServer(store: try store()) { $0.rates = .none }
        let (ana, ben) = (try service.login(), try service.login("ben@example.org"))
        for (number, tokens) in [ana, ben].enumerated() {
            var device = TestDevice(UInt64(number + 1))
            for _ in 0..<3 { device.record() }
            _ = try device.fold(service.sync(device.request, token: tokens.access))
        }
        _ = try service.administer("invite create", ["uses": 1, "days": 7])
        _ = try service.administer("user disable", ["email": "ben@example.org"])
        _ = try service.administer("user delete", ["email": "ben@example.org"])
        let isGone = try eventually {
            try server.query("SELECT count(*) FROM event", in: database) == "3"
        }
        #expect(isGone, "the events of a deleted account are removed")
        for statement in [
            "UPDATE event SET t = t + 1", "DELETE FROM event", "TRUNCATE event",
            "DROP TABLE event", "ALTER TABLE event DISABLE TRIGGER ALL",
            "DROP TRIGGER event_refuses_change ON event",
            "CREATE OR REPLACE FUNCTION event_is_append_only() RETURNS trigger LANGUAGE plpgsql AS 'begin return old; end'",
            "UPDATE migration SET name = name", "CREATE TABLE other (n bigint)",
        ] {
            let text = try refusal(statement)
            #expect(text.contains("permission denied") || text.contains("must be owner"), "\(text)")
        }
        #expect(try refusal("SELECT remove_event(place) FROM event").contains("append-only"))
        #expect(try server.query("SELECT count(*) FROM event", in: database) == "3")
        service.server.close()
        try store().close()
    }

    @Test func `a role that no right restricts is refused`() throws {
        let owner = try address(as: "postgres")
        func problem(_ role: String) -> PostgreSQLServerStore.RoleError? {
            #expect(throws: PostgreSQLServerStore.RoleError.self) {
                try PostgreSQLServerStore.giveRights(owner, to: role)
            }
        }
        #expect(problem(role) == .missing)
        #expect(problem("postgres") == .superuser)
        let maker = "maker_\(database)"
        try server.query(
            """
            CREATE ROLE \(maker) LOGIN; CREATE ROLE \(role) LOGIN; GRANT \(maker) TO \(role);
            GRANT CREATE, USAGE ON SCHEMA public TO \(maker)
            """, in: database)
        for one in [role, maker] {
            let error = #expect(throws: PostgreSQLServerStore.RoleError.self) {
                try PostgreSQLServerStore.giveRights(
                    try PostgreSQLAddress(
                        server.address(of: database).replacing(
                            "user=postgres", with: "user=\(maker)")
                            + "&options=-c%20search_path%3Dpublic"), to: one)
            }
            #expect(error == .owner, "\(one)")
        }
    }
}
