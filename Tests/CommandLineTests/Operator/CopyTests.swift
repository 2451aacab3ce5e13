import Foundation
import MacrologTestSupport
import Testing

/// Goal: a copy can be proved, and a drill finds every way in which it is not good; what is encrypted
/// at rest is in no file of the server or of its copies.
/// Method: the real programs in the order in which an operator uses them.
@Suite struct CopyTests {
    private let shell = ServerShell()

    private func shellDone(_ line: String) throws -> String {
        let result = try shell.run(line)
        #expect(result.status == 0, "\(line): \(result.errors)")
        return result.output
    }

    /// A person with a photo on a server with these words.
    private func fill(_ words: String) throws {
        let server = try shell.listen(words)
        defer { server.stop() }
        let phone = try shell.person("ana@example.org", at: server.port)
        try addPhoto(1, to: phone)
    }

    private func addPhoto(_ salt: UInt8, to phone: Computer) throws {
        try TinyPhoto.write(salt, to: phone, as: "photo.jpg")
        let meals = try phone.run(["meal", "list", "--json"]).output
        let id = try #require(meals.firstMatch(of: /"id": ?"([^"]+)"/)).1
        let added = try phone.run(["meal", "photo", "add", String(id), "photo.jpg"])
        try #require(added.status == 0, "\(added.errors)")
        let synced = try phone.run(["sync"])
        try #require(synced.status == 0, "\(synced.errors)")
    }

