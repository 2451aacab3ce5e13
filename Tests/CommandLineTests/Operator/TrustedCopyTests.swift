import Foundation
import MacrologEvents
import MacrologSQLite
import MacrologCryptography
import MacrologService
import MacrologTestSupport
import Testing

/// Goal: who may write into a folder of copies cannot make a restore take something else for a copy, and
/// no copy brings back who was deleted.
/// Method: the real programs; copies that are changed, swapped, moved and grown old.
@Suite struct TrustedCopyTests {
    private let shell = ServerShell()
    private let secrets = "--secrets data/secrets.key"

    private var copies: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: shell.folder.file("copies"))
                .filter { $0.hasPrefix("2") }.sorted()
        }
    }

    private func change(
        _ copy: String, _ pattern: some RegexComponent, to new: String
    ) throws {
        try CopiedManifest.change(shell, "copies/\(copy)", pattern, to: new)
    }

    private func age(_ copy: String, days: Int64) throws {
        try CopiedManifest.age(shell, "copies/\(copy)", days: days)
    }

    private func refuses(_ line: String, _ hint: String, _ status: Int32 = 65) throws {
        let result = try shell.run("exec $SERVER \(line)")
        #expect(result.status == status && result.errors.contains(hint), "\(line): \(result)")
    }

    @Test func `a changed manifest, a swapped database and another server's copy are refused`()
        throws
    {
        try shell.fill("")
        let add = "exec $SERVER backup add copies --data data --backup-secrets"
        _ = try shell.done(add)
        let first = try copies[0]
        #expect(try shell.done("exec $SERVER drill copies").contains("is good"))
        _ = try shell.done("cp -rp copies kept")
        try change(first, /"made_at":\d+/, to: #""made_at":1"#)
        try refuses("drill copies", "someone has changed")
        try refuses("restore copies --data data --force", "someone has changed")
        try refuses("restore copies --data new", "someone has changed")
        // The database of an attacker, under a manifest that names its hash.
        let path = shell.folder.file("copies/\(first)/server.db")
        var db = try Connection.open(path)
        try db.run("UPDATE account SET email = 'eve@example.org'")
        try db.checkpoint()
        let bytes = try Data(contentsOf: URL(filePath: path))
        let hash = hexadecimal(sha256([UInt8](bytes)))
        try change(first, /"database_sha256":"\w+"/, to: "\"database_sha256\":\"\(hash)\"")
        try refuses("drill copies", "someone has changed")
        // A whole copy of another server belongs together, and not to these secrets.
        let other = ServerShell()
        try other.fill("")
        _ = try other.done(add)
        _ = try shell.done("rm -r copies && cp -rp \(other.folder.path)/copies copies")
        #expect(try shell.done("exec $SERVER drill copies").contains("is good"))
        try refuses("drill copies \(secrets)", "not those")
        try refuses("restore copies --data data --force", "not those")
        #expect(!shell.exists("data/server.db.restored") && !shell.exists("new/server.db"))
        _ = try shell.done("exec $SERVER restore kept --data data --force")
    }

    @Test func `an old copy does not open what a deleted account had, and forgets it`() throws {
        _ = try shell.done("exec $SERVER at-rest-key create rest.key")
        let key = "--at-rest-key rest.key"
        try shell.fill(key)
        let server = try shell.listen(key)
        _ = try shell.person("ben@example.org", at: server.port)
        server.stop()
        let add = "exec $SERVER backup add copies --data data \(key)"
        _ = try shell.done(add)
        let old = try copies[0]
        // The database of a copy has no keys, not even as deleted rows.
        var live = try Connection.open(shell.folder.file("data/server.db"), mode: .readOnly)
        let wrapped = try live.all("SELECT wrapped FROM data_key") { Data($0.bytes(0)) }
        let path = shell.folder.file("copies/\(old)/server.db")
        let copied = try Data(contentsOf: URL(filePath: path))
        #expect(wrapped.count == 2 && wrapped.allSatisfy { copied.range(of: $0) == nil })
        _ = try shell.done("exec $SERVER user delete ana@example.org --yes --data data")
        // For seven days a copy keeps its keys.
        try age(old, days: 6)
        _ = try shell.done(add)
        #expect(shell.exists("copies/\(old)/server.db.keys"))
        try age(old, days: 8)
        _ = try shell.done(add)
        #expect(!shell.exists("copies/\(old)/server.db.keys"))
        // With the ledger, and the keys of a newer copy, all others are there.
        let drilled = try shell.done("exec $SERVER drill copies/\(old) \(secrets) \(key)")
        #expect(drilled.contains("2 accounts"), "\(drilled)")
        let restored = try shell.done(
            "exec $SERVER restore copies/\(old) --data new \(secrets) \(key)")
        #expect(restored.contains("and are again: 1."), "\(restored)")
        #expect(!restored.contains("no list of deleted accounts"), "\(restored)")
        let sound = try shell.done("exec $SERVER verify --data new \(key)")
        #expect(sound.contains("of 1 accounts") && sound.contains("no damage"), "\(sound)")
        // Without the ledger what the account had cannot be opened.
        _ = try shell.done("rm copies/server.db.deletions")
        try refuses("drill copies/\(old) \(secrets) \(key)", "the key of account")
        try refuses("restore copies/\(old) --data newer \(secrets) \(key)", "the key of account")
        // Nor anything of a copy alone.
        _ = try shell.done("mkdir alone && cp -rp copies/\(old) alone")
        try refuses("drill alone \(secrets) \(key)", "server.db.keys")
    }

    @Test func `on an empty machine who was deleted after the copy is deleted, or that is unknown`()
        throws
    {
        try shell.fill("")
        let server = try shell.listen("--backup copies --every 1d --backup-secrets")
        _ = try shell.person("ben@example.org", at: server.port)
        _ = try shell.done("exec $SERVER backup add copies --data data --backup-secrets")
        // The server brings the ledger to the copies, long before the next one.
        _ = try shell.done("exec $SERVER user delete ana@example.org --yes --data data")
        _ = try shell.done("exec $SERVER user disable ben@example.org --data data")
        let ledger = URL(filePath: shell.folder.file("copies/server.db.deletions"))
        let isThere = try eventually(every: 20) {
            String(decoding: try Data(contentsOf: ledger), as: UTF8.self).contains("disabled")
        }
        #expect(isThere)
        server.stop()
        let done = try shell.done("exec $SERVER restore copies --data new")
        #expect(done.contains("and are again: 1.") && !done.contains("no list"), "\(done)")
        let users = try shell.done("exec $SERVER user list --data new")
        #expect(users.contains("disabled since") && !users.contains("ana@"), "\(users)")
        // A line less is no ledger of this server.
        let text = String(decoding: try Data(contentsOf: ledger), as: UTF8.self)
        let cut = text.split(separator: "\n").dropFirst().map { "\($0)\n" }.joined()
        try Data(cut.utf8).write(to: ledger)
        try refuses("restore copies --data newer", "server.db.deletions")
        _ = try shell.done("rm copies/server.db.deletions")
        let unknown = try shell.done("exec $SERVER restore copies --data newest")
        #expect(unknown.contains("no list of deleted accounts"), "\(unknown)")
    }

    @Test func `what an interrupted drill left is removed by the next, and nothing else`() throws {
        try shell.fill("")
        _ = try shell.done("exec $SERVER backup add copies --data data")
        _ = try shell.done(
            """
            mkdir macrolog-drill-dead macrolog-drill-new elsewhere
            cp data/server.db macrolog-drill-dead; touch elsewhere/mine
            ln -s elsewhere macrolog-drill-link
            touch -h -d '5 minutes ago' macrolog-drill-dead macrolog-drill-link elsewhere
            """)
        _ = try shell.done("exec $SERVER drill copies \(secrets)")
        #expect(!shell.exists("macrolog-drill-dead"))
        #expect(shell.exists("macrolog-drill-new") && shell.exists("elsewhere/mine"))
    }

    @Test func `a photo that rots on the disk is found by a drill, and by one of the next copies`()
        throws
    {
        try shell.fill("")
        let add = "exec $SERVER backup add copies --data data --keep 2"
        _ = try shell.done(add)
        let path = try #require(
            shell.files(below: "copies").first { $0.contains("server.db.blobs") })
        // A bit flips, and no program has written.
        _ = try shell.done("touch -r '\(path)' time")
        var bytes = try Data(contentsOf: URL(filePath: path))
        bytes[bytes.count / 2] ^= 1
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        try file.write(contentsOf: bytes)
        try file.close()
        _ = try shell.done("touch -r time '\(path)'")
        try refuses("drill copies \(secrets)", "blob")
        var found = false
        for _ in 0..<200 where !found {
            found = try shell.run(add).errors.contains("is written again")
        }
        #expect(found)
        #expect(try shell.done("exec $SERVER drill copies \(secrets)").contains("is good"))
    }
}
