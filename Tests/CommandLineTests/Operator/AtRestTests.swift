import Foundation
import MacrologTestSupport
import Testing

/// Goal: what is encrypted at rest is in no file of the server or of its copies.
/// Method: the real programs in the order in which an operator uses them, and a search in every file.
@Suite struct AtRestTests {
    private let shell = ServerShell()

    @Test func `what is encrypted at rest is in no file, and comes back over the network`() throws {
        _ = try shell.done("exec $SERVER at-rest-key create rest.key")
        let words = "--at-rest-key rest.key --backup copies --every 1s --keep 3"
        let server = try shell.listen(words)
        let phone = try shell.person("ana@example.org", at: server.port)
        try shell.addPhoto(0x5A, to: phone)
        try shell.waitForLog(#""new_blob_count":1"#)
        // The second half of an upload, left unfinished, and what the log of the database still has.
        let canaries = [Data("Marzipanbrot".utf8), Data(repeating: 0x5A, count: 64)]
        func found() throws -> [String] {
            try (shell.files(below: "data") + shell.files(below: "copies")).filter { path in
                let bytes = try Data(contentsOf: URL(filePath: path))
                return canaries.contains { bytes.range(of: $0) != nil }
            }
        }
        #expect(try found() == [])
        #expect(shell.files(below: "data").contains { $0.hasSuffix("server.db-wal") })
        #expect(shell.files(below: "copies").contains { $0.hasSuffix(".enc") })
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
        _ = try shell.done("exec $SERVER at-rest-key create one.key")
        try shell.fill("--at-rest-key one.key")
        let missing = try shell.run("exec $SERVER --data data --listen 127.0.0.1:0")
        #expect(missing.status == 66 && missing.errors.contains("--at-rest-key"), "\(missing)")
        _ = try shell.done("exec $SERVER at-rest-key create two.key")
        let wrong = try shell.run(
            "exec $SERVER --data data --listen 127.0.0.1:0 --at-rest-key two.key")
        #expect(wrong.status == 65 && wrong.errors.contains("is not that of"), "\(wrong)")
        let inside = try shell.run(
            "cp one.key data/k; exec $SERVER --data data --listen 127.0.0.1:0 --at-rest-key data/k")
        #expect(inside.status == 78 && inside.errors.contains("Move it"), "\(inside)")
        for line in [
            "mkdir data/sub; mv data/k data/sub/k; cd data/sub; exec $SERVER --data .. --at-rest-key k",
            "ln -s data/sub/k link; exec $SERVER --data data --at-rest-key link",
        ] {
            let inside = try shell.run("\(line) --listen 127.0.0.1:0")
            #expect(inside.status == 78 && inside.errors.contains("Move it"), "\(inside)")
        }
        let again = try shell.run("exec $SERVER at-rest-key create one.key")
        #expect(again.status == 73 && again.errors.contains("rotate"), "\(again)")
        // A rotation: the newer key takes over at the next start, and then the older one may go.
        _ = try shell.done("exec $SERVER at-rest-key rotate one.key")
        try shell.listen("--at-rest-key one.key").stop()
        _ = try shell.done("head -n 1 one.key > new.key; chmod 600 new.key")
        let sound = try shell.done("exec $SERVER verify --data data --at-rest-key new.key")
        #expect(sound.contains("3 events of 1 accounts, 1 blobs"), "\(sound)")
        for damage in ["", "short\n", "# comment\n"] {
            try shell.write("new.key", damage)
            let refused = try shell.run(
                "chmod 600 new.key; exec $SERVER verify --data data --at-rest-key new.key")
            #expect(refused.status == 65, "\(refused)")
        }
    }

    @Test func `what was stored before there was a key is encrypted afterwards`() throws {
        try shell.fill("")
        _ = try shell.done("exec $SERVER at-rest-key create rest.key")
        // Old and new lie side by side, and are both read.
        let server = try shell.listen("--at-rest-key rest.key")
        _ = try shell.person("ben@example.org", at: server.port)
        server.stop()
        let key = "--data data --at-rest-key rest.key"
        #expect(
            try shell.done("exec $SERVER verify \(key)").contains("5 events of 2 accounts, 1 blobs")
        )
        #expect(try shell.done("exec $SERVER encrypt \(key)").hasPrefix("3 events were encrypted"))
        #expect(try shell.done("exec $SERVER encrypt \(key)").hasPrefix("0 events were encrypted"))
        #expect(
            try shell.done("exec $SERVER verify \(key)").contains("5 events of 2 accounts, 1 blobs")
        )
        for path in shell.files(below: "data") {
            let bytes = try Data(contentsOf: URL(filePath: path))
            #expect(bytes.range(of: Data("Marzipanbrot".utf8)) == nil, "\(path)")
        }
    }

    @Test func `an encryption that was interrupted is finished, and leaves nothing as it was`()
        throws
    {
        try shell.fill("")
        let plain = try #require(
            shell.files(below: "data").first { $0.contains("server.db.blobs") })
        let photo = try Data(contentsOf: URL(filePath: plain))
        _ = try shell.done("$SERVER at-rest-key create rest.key && cp data/server.db data/was")
        let (blobs, key) = ("data/server.db.blobs", "--data data --at-rest-key rest.key")
        _ = try shell.done("exec $SERVER encrypt \(key)")
        // What a crash leaves of it, of an upload, of a copy, of a restore, and what `restore` keeps.
        let space = URL(filePath: plain).deletingLastPathComponent().lastPathComponent
        let upload = URL(filePath: plain).lastPathComponent
        _ = try shell.done(
            """
            cp data/was data/server.db.copying; cp data/was data/server.db.copying-wal
            cp data/was data/server.db.restored; mv data/was data/server.db.old-1
            mkdir -p \(blobs)/unfinished/\(space)
            """)
        for path in [plain, shell.folder.file("\(blobs)/unfinished/\(space)/\(upload)")] {
            try photo.write(to: URL(filePath: path))
        }
        let done = try shell.done("exec $SERVER encrypt \(key)")
        #expect(done.contains("data/server.db.old-1") && done.contains("remove it"), "\(done)")
        func found() throws -> [String] {
            try shell.files(below: "data").filter { path in
                let bytes = try Data(contentsOf: URL(filePath: path))
                return [photo, Data("Marzipanbrot".utf8)].contains { bytes.range(of: $0) != nil }
            }
        }
        #expect(try found() == [shell.folder.file("data/server.db.old-1")])
        #expect(try shell.done("exec $SERVER verify \(key)").contains("1 blobs; no damage"))
        // The encrypted one is damaged: the other is not removed for it.
        var bytes = try Data(contentsOf: URL(filePath: plain + ".enc"))
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: URL(filePath: plain + ".enc"))
        try photo.write(to: URL(filePath: plain))
        _ = try shell.done("exec $SERVER encrypt \(key)")
        #expect(try found() == [shell.folder.file("data/server.db.old-1")])
        #expect(try shell.done("exec $SERVER verify \(key)").contains("1 blobs; no damage"))
    }
}
