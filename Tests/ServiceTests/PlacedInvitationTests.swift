import MacrologHTTP
import MacrologJSON
import MacrologPostgreSQL
import MacrologService
import MacrologSystem
import MacrologTestSupport
import Testing

/// Goal: one account costs one use of an invitation, wherever its registration is interrupted.
/// Method: a trigger of the database fails the step in which the node is to have died: a node undoes nothing of the steps
/// before, so what is left is the same.
@Suite(
    .serialized,
    .enabled(if: PostgreSQLServer.isThere, Comment(rawValue: PostgreSQLServer.tools.missing)))
struct PlacedInvitationTests {
    /// The step in which a registration ends.
    enum Cut: CaseIterable {
        /// The directory reserves the address, with a use of the invitation.
        case reserving
        /// The store adds the account.
        case adding
        /// The directory notes that it is there.
        case noting
        /// The same, of an address that is known by now: the one before was cut when it was added.
        case notingLater

        var isMade: Bool { self == .noting || self == .notingLater }
    }

    private let rig: PlacedRig

    init() throws { rig = try PlacedRig(newIn: ["a", "b"]) }

    private func invitation(uses: Int64 = 1) throws -> String {
        let made = try rig.nodes[0].administer(
            "invite create", ["uses": .integer(uses), "days": 7])
        return try #require(made["invitation"]?["code"]?.string)
    }

    private func register(
        _ code: String, of email: String = "ana@example.org", at node: Int
    ) -> Int {
        rig.nodes[node].post(
            "/v1/auth/register",
            [
                "email": .string(email), "password": .string(password),
                "invitation": .string(code),
            ]
        ).status
    }

    private func used() throws -> [Int64] { try rig.nodes[0].store.invitations().map(\.used) }
    private func accounts() throws -> Int64 {
        try ["a", "b"].reduce(0) { try $0 + rig.count("SELECT count(*) FROM account", in: $1) }
    }
    private func held() throws -> Int64 {
        try rig.count("SELECT count(invitation) FROM placement", in: "a")
    }

    /// Fails a statement while a closure runs.
    private func failing(
        _ trigger: StaticString, in store: String, _ body: () throws -> Void
    ) throws {
        var db = try rig.open(store)
        try db.run(
            """
            CREATE OR REPLACE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql AS
            'BEGIN RAISE EXCEPTION \'\'cut\'\'; END'
            """)
        try db.run(trigger)
        try db.flush()
        try body()
        try db.run("DROP FUNCTION cut CASCADE")
        try db.flush()
    }

    /// Registers at a node that ends in a step.
    private func cut(_ cut: Cut, _ code: String) throws {
        switch cut {
        case .reserving:
            try failing(
                "CREATE TRIGGER cut BEFORE INSERT ON placement FOR EACH ROW EXECUTE FUNCTION cut()",
                in: "a"
            ) { #expect(register(code, at: 1) == 500) }
        case .adding:
            try failing(
                "CREATE TRIGGER cut BEFORE INSERT ON account FOR EACH ROW EXECUTE FUNCTION cut()",
                in: "b"
            ) { #expect(register(code, at: 1) == 500) }
        case .noting, .notingLater:
            if cut == .notingLater { try self.cut(.adding, code) }
            try failing(
                """
                CREATE TRIGGER cut BEFORE UPDATE ON placement FOR EACH ROW
                WHEN (new.invitation IS NULL) EXECUTE FUNCTION cut()
                """, in: "a"
            ) { #expect(register(code, at: 1) == 202) }
        }
        #expect(try used() == [cut == .reserving ? 0 : 1], "\(cut)")
        #expect(try held() == (cut == .reserving ? 0 : 1), "\(cut)")
        #expect(try accounts() == (cut.isMade ? 1 : 0), "\(cut)")
    }

    @Test(arguments: Cut.allCases)
    func `the same person needs no other invitation`(_ cut: Cut) throws {
        let code = try invitation()
        try self.cut(cut, code)
        #expect(register(code, at: 0) == 202)
        #expect(try used() == [1] && held() == 0)
        #expect(try accounts() == 1)
        _ = try rig.nodes[0].login()
        #expect(register(code, of: "ben@example.org", at: 0) == 403)
    }

    @Test(arguments: Cut.allCases)
    func `who does not come back leaves the use to others`(_ cut: Cut) throws {
        let code = try invitation()
        try self.cut(cut, code)
        rig.nodes[0].server.forgetEnded()
        let isSettled = try eventually { try held() == 0 }
        #expect(isSettled)
        #expect(try used() == [cut.isMade ? 1 : 0])
        #expect(register(code, of: "ben@example.org", at: 0) == (cut.isMade ? 403 : 202))
        // Whose address was reserved is a stranger again.
        #expect(register(code, at: 1) == 403)
        #expect(try used() == [1] && accounts() == 1)
    }

    @Test func `an address that holds a use takes no other, unless that was revoked`() throws {
        let (first, second) = (try invitation(), try invitation(uses: 2))
        try failing(
            "CREATE TRIGGER cut BEFORE INSERT ON account FOR EACH ROW EXECUTE FUNCTION cut()",
            in: "b"
        ) {
            #expect(register(first, at: 1) == 500)
            #expect(register(second, of: "ben@example.org", at: 1) == 500)
        }
        #expect(try used() == [1, 1])
        // Neither a code that is wrong, nor that of another one.
        #expect(register(String(first.reversed()), at: 1) == 403)
        #expect(register(first, of: "eve@example.org", at: 1) == 403)
        #expect(register(second, at: 1) == 202)
        #expect(try used() == [1, 1] && accounts() == 1)
        _ = try rig.nodes[0].administer("invite revoke", ["number": 2])
        #expect(register(second, of: "ben@example.org", at: 1) == 403)
        let third = try invitation()
        #expect(register(third, of: "ben@example.org", at: 1) == 202)
        #expect(try used() == [1, 1] && accounts() == 2 && held() == 0)
    }

    @Test func `a registration whose use is given back on the way takes it again`() throws {
        let code = try invitation()
        try cut(.adding, code)
        var db = try rig.open("b")
        try db.run("BEGIN")
        try db.run("SELECT 1 FROM server FOR UPDATE")
        try db.flush()
        func waiting(_ count: Int64) throws -> Bool {
            try eventually {
                try rig.count(
                    """
                    SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'
                    AND datname = current_database()
                    """, in: "b") == count
            }
        }
        rig.nodes[0].server.forgetEnded()
        #expect(try waiting(1))
        let registration = Worker.start { #expect(register(code, at: 1) == 202) }
        #expect(try waiting(2))
        try db.run("COMMIT")
        try db.flush()
        registration.join()
        #expect(try used() == [1] && accounts() == 1 && held() == 0)
    }
}
