import Foundation
import MacrologTestSupport
import Testing

/// Goal: an operator joins databases and moves accounts between them, whatever kills the command on the way, and is
/// told what to do after each mistake.
/// Method: the real program: moves that are killed after some time, by seed, and given again, or undone.
@Suite(.enabled(if: PostgreSQLServer.isThere, Comment(rawValue: PostgreSQLServer.tools.missing)))
struct PlacingTests {
    private let shell = ServerShell()

    private func database() throws -> String {
        let server = try PostgreSQLServer.shared()
        let address = server.address(of: try server.newDatabase()) + "&connect_timeout=600"
        return address.replacing("postgresql://", with: "postgres://")
    }

    private func run(_ line: String, _ status: Int32 = 0) throws -> String {
        let ended = try shell.run("exec $SERVER \(line)")
        #expect(ended.status == status, "\(line): \(ended)")
        return status == 0 ? ended.output : ended.errors
    }

    @Test(arguments: Dice.seeds(1))
    func `an account whose move is killed again and again is in one database`(seed: UInt64) throws {
        var dice = Dice(seed: seed)
        let (a, b) = (try database(), try database())
        let server = try shell.listen("--store '\(a)' --store-files files --no-gateway")
        let phone = try shell.person("ana@example.org", at: server.port)
        for number in 0..<20 {
            #expect(
                try phone.run(["quick", "\(100 + number)kcal", "Bread"], together: true).status == 0
            )
        }
        #expect(try phone.run(["sync"], together: true).status == 0)
        let stores = "--store 'a=\(a)' --store 'b=\(b)'"
        #expect(try run("store join \(stores) --data data", 75).contains("is connected to a"))
        server.stop()
        #expect(try run("store join \(stores) --data data").contains("Joined: a, b"))
        #expect(try run("store join \(stores) --data data").contains("joined before"))
        #expect(try run("account list \(stores)").contains(/ana@example.org +a/))

        let words = "account move ana@example.org \(stores) --data data --to"
        var (kills, place) = (0, "a")
        while kills < 6 {
            let target = dice.percent(50) ? "a" : "b"
            let ended = try shell.run(
                "$SERVER \(words) \(target) & sleep 0.\(String(format: "%03d", dice.below(150))); kill -9 $!; wait $!"
            )
            if ended.status == 137 { kills += 1 }
            #expect([0, 75, 137].contains(ended.status), "seed \(seed): \(ended)")
            let shown = try run("account show ana@example.org \(stores) --data data")
            #expect(shown.split(separator: "\n").count == 3, "seed \(seed): \(shown)")
            place = shown.contains(/ana@example.org +a/) ? "a" : "b"
        }
        _ = try run("\(words) \(place)")
        let other = place == "a" ? "b" : "a"
        let moved = try shell.run("exec $SERVER \(words) \(other)")
        let (answer, steps) = (
            moved.output.replacing(/\d+/, with: "N"),
            moved.errors.replacing(/\d+ rows/, with: "N rows")
        )
        #expect(
            answer
                == "Moved ana@example.org with N events from \(place) to \(other). It was closed for N ms.\n"
        )
        #expect(
            steps == """
                \(other) has a place for the account, which is served as before.
                The account is closed in \(place): its devices are answered with 503, and try again.
                All N rows of the account were copied, read back and compared: they are equal.
                \(other) serves the account now.
                The directory says that the account is in \(other).
                The rows of the account that were left in \(place) are removed.

                """, "seed \(seed)")
        let again = try run("\(words) \(other)")
        #expect(again == "\(other) serves ana@example.org: there was nothing to move.\n")
        _ = try run("\(words) b")
        #expect(
            try run("account list \(stores) --data data").contains(
                /ana@example.org +b +\d+ KiB *\n/))
    }

    /// Marks a database while a closure runs.
    private func mark(_ mark: String, _ address: String, _ body: () throws -> Void) throws {
        let server = try PostgreSQLServer.shared()
        _ = try server.query(
            "INSERT INTO migration (number, name) SELECT max(number) + 1, '\(mark)' FROM migration",
            at: address)
        try body()
        _ = try server.query("DELETE FROM migration WHERE name = '\(mark)'", at: address)
    }

    @Test func `each mistake has its sentence`() throws {
        let (a, b) = (try database(), try database())
        let (one, both) = ("--store 'a=\(a)'", "--store 'a=\(a)' --store 'b=\(b)'")
        #expect(try run("account list", 64).contains("SQLite is always the only one"))
        #expect(try run("account list --store '\(a)'", 64).contains("give each --store a name"))
        #expect(try run("account list \(one) \(one)", 64).contains("have the name a"))
        _ = try run("store join \(one) --data data")
        #expect(try run("store join \(both) --data other", 65).contains("two services"))
        #expect(
            try run("store join --store 'a=\(b)' --store 'b=\(a)' --data data", 64).contains(
                "has the name a"))
        _ = try run("store join \(both) --data data")
        #expect(try run("account list \(one)", 64).contains("has the database b, too"))
        #expect(
            try run("account list --store 'b=\(b)'", 64).contains(
                "none of these databases has the directory"))
        let move = "account move ana@example.org \(both)"
        #expect(try run("\(move) --data data", 64).contains("give --to NAME"))
        #expect(try run("\(move) --data none --to b", 66).contains("is missing"))
        #expect(try run("\(move) --data data --to b", 66).contains("no such account"))
        let server = try shell.listen("\(both) --store-files files --no-gateway")
        _ = try shell.person("ana@example.org", at: server.port)
        server.stop()
        try mark("restoring with epoch 5", b) {
            let said = try run("\(move) --data data --to b", 65)
            #expect(said.contains("the database b went back to an earlier state"), "\(said)")
            #expect(said.contains("`sync-server store restored` was interrupted. Give that"))
        }
        #expect(
            try run("migrate --from '\(a)' --to sqlite:new --data data", 64).contains(
                "one of several"))
        #expect(try run("store restored --store '\(a)' --data data", 64).contains("one of several"))
    }
}
