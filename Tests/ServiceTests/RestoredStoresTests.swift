import MacrologEvents
import MacrologHTTP
import MacrologJSON
import MacrologPostgreSQL
import MacrologService
import MacrologTestSupport
import Synchronization
import Testing

/// Goal: after one of several stores, or all of them, went back to an earlier state, each account is served by one store,
/// devices have everything again that was acknowledged, who was deleted stays so, and no number has two owners.
/// Method: a database is copied, accounts move, come and go, with moves that are cut after some step; the copy is put in its
/// place; the stores are brought back, also in several runs that are cut; and devices sync.
@Suite(.enabled(if: PostgreSQLServer.isThere, Comment(rawValue: PostgreSQLServer.tools.missing)))
struct RestoredStoresTests {
    private struct Cut: Error {}

    /// A person with some events in a store.
    private func person(
        _ number: UInt64, in store: String, _ rig: RestoredRig
    ) throws -> RestoredPerson {
        var person = RestoredPerson(number)
        try rig.serve(newIn: store) { try record(&person, $0) }
        person.registrations = 0
        return person
    }

    private func record(_ person: inout RestoredPerson, _ server: TestServer) throws {
        for _ in 0..<3 { person.device.record("meal \(person.device.seq)") }
        try person.sync(server)
    }

    /// Syncs, and makes sure that the server has all that the device has.
    private func sync(
        _ person: inout RestoredPerson, _ server: TestServer, _ what: Comment
    ) throws {
        let known = person.rows
        try person.sync(server)
        #expect(person.rows.prefix(known.count) == known[...], what)
        #expect(try person.isRead(from: server), what)
        try record(&person, server)
    }

