import MacrologPostgreSQL
import MacrologSystem
import MacrologTestSupport
import Synchronization
import Testing

/// Goal: of programs that start together one makes each step, and none makes half of it; a database of
/// another program is refused with what to do.
@Suite(.enabled(if: PostgreSQLServer.isThere, Scratch.missing))
struct MigrationTests {
    private static let first = PostgreSQLMigration(
        name: "first",
        """
        CREATE TABLE entry (number bigint PRIMARY KEY);

        INSERT INTO entry VALUES (1)
        """)
    private static let second = PostgreSQLMigration(name: "second", "INSERT INTO entry VALUES (2)")
    private static let broken = PostgreSQLMigration(
        name: "second",
        """
        INSERT INTO entry VALUES (2);

        INSERT INTO entry VALUES (1)
        """)

    @Test func `programs that start together make each step once`() throws {
        let address = try Scratch.address()
        let made = Mutex<[String]>([])
        let workers = (0..<6).map { _ in
            Worker.start {
                do {
                    var db = try PostgreSQLConnection.open(address)
                    let names = try db.migrate([Self.first, Self.second])
                    made.withLock { $0 += names }
                } catch {
                    made.withLock { $0.append("\(error)") }
                }
            }
        }
        for worker in workers { worker.join() }
        #expect(made.withLock { $0.sorted() } == ["first", "second"])
        var db = try PostgreSQLConnection.open(address)
        #expect(try db.all("SELECT number FROM entry ORDER BY number") { $0.int(0) } == [1, 2])
        #expect(try db.pendingMigrations([Self.first, Self.second]) == [])
    }

    @Test func `a step that fails leaves nothing of itself`() throws {
        var db = try Scratch.connection()
        #expect(try db.pendingMigrations([Self.first, Self.second]) == ["first", "second"])
        try db.migrate([Self.first])
        #expect(throws: PostgreSQLError.self) { try db.migrate([Self.first, Self.broken]) }
        #expect(try db.pendingMigrations([Self.first, Self.second]) == ["second"])
        #expect(try db.migrate([Self.first, Self.second]) == ["second"])
    }

    @Test func `a database of another program is refused`() throws {
        var db = try Scratch.connection()
        try db.migrate([Self.first, Self.second])
        for others in [[Self.first], [Self.second, Self.first]] {
            let error = #expect(throws: PostgreSQLError.self) { try db.migrate(others) }
            #expect(error?.code == .migrations && error?.hint != nil)
        }
    }

    @Test
    func `a program runs on a database whose newer steps only add, and beside the newer program`()
        throws
    {
        let address = try Scratch.address()
        let added = PostgreSQLMigration(name: "+ third", "ALTER TABLE entry ADD COLUMN word text")
        let narrowed = PostgreSQLMigration(
            name: "fourth", "ALTER TABLE entry ALTER COLUMN word SET NOT NULL")
        let (old, new) = ([Self.first, Self.second], [Self.first, Self.second, added])
        var node = try PostgreSQLConnection.open(address)
        try node.migrate(old)
        try node.run("INSERT INTO entry VALUES (?)", 3)
        var newer = try PostgreSQLConnection.open(address)
        #expect(try newer.migrate(new) == ["+ third"])
        // The node that runs, and one that starts.
        try node.run("INSERT INTO entry VALUES (?)", 4)
        try node.flush()
        var again = try PostgreSQLConnection.open(address)
        #expect(try again.migrate(old) == [])
        #expect(try again.pendingMigrations(old) == [])
        try again.run("INSERT INTO entry VALUES (?)", 5)
        try again.flush()
        #expect(try newer.first("SELECT count(*) FROM entry") { $0.int(0) } == 5)
        try newer.run("UPDATE entry SET word = ''")
        try newer.migrate(new + [narrowed])
        let error = #expect(throws: PostgreSQLError.self) { try again.migrate(old) }
        #expect(error?.detail.contains("fourth") == true)
    }
}