    private func files(below name: String) -> [String] {
        (FileManager.default.subpaths(atPath: shell.folder.file(name)) ?? []).map {
            shell.folder.file(name) + "/" + $0
        }.filter {
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: $0, isDirectory: &isFolder)
                && !isFolder.boolValue
        }.sorted()
    }

    /// How copies of a test are made and opened.
    static let ways = ["plain", "sealed", "sealed, at rest"]

    private func prepare(_ way: String) throws -> (serve: String, make: String, prove: String) {
        var (serve, make, prove) = ("", "--backup-secrets", "")
        if way.contains("sealed") {
            let key = try shellDone("exec $SERVER backup key pair").split(separator: "\n")[0]
            make += " --backup-key \(key)"
            prove += " --backup-secret pair"
        }
        if way.contains("at rest") {
            _ = try shellDone("exec $SERVER at-rest-key create rest.key")
            serve = "--at-rest-key rest.key"
            make += " --at-rest-key rest.key"
            prove += " --at-rest-key rest.key"
        }
        return (serve, make, prove)
    }

    @Test(arguments: ways)
    func `a drill passes on a good copy, and fails on any flipped bit, missing blob or key`(
        way: String
    ) throws {
        let (serve, make, prove) = try prepare(way)
        try fill(serve)
        _ = try shellDone("exec $SERVER backup add copies --data data \(make)")
        let good = try shellDone("exec $SERVER drill copies\(prove)")
        #expect(good.contains("is good: 3 events of 1 accounts, 1 blobs"), "\(good)")
        // One bit, in each file.
        let all = files(below: "copies").filter { !$0.hasSuffix(".lock") }
        #expect(all.count == 4, "\(all)")
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
            #expect(missing.status == (path.hasSuffix("manifest") ? 66 : 65), "\(path): \(missing)")
            try whole.write(to: URL(filePath: path))
        }
        // Without a key that it needs, or with another one.
        for option in prove.matches(of: /--[a-z-]+ [a-z.]+/).map({ String($0.0) }) {
            let without = try shell.run(
                "exec $SERVER drill copies\(prove.replacing(" " + option, with: ""))")
            let name = String(option.split(separator: " ")[0])
            #expect(without.status == 66 && without.errors.contains(name), "\(without)")
            let verb = name == "--backup-secret" ? "backup key" : "at-rest-key create"
            _ = try shellDone("rm -f other; exec $SERVER \(verb) other")
            let wrong = try shell.run(
                "exec $SERVER drill copies\(prove.replacing(option, with: "\(name) other"))")
            #expect(wrong.status == 65, "\(wrong)")
        }
        #expect(try shellDone("exec $SERVER drill copies\(prove)").contains("is good"))
        #expect(files(below: ".").allSatisfy { !$0.contains("macrolog-drill") })
    }

    @Test func `secrets that are kept apart are asked for, and compared`() throws {
        try fill("")
        _ = try shellDone("exec $SERVER backup add copies --data data")
        let asked = try shell.run("exec $SERVER drill copies")
        #expect(asked.status == 66 && asked.errors.contains("--secrets"), "\(asked)")
        _ = try shellDone("exec $SERVER drill copies --secrets data/secrets.key")
        try Data(repeating: 7, count: 96).write(to: URL(filePath: shell.folder.file("other")))
        let other = try shell.run("chmod 600 other; exec $SERVER drill copies --secrets other")
        #expect(other.status == 65 && other.errors.contains("not those"), "\(other)")
    }

    @Test func `a server makes copies by itself, keeps some, and writes a photo once`() throws {
        let key = try shellDone("exec $SERVER backup key pair").split(separator: "\n")[0]
        let words = "--backup copies --every 1s --keep 2 --backup-secrets --backup-key \(key)"
        let server = try shell.listen(words)
        let phone = try shell.person("ana@example.org", at: server.port)
        try addPhoto(1, to: phone)
        try shell.waitForLog(#""new_blob_count":1"#)
        try shell.waitForLog(#""blob_count":1,"new_blob_count":0"#)
        server.stop()
        let copies = try FileManager.default.contentsOfDirectory(
            atPath: shell.folder.file("copies")
        ).filter { $0 != "copies.lock" }
        #expect(copies.count == 2, "\(copies)")
        let blobs = files(below: "copies").filter { $0.contains("server.db.blobs") }
        #expect(blobs.count == 2)
        let inodes = try blobs.map {
            try FileManager.default.attributesOfItem(atPath: $0)[.systemFileNumber] as? Int
        }
        #expect(Set(inodes).count == 1, "\(inodes)")
        #expect(
            try shellDone("exec $SERVER drill copies --backup-secret pair").contains("1 blobs"))
    }

    @Test func `a restored copy is served, and its devices give back what it lacks`() throws {
        let (serve, make, prove) = try prepare("sealed, at rest")
        let server = try shell.listen(serve)
        let phone = try shell.person("ana@example.org", at: server.port)
        _ = try shellDone("exec $SERVER backup add copies --data data \(make)")
        try addPhoto(2, to: phone)
        let port = server.port
        server.stop()
        _ = try shellDone("mv data lost")
        let refused = try shell.run("exec $SERVER restore copies --data data --backup-secret pair")
        #expect(refused.status == 66 && refused.errors.contains("--at-rest-key"), "\(refused)")
        #expect(!shell.exists("data/server.db") && !shell.exists("data/server.db.restored"))
        let done = try shellDone("exec $SERVER restore copies --data data\(prove)")
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
        let sound = try shellDone("exec $SERVER verify --data data --at-rest-key rest.key")
        #expect(sound.contains("holds 3 events of 1 accounts, 1 blobs; no damage"), "\(sound)")
    }

    @Test func `what is encrypted at rest is in no file, and comes back over the network`() throws {
        _ = try shellDone("exec $SERVER at-rest-key create rest.key")
        let words = "--at-rest-key rest.key --backup copies --every 1s --keep 3"
        let server = try shell.listen(words)
        let phone = try shell.person("ana@example.org", at: server.port)
        try addPhoto(0x5A, to: phone)
        try shell.waitForLog(#""new_blob_count":1"#)
        // The second half of an upload, left unfinished, and what the log of the database still has.
        let canaries = [Data("Marzipanbrot".utf8), Data(repeating: 0x5A, count: 64)]
        func found() throws -> [String] {
            try (files(below: "data") + files(below: "copies")).filter { path in
                let bytes = try Data(contentsOf: URL(filePath: path))
                return canaries.contains { bytes.range(of: $0) != nil }
            }
        }
        #expect(try found() == [])
        #expect(files(below: "data").contains { $0.hasSuffix("server.db-wal") })
        #expect(files(below: "copies").contains { $0.hasSuffix(".enc") })
        // The same words are on the phone, and another device gets them.
        #expect(
            try Data(contentsOf: URL(filePath: phone.log)).range(of: canaries[0]) != nil
                || Data(contentsOf: URL(filePath: phone.log + "-wal")).range(of: canaries[0]) != nil
        )
        let laptop = try Computer()
        let login = try laptop.run(
            [
                "auth", "login", "ana@example.org", "--server", "http://127.0.0.1:\(server.port)",
                "--password-stdin",
            ], input: "nine purple lanterns hum\n")
        #expect(login.status == 0, "\(login.errors)")
        #expect(try laptop.run(["sync"]).status == 0)
        let meals = try laptop.run(["meal", "list", "--json"]).output
        #expect(meals.contains("Marzipanbrot"))
        let id = try #require(meals.firstMatch(of: /"id": ?"([^"]+)"/)).1
        let saved = try laptop.run(["meal", "photo", "save", String(id), "out.jpg"])
        #expect(saved.status == 0, "\(saved.errors)")
        let photo = try Data(contentsOf: laptop.folder.appending(path: "out.jpg"))
        #expect(photo.range(of: canaries[1]) != nil)
        server.stop()
        #expect(try found() == [])
    }

    @Test func `a key is refused in the data folder, if it is another one, and if it is missing`()
        throws
    {
        _ = try shellDone("exec $SERVER at-rest-key create one.key")
        try fill("--at-rest-key one.key")
        let missing = try shell.run("exec $SERVER --data data --listen 127.0.0.1:0")
        #expect(missing.status == 66 && missing.errors.contains("--at-rest-key"), "\(missing)")
        _ = try shellDone("exec $SERVER at-rest-key create two.key")
        let wrong = try shell.run(
            "exec $SERVER --data data --listen 127.0.0.1:0 --at-rest-key two.key")
        #expect(wrong.status == 65 && wrong.errors.contains("is not that of"), "\(wrong)")
        let inside = try shell.run(
            "cp one.key data/k; exec $SERVER --data data --listen 127.0.0.1:0 --at-rest-key data/k")
        #expect(inside.status == 78 && inside.errors.contains("Move it"), "\(inside)")
        let again = try shell.run("exec $SERVER at-rest-key create one.key")
        #expect(again.status == 73 && again.errors.contains("rotate"), "\(again)")
        // A rotation: the newer key takes over at the next start, and then the older one may go.
        _ = try shellDone("exec $SERVER at-rest-key rotate one.key")
        try shell.listen("--at-rest-key one.key").stop()
        _ = try shellDone("head -n 1 one.key > new.key; chmod 600 new.key")
        let sound = try shellDone("exec $SERVER verify --data data --at-rest-key new.key")
        #expect(sound.contains("3 events of 1 accounts, 1 blobs"), "\(sound)")
        for damage in ["", "short\n", "# comment\n"] {
            try shell.write("new.key", damage)
            let refused = try shell.run(
                "chmod 600 new.key; exec $SERVER verify --data data --at-rest-key new.key")
            #expect(refused.status == 65, "\(refused)")
        }
    }

    @Test func `what was stored before there was a key is encrypted afterwards`() throws {
        try fill("")
        _ = try shellDone("exec $SERVER at-rest-key create rest.key")
        // Old and new lie side by side, and are both read.
        let server = try shell.listen("--at-rest-key rest.key")
        _ = try shell.person("ben@example.org", at: server.port)
        server.stop()
        let key = "--data data --at-rest-key rest.key"
        #expect(
            try shellDone("exec $SERVER verify \(key)").contains("5 events of 2 accounts, 1 blobs"))
        #expect(try shellDone("exec $SERVER encrypt \(key)").hasPrefix("3 events were encrypted"))
        #expect(try shellDone("exec $SERVER encrypt \(key)").hasPrefix("0 events were encrypted"))
        #expect(
            try shellDone("exec $SERVER verify \(key)").contains("5 events of 2 accounts, 1 blobs"))
        for path in files(below: "data") {
            let bytes = try Data(contentsOf: URL(filePath: path))
            #expect(bytes.range(of: Data("Marzipanbrot".utf8)) == nil, "\(path)")
        }
    }

    @Test func `a database of the version before is copied, upgraded, and served`() throws {
        let golden = URL(filePath: #filePath).appending(
            path: "../../../MacrologTests/Golden/0.1.0/server.db.gz"
        ).standardized.path
        _ = try shellDone(
            "mkdir -m 700 data; gzip -dc '\(golden)' > data/server.db; chmod 600 data/*")
        let before = try Data(contentsOf: URL(filePath: shell.folder.file("data/server.db")))
        let check = try shellDone("exec $SERVER upgrade --check --data data")
        #expect(check.contains("lacks: server keys"), "\(check)")
        #expect(try Data(contentsOf: URL(filePath: shell.folder.file("data/server.db"))) == before)
        let done = try shellDone("exec $SERVER upgrade --data data")
        #expect(done.contains("data/server.db.before-server-keys"), "\(done)")
        #expect(try shellDone("exec $SERVER upgrade --data data").contains("Nothing to do"))
        #expect(try shellDone("exec $SERVER verify --data data").contains("no damage"))
        // The copy is what an earlier program can serve.
        #expect(
            try shellDone("exec $SERVER verify data/server.db.before-server-keys").contains(
                "no damage"))
        // A start does the same.
        _ = try shellDone(
            "mv data/server.db.before-server-keys data/server.db; cp data/server.db was")
        _ = try shellDone("head -c 96 /dev/zero > data/secrets.key; chmod 600 data/secrets.key")
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
        try fill("")
        _ = try shellDone("echo x > pair")
        let result = try shell.run("exec $SERVER \(words)")
        #expect([64, 65, 66, 73].contains(result.status), "\(words): \(result)")
        #expect(result.errors.hasPrefix("sync-server"), "\(result.errors)")
        #expect(result.errors.dropLast().hasSuffix("."), "\(result.errors)")
        #expect(!shell.exists("new") && files(below: "copies").isEmpty)
    }
}