    @Test func `an account that left the store since is served where it went, and notices nothing`()
        throws
    {
        let rig = try RestoredRig()
        var (ana, ben) = (try person(1, in: "b", rig), try person(2, in: "b", rig))
        let backup = try rig.backup("b")
        try rig.serve { try record(&ana, $0) }
        try rig.move(1, to: "a")
        try rig.serve { server in
            try record(&ana, server)
            try record(&ben, server)
        }
        try rig.putBack(backup, as: "b")
        let report = try rig.renew(["b"])
        #expect(report.older.map(\.email) == [ana.email] && report.older.map(\.store) == ["b"])
        #expect(report.lost == [] && report.deleted == [] && report.reopened == [])
        try rig.check("moved away")
        #expect(try rig.serving(1) == ["a"])
        let refresh = ana.tokens?.refresh ?? ""
        try rig.serve { server in
            try sync(&ana, server, "moved away")
            try sync(&ben, server, "stayed")
            #expect(
                server.post("/v1/auth/refresh", ["refresh_token": .string(refresh)]).status == 200)
        }
        #expect(ana.recoveries == 0 && ana.device.epoch == 8)
        #expect(ben.recoveries == 1 && ben.device.epoch == 20)
    }

    @Test func `an account that came since is lost, and registers again under its number`() throws {
        let rig = try RestoredRig()
        var ana = try person(1, in: "a", rig)
        let backup = try rig.backup("b")
        try rig.move(1, to: "b")
        var ben = try person(2, in: "b", rig)
        try rig.putBack(backup, as: "b")
        try rig.query("INSERT INTO blob_history VALUES (1, NULL, NULL)", "a")
        for _ in 0..<2 {
            let report = try rig.renew(["b"])
            #expect(report.lost.map(\.space) == [1, 2] && report.lost.map(\.store) == ["b", "b"])
        }
        try rig.serve { server in
            try sync(&ana, server, "came")
            try sync(&ben, server, "was registered")
        }
        #expect(ana.registrations == 1 && ben.registrations == 1)
        #expect(try [ana, ben].map { try $0.space(rig) } == [1, 2])
        try rig.check("lost")
        // Photos of theirs are not collected for want of a row.
        #expect(try rig.query("SELECT count(*) FROM blob_history", "a") == "0")
        // What was lost is there again: a later backup was found.
        #expect(try rig.renew(["b"]).lost == [])
    }

    @Test func `an account that was away for a while is served as the backup has it`() throws {
        let rig = try RestoredRig()
        var ana = try person(1, in: "b", rig)
        let backup = try rig.backup("b")
        try rig.move(1, to: "a")
        try rig.serve { try record(&ana, $0) }
        try rig.move(1, to: "b")
        try rig.putBack(backup, as: "b")
        #expect(try rig.renew(["b"]).lost == [])
        try rig.check("there and back")
        try rig.serve { try sync(&ana, $0, "there and back") }
        #expect(ana.recoveries == 1 && ana.registrations == 0)
    }

    @Test(arguments: [true, false])
    func `an account that was deleted since is deleted again`(hasLedger: Bool) throws {
        let rig = try RestoredRig()
        let people = [try person(1, in: "b", rig), try person(2, in: "b", rig)]
        let backup = try rig.backup("b")
        try rig.serve { server in
            _ = try server.administer("user delete", ["email": .string(people[0].email)])
        }
        try rig.putBack(backup, as: "b")
        let report = try rig.renew(["b"], ledger: hasLedger ? "server.db" : "other.db")
        #expect(report.deletedByLedger == (hasLedger ? 1 : 0))
        #expect(report.deleted.map(\.email) == (hasLedger ? [] : [people[0].email]))
        try rig.serve { server in
            let login = server.post(
                "/v1/auth/login",
                [
                    "email": .string(people[0].email), "password": .string(password),
                    "device": "x",
                ])
            #expect(login.status == 401)
            let session = server.call(
                "GET", "/v1/devices", token: people[0].tokens?.access ?? "")
            #expect(session.status == 401)
        }
        #expect(try rig.query("SELECT count(*) FROM event WHERE space = 1", "b") == "0")
        #expect(try rig.query("SELECT count(*) FROM event WHERE space = 2", "b") == "3")
    }

    @Test func `a directory that went back knows again who is where, and gives no number twice`()
        throws
    {
        let rig = try RestoredRig()
        var ana = try person(1, in: "a", rig)
        var ben = try person(2, in: "b", rig)
        let backup = try rig.backup("a")
        try rig.move(1, to: "b")
        try rig.move(2, to: "a")
        var eve = try person(3, in: "b", rig)
        // Its number is known to no one any more.
        _ = try person(4, in: "a", rig)
        try rig.putBack(backup, as: "a")
        let report = try rig.renew(["a"])
        #expect(report.older.map(\.space) == [1] && report.lost.map(\.space) == [2])
        try rig.check("directory")
        try rig.serve { server in
            try sync(&ana, server, "was moved to b")
            try sync(&ben, server, "was lost in a")
            try sync(&eve, server, "was registered in b")
        }
        #expect([ana, ben, eve].map(\.registrations) == [0, 1, 0])
        let new = try person(5, in: "a", rig)
        #expect(try new.space(rig) > 4)
    }

    @Test func `of two accounts with one address the later one stays`() throws {
        let rig = try RestoredRig()
        let first = try person(1, in: "a", rig)
        let backup = try rig.backup("a")
        try rig.serve { server in
            _ = try server.administer("user delete", ["email": .string(first.email)])
        }
        var second = try person(1, in: "b", rig)
        try rig.putBack(backup, as: "a")
        // The ledger of another node is missing.
        #expect(try rig.renew(["a"], ledger: "other.db").deleted.map(\.space) == [1])
        #expect(try second.space(rig) == 2)
        try rig.serve { try sync(&second, $0, "the later one") }
        #expect(second.registrations == 0)
    }

    /// Moves that are cut, before the backup or after it.
    @Test(arguments: ["a", "b"], [1, 17, 18, 19])
    func `a move that was not finished is undone or completed, and one store serves`(
        source: String, steps: Int
    ) throws {
        for restored in [["b"], ["a"], ["a", "b"]] {
            for isBefore in [true, false] {
                let rig = try RestoredRig()
                var ana = try person(1, in: source, rig)
                func cut() throws {
                    let left = Mutex(steps)
                    _ = try? rig.move(1, to: source == "a" ? "b" : "a") { _ in
                        try left.withLock { left in
                            if left == 0 { throw Cut() }
                            left -= 1
                        }
                    }
                }
                if isBefore { try cut() }
                let backups = try restored.map { ($0, try rig.backup($0)) }
                if isBefore {
                    // Where it got to the other store, the account has grown there.
                    try? rig.serve { try record(&ana, $0) }
                } else {
                    try cut()
                    try? rig.serve { try record(&ana, $0) }
                }
                for (store, backup) in backups { try rig.putBack(backup, as: store) }
                try rig.renew(Set(restored))
                let what: Comment = "\(source), \(steps) steps, \(restored), \(isBefore)"
                try rig.check(what)
                try rig.serve { try sync(&ana, $0, what) }
                #expect(try rig.serving(1).count == 1, what)
                #expect(ana.registrations < 2, what)
            }
        }
    }

    @Test func `what is left of a log that was being removed is filled again`() throws {
        let rig = try RestoredRig()
        var ana = try person(1, in: "a", rig)
        try rig.serve { server in
            for _ in 0..<4 {
                for _ in 0..<300 { ana.device.record() }
                try ana.sync(server)
            }
        }
        try rig.query(
            """
            INSERT INTO blob VALUES (1, sha256('x'), 1000, 3);
            INSERT INTO blob_mention VALUES (1, sha256('x'), (1::bigint << 40) + 5, 0, 3)
            """, "a")
        let backup = try rig.backup("b")
        // The end of the log is gone already.
        #expect(throws: Cut.self) {
            try rig.move(1, to: "b") {
                if $0 == .removed(from: "a", isMore: false) { throw Cut() }
            }
        }
        #expect(try rig.query("SELECT count(*) FROM event", "a") == "203")
        try rig.serve { try record(&ana, $0) }
        try rig.putBack(backup, as: "b")
        let report = try rig.renew(["b"])
        #expect(report.reopened.map(\.store) == ["a"] && report.lost == [])
        try rig.check("left")
        // A photo that an event names, and one of which the event may come back, stays.
        #expect(try rig.query("SELECT place & 1023 FROM blob_mention", "a") == "5")
        #expect(try rig.query("SELECT stored > 3 FROM blob", "a") == "t")
        try rig.serve { try sync(&ana, $0, "left") }
        #expect(ana.recoveries == 1 && ana.device.epoch == 20)
    }

    @Test func `of two copies the one that was made from the other one is served`() throws {
        let rig = try RestoredRig()
        var ana = try person(1, in: "b", rig)
        try rig.move(1, to: "a")
        let backup = try rig.backup("a")
        try rig.move(1, to: "b")
        try rig.serve { try record(&ana, $0) }
        #expect(throws: Cut.self) {
            try rig.move(1, to: "a") { if $0 == .served(by: "a") { throw Cut() } }
        }
        try rig.putBack(backup, as: "a")
        let report = try rig.renew(["a"])
        #expect(report.reopened.map(\.store) == ["b"] && report.older.map(\.store) == ["a"])
        #expect(try rig.query("SELECT count(*) FROM event", "b") == "6")
        try rig.check("two copies")
        try rig.serve { try sync(&ana, $0, "two copies") }
        #expect(ana.registrations == 0)
    }

    @Test func `what makes it impossible is said before anything is changed`() throws {
        let rig = try RestoredRig()
        let backup = try rig.backup("a")
        _ = try person(1, in: "b", rig)
        #expect(throws: RestoredStoresError.unknownStore(["a", "b"])) { try rig.renew(["c"]) }
        #expect(throws: RestoredStoresError.unknownStore(["a", "b"])) { try rig.renew([]) }
        // The directory went back, and was not named.
        try rig.putBack(backup, as: "a")
        #expect(throws: RestoredStoresError.directoryWentBack("b", directory: "a")) {
            try rig.renew(["b"])
        }
        #expect(throws: Cut.self) {
            try rig.renew(["a"]) { if $0 == .renewed("a") { throw Cut() } }
        }
        #expect(throws: StoreMark.self) { try rig.serve { _ in } }
        #expect(throws: RestoredStoresError.isRestoring("a")) { try rig.renew(["b"]) }
        #expect(try rig.renew(["a"], epoch: 21).epoch == 20)
        try rig.check("refused")
        try rig.query("UPDATE migration SET name = 'later' WHERE number = 2", "b")
        #expect(throws: AccountMoveError.otherVersion("b")) { try rig.renew(["a"]) }
    }
}
