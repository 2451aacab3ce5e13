import Foundation
import MacrologEvents
import MacrologSQLite
import MacrologCryptography
import MacrologTestSupport
import Testing

/// Goal: a copy can be proved, and a drill finds every way in which it is not good.
/// Method: the real programs in the order in which an operator uses them.
@Suite struct CopyTests {
    private let shell = ServerShell()

    /// How copies of a test are made and opened.
    static let ways = ["plain", "sealed", "sealed, at rest"]

    private func prepare(_ way: String) throws -> (serve: String, make: String, prove: String) {
        var (serve, make, prove) = ("", "--backup-secrets", "")
        if way.contains("sealed") {
            let key = try shell.done("exec $SERVER backup key pair").split(separator: "\n")[0]
            make += " --backup-key \(key)"
            prove += " --backup-secret pair"
        }
        if way.contains("at rest") {
            _ = try shell.done("exec $SERVER at-rest-key create rest.key")
            serve = "--at-rest-key rest.key"
            make += " --at-rest-key rest.key"
            prove += " --at-rest-key rest.key"
        }
        return (serve, make, prove)
    }

    @Test func `what a copy lacks is said with what the command takes`() throws {
        try shell.fill("")
        _ = try shell.done("exec $SERVER backup add copies --data data")
        let folder = try shell.run("exec $SERVER verify copies --data data")
        #expect(
            folder.status == 64 && folder.errors.contains("sync-server drill copies"), "\(folder)")
        let drilled = try shell.run("exec $SERVER drill copies")
        #expect(drilled.errors.contains("`sync-server restore` takes --new-secrets"), "\(drilled)")
        let restored = try shell.run("exec $SERVER restore copies --new-secrets --data other")
        #expect(restored.status == 0, "\(restored)")
    }

    @Test func `a command that writes a file touches no other of its folder`() throws {
        try shell.fill("")
        for (name, line) in [
            ("copy.db", "backup copy.db --data data"), ("pair", "backup key pair"),
            ("rest.key", "at-rest-key create rest.key"),
            ("rest.key", "at-rest-key rotate rest.key"),
        ] {
            let others = ["partial", "unfinished", "unfinished-wal"].map { "\(name).\($0)" }
            for other in others { try shell.write(other, "mine") }
            _ = try shell.done("exec $SERVER \(line)")
            for other in others { #expect(try shell.done("cat \(other)") == "mine", "\(line)") }
        }
        #expect(shell.files(below: ".").count { $0.hasSuffix(".unfinished") } == 3)
    }

    @Test(.enabled(if: getuid() == 0, "needs root"))
    func `a file of another user is not one that others may read`() throws {
        try shell.listen("").stop()
        _ = try shell.done("chown 65534 data/secrets.key")
        let refused = try shell.run("exec $SERVER user list --data data")
        #expect(refused.status == 77 && refused.errors.contains("another user"), "\(refused)")
        #expect(!refused.errors.contains("chmod"), "\(refused)")
    }

    @Test(arguments: ways)
    func `a drill passes on a good copy, and fails on any flipped bit, missing blob or key`(
        way: String
    ) throws {
        let (serve, make, prove) = try prepare(way)
        try shell.fill(serve)
        _ = try shell.done("exec $SERVER backup add copies --data data \(make)")
        let good = try shell.done("exec $SERVER drill copies\(prove)")
        #expect(good.contains("is good: 3 events of 1 accounts, 1 blobs"), "\(good)")
        // One bit, in each file.
        let all = shell.files(below: "copies").filter { !$0.hasSuffix(".lock") }
        #expect(all.count == (way.contains("at rest") ? 8 : 6), "\(all)")
        for path in all {
            let whole = try Data(contentsOf: URL(filePath: path))
            for place in [0, whole.count / 2, whole.count - 1] {
                var bytes = whole
                bytes[place] ^= 0x10
                try bytes.write(to: URL(filePath: path))
                let refused = try shell.run("exec $SERVER drill copies\(prove)")
                #expect(refused.status == 65, "\(path), byte \(place): \(refused)")
            }
            // A file that was cut off, or is not there.
            try whole.dropLast(1).write(to: URL(filePath: path))
            #expect(try shell.run("exec $SERVER drill copies\(prove)").status == 65, "\(path)")
            try FileManager.default.removeItem(atPath: path)
            let missing = try shell.run("exec $SERVER drill copies\(prove)")
            let isNoCopy = path.hasSuffix("manifest")
            // Where nothing was deleted, no ledger is missing.
            let expected: Int32 = path.hasSuffix("deletions") ? 0 : isNoCopy ? 66 : 65
            #expect(missing.status == expected, "\(path): \(missing)")
            try whole.write(to: URL(filePath: path))
        }
        // Without a key that it needs, or with another one.
        for option in prove.matches(of: /--[a-z-]+ [a-z.]+/).map({ String($0.0) }) {
            let without = try shell.run(
                "exec $SERVER drill copies\(prove.replacing(" " + option, with: ""))")
            let name = String(option.split(separator: " ")[0])
            #expect(without.status == 66 && without.errors.contains(name), "\(without)")
            let verb = name == "--backup-secret" ? "backup key" : "at-rest-key create"
            _ = try shell.done("rm -f other; exec $SERVER \(verb) other")
            let wrong = try shell.run(
                "exec $SERVER drill copies\(prove.replacing(option, with: "\(name) other"))")
            #expect(wrong.status == 65, "\(wrong)")
        }
        #expect(try shell.done("exec $SERVER drill copies\(prove)").contains("is good"))
        #expect(shell.files(below: ".").allSatisfy { !$0.contains("macrolog-drill") })
    }

    @Test func `secrets that are kept apart are asked for, and compared`() throws {
        try shell.fill("")
        _ = try shell.done("exec $SERVER backup add copies --data data")
        let asked = try shell.run("exec $SERVER drill copies")
        #expect(asked.status == 66 && asked.errors.contains("--secrets"), "\(asked)")
        _ = try shell.done("exec $SERVER drill copies --secrets data/secrets.key")
        try Data(repeating: 7, count: 96).write(to: URL(filePath: shell.folder.file("other")))
        let other = try shell.run("chmod 600 other; exec $SERVER drill copies --secrets other")
        #expect(other.status == 65 && other.errors.contains("not those"), "\(other)")
        // An account that is being deleted has no address to compare.
        let server = try shell.listen("")
        _ = try shell.person("ben@example.org", at: server.port)
        server.stop()
        var db = try Connection.open(shell.folder.file("data/server.db"))
        try db.run("UPDATE account SET deleted = 1, email = '' WHERE space = 1")
        _ = try shell.done("exec $SERVER backup add copies --data data")
        let second = try shell.run("exec $SERVER drill copies --secrets other")
        #expect(second.status == 65 && second.errors.contains("not those"), "\(second)")
        _ = try shell.done("exec $SERVER drill copies --secrets data/secrets.key")
    }

    private var blobsOfCopies: [String] {
        shell.files(below: "copies").filter { $0.contains("server.db.blobs") }
    }

    private func inodes(_ paths: [String]) throws -> Set<Int?> {
        Set(
            try paths.map {
                try FileManager.default.attributesOfItem(atPath: $0)[.systemFileNumber] as? Int
            })
    }

    @Test(arguments: ways + ["at rest"])
    func `what is damaged in one copy is written again in the next`(way: String) throws {
        let (serve, make, prove) = try prepare(way)
        try shell.fill(serve)
        let add = "exec $SERVER backup add copies --data data \(make)"
        _ = try shell.done(add)
        let path = try #require(blobsOfCopies.first)
        var bytes = try Data(contentsOf: URL(filePath: path))
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: URL(filePath: path))
        let second = try shell.run(add)
        #expect(second.status == 65 && second.errors.contains("written again"), "\(second)")
        #expect(try shell.done("exec $SERVER drill copies\(prove)").contains("is good"))
        // The next one has the photo of the second one.
        _ = try shell.done(add)
        #expect(try blobsOfCopies.count == 3 && inodes(blobsOfCopies).count == 2)
        // A list that is damaged proves nothing.
        _ = try shell.done("for copy in copies/2*; do echo >> $copy/blobs; done")
        let fourth = try shell.run(add)
        #expect(fourth.status == 65 && fourth.errors.contains("its list of photos"), "\(fourth)")
        #expect(try blobsOfCopies.count == 4 && inodes(blobsOfCopies).count == 3)
        #expect(try shell.done("exec $SERVER drill copies\(prove)").contains("is good"))
    }

    @Test func `a photo that is damaged in the server is reported at each copy`() throws {
        try shell.fill("")
        let add = "exec $SERVER backup add copies --data data"
        let path = try #require(shell.files(below: "data").first { $0.contains("server.db.blobs") })
        let whole = try Data(contentsOf: URL(filePath: path))
        var bytes = whole
        bytes[9] ^= 1
        try bytes.write(to: URL(filePath: path))
        for _ in 0..<2 {
            let made = try shell.run(add)
            #expect(made.status == 65 && made.errors.contains("not what its name says"), "\(made)")
        }
        try whole.write(to: URL(filePath: path))
        _ = try shell.done(add)
        #expect(
            try shell.done("exec $SERVER drill copies --secrets data/secrets.key").contains("good"))
        // Damaged afterwards, the server's photo is not taken instead of that of the last copy.
        try bytes.write(to: URL(filePath: path))
        _ = try shell.done(add)
        #expect(
            try shell.done("exec $SERVER drill copies --secrets data/secrets.key").contains("good"))
    }

    @Test func `no public key begins with a dash, which would be another option`() throws {
        // One of 64 would.
        let keys = try shell.done(
            "for n in $(seq 300); do $SERVER backup key secret-$n || exit 1; done")
        #expect(keys.split(separator: "\n").allSatisfy { !$0.hasPrefix("-") })
    }

    @Test func `after a restore no photo of an earlier copy is taken over`() throws {
        try shell.fill("")
        _ = try shell.done("exec $SERVER backup add copies --data data")
        _ = try shell.done("exec $SERVER restore copies --data data --force")
        _ = try shell.done("exec $SERVER backup add copies --data data")
        #expect(try blobsOfCopies.count == 2 && inodes(blobsOfCopies).count == 2)
    }

    @Test func `copies are ordered by their time, and the one just made stays`() throws {
        try shell.fill("")
        let add = "$SERVER backup add copies --data data --keep"
        _ = try shell.done("\(add) 9 && mv copies/2* copies/x")
        _ = try shell.done("\(add) 9 && mv copies/2* copies/a")
        let drilled = try shell.done("exec $SERVER drill copies --secrets data/secrets.key")
        #expect(drilled.hasPrefix("copies/a is good"), "\(drilled)")
        // The clock was years ahead when one was made.
        try CopiedManifest.change(
            shell, "copies/x", /"made_at":\d+/, to: #""made_at":9999999999999"#,
            knowsSecrets: true)
        let made = try shell.run("\(add) 2")
        #expect(made.status == 65 && made.errors.contains("copies/x is from the future"), "\(made)")
        #expect(!shell.exists("copies/a"))
        _ = try shell.done("\(add) 1")
        let names = try FileManager.default.contentsOfDirectory(atPath: shell.folder.file("copies"))
        #expect(names.filter { $0.hasPrefix("2") }.count == 1 && !names.contains("x"), "\(names)")
    }

    @Test func `a server makes copies by itself, keeps some, and writes a photo once`() throws {
        let key = try shell.done("exec $SERVER backup key pair").split(separator: "\n")[0]
        let words = "--backup copies --every 1s --keep 2 --backup-secrets --backup-key \(key)"
        let server = try shell.listen(words)
        let phone = try shell.person("ana@example.org", at: server.port)
        try shell.addPhoto(1, to: phone)
        try shell.waitForLog(#""new_blob_count":1"#)
        try shell.waitForLog(#""blob_count":1,"new_blob_count":0"#)
        server.stop()
        let copies = try FileManager.default.contentsOfDirectory(
            atPath: shell.folder.file("copies")
        ).filter { !["copies.lock", "server.db.deletions"].contains($0) }
        #expect(copies.count == 2, "\(copies)")
        #expect(try blobsOfCopies.count == 2 && inodes(blobsOfCopies).count == 1)
        #expect(
            try shell.done("exec $SERVER drill copies --backup-secret pair").contains("1 blobs"))
    }

    @Test func `a restored copy is served, and its devices give back what it lacks`() throws {
        let (serve, make, prove) = try prepare("sealed, at rest")
        let server = try shell.listen(serve)
        let phone = try shell.person("ana@example.org", at: server.port)
        _ = try shell.done("exec $SERVER backup add copies --data data \(make)")
        try shell.addPhoto(2, to: phone)
        let port = server.port
        server.stop()
        _ = try shell.done("mv data lost")
        let refused = try shell.run("exec $SERVER restore copies --data data --backup-secret pair")
        #expect(refused.status == 66 && refused.errors.contains("--at-rest-key"), "\(refused)")
        #expect(!shell.exists("data/server.db") && !shell.exists("data/server.db.restored"))
        let done = try shell.done("exec $SERVER restore copies --data data\(prove)")
        #expect(
            done.contains("Restored 2 events of 1 accounts") && done.contains("secrets.key is that")
        )
        let again = try shell.listen("\(serve) --listen 127.0.0.1:\(port)")
        let login = try phone.run(
            [
                "auth", "login", "ana@example.org", "--server", "http://127.0.0.1:\(port)",
                "--password-stdin",
            ], input: "nine purple lanterns hum\n")
        #expect(login.status == 0, "\(login.errors)")
        #expect(try phone.run(["sync"]).status == 0)
        again.stop()
        let sound = try shell.done("exec $SERVER verify --data data --at-rest-key rest.key")
        #expect(sound.contains("holds 3 events of 1 accounts, 1 blobs; no damage"), "\(sound)")
    }

    /// Leaves a database of before there was the last migration.
    private func dropLastMigration() throws {
        var db = try Connection.open(shell.folder.file("data/server.db"))
        try db.execute("DROP TABLE data_key")
        try db.run("DELETE FROM migration WHERE name = 'server keys'")
        try db.checkpoint()
    }

    @Test func `a database of the version before is copied, upgraded, and served`() throws {
        // Without photos, which the copy of the database leaves where they are.
        let first = try shell.listen("")
        _ = try shell.person("ana@example.org", at: first.port)
        first.stop()
        try dropLastMigration()
        let before = try Data(contentsOf: URL(filePath: shell.folder.file("data/server.db")))
        let check = try shell.done("exec $SERVER upgrade --check --data data")
        #expect(check.contains("lacks: server keys"), "\(check)")
        #expect(try Data(contentsOf: URL(filePath: shell.folder.file("data/server.db"))) == before)
        let done = try shell.done("exec $SERVER upgrade --data data")
        #expect(done.contains("data/server.db.before-server-keys"), "\(done)")
        #expect(try shell.done("exec $SERVER upgrade --data data").contains("Nothing to do"))
        #expect(try shell.done("exec $SERVER verify --data data").contains("no damage"))
        // The copy is what an earlier program can serve.
        #expect(
            try shell.done("exec $SERVER verify data/server.db.before-server-keys").contains(
                "no damage"))
        // A start does the same.
        _ = try shell.done(
            "mv data/server.db.before-server-keys data/server.db; cp data/server.db was")
        let server = try shell.listen("--log text")
        server.stop()
        #expect(try shell.errors().contains("upgrading copy=\"data/server.db.before-server-keys\""))
    }

    @Test(arguments: [
        "backup add data/server.db/x --data data", "drill nowhere", "drill data",
        "restore data --data new",
        "backup add copies --data nowhere", "backup key pair", "upgrade --data nowhere",
    ])
    func `a copy that cannot be made or read is refused with a sentence`(words: String) throws {
        try shell.fill("")
        _ = try shell.done("echo x > pair")
        let result = try shell.run("exec $SERVER \(words)")
        #expect([64, 65, 66, 73].contains(result.status), "\(words): \(result)")
        #expect(result.errors.hasPrefix("sync-server"), "\(result.errors)")
        #expect(result.errors.dropLast().hasSuffix("."), "\(result.errors)")
        #expect(!shell.exists("new") && shell.files(below: "copies").isEmpty)
    }
}
