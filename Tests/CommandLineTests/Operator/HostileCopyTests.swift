import Foundation
import MacrologEvents
import MacrologTestSupport
import Testing

/// Goal: who may write into a folder of copies can neither delete or hang anything of the server, nor
/// take from it what its own copies need.
/// Method: the real programs; links, pipes, fakes and damage in the folder of copies.
@Suite struct HostileCopyTests {
    private let shell = ServerShell()
    private let secrets = "--secrets data/secrets.key"
    private let add = "$SERVER backup add copies --data data"

    @Test func `a link in the folder of copies is removed, and what it leads to stays`() throws {
        try shell.fill("")
        _ = try shell.done("mkdir copies victim; touch victim/manifest victim/mine")
        let before = shell.files(below: "data")
        _ = try shell.done(
            "ln -s ../data copies/.partial; ln -s ../victim copies/0; \(add) --keep 1")
        #expect(before.allSatisfy { FileManager.default.fileExists(atPath: $0) })
        #expect(shell.exists("victim/manifest") && shell.exists("victim/mine"))
        #expect(try shell.done("exec $SERVER drill copies \(secrets)").contains("is good"))
        // Deeper, in a folder that an interrupted copy could have left.
        _ = try shell.done("mkdir copies/.partial; ln -s ../../data copies/.partial/x; \(add)")
        #expect(before.allSatisfy { FileManager.default.fileExists(atPath: $0) })
        // What cannot be removed is not written into.
        _ = try shell.done("mkdir copies/.partial; touch copies/.partial/.mine")
        let refused = try shell.run(add)
        #expect(refused.status == 73 && refused.errors.contains("copies/.partial"), "\(refused)")
    }

    @Test func `what a copy does not list is not restored, nor what a link in it leads to`() throws
    {
        try shell.fill("")
        _ = try shell.done(
            """
            \(add) --backup-secrets; mkdir victim; echo mine > victim/mine; cd copies/2*
            mkdir -p server.db.blobs/77; echo x > server.db.blobs/77/evil
            ln -s ../../../victim server.db.blobs/78
            """)
        _ = try shell.done("exec $SERVER restore copies --data other")
        let restored = shell.files(below: "other")
        #expect(restored.contains { $0.hasSuffix("server.db") })
        #expect(!restored.contains { $0.hasSuffix("evil") || $0.hasSuffix("mine") }, "\(restored)")
        #expect(try shell.done("exec $SERVER verify --data other").contains("no damage"))
    }

    @Test func `a pipe in the folder of copies is not waited for`() throws {
        try shell.fill("")
        _ = try shell.done("\(add); mkdir copies/z; mkfifo copies/z/manifest")
        let limit = "timeout 60 $SERVER"
        let made = try shell.run("\(limit) backup add copies --data data")
        #expect(made.status == 65 && made.errors.contains("copies/z"), "\(made)")
        let drilled = try shell.run("\(limit) drill copies/z \(secrets)")
        #expect(drilled.status == 66 && drilled.errors.contains("copies/z"), "\(drilled)")
        let server = try shell.listen("--backup copies")
        server.stop()
        // A piece of a copy.
        _ = try shell.done(
            "rm -r copies/z; for it in copies/2*; do rm $it/server.db; mkfifo $it/server.db; done")
        let piece = try shell.run("\(limit) drill copies \(secrets)")
        #expect([65, 74].contains(piece.status) && piece.errors.contains("server.db"), "\(piece)")
    }

    @Test func `a copy that nothing proves neither counts nor is removed`() throws {
        try shell.fill("")
        _ = try shell.done("\(add) && mv copies/2* copies/own")
        _ = try shell.done("for n in 1 2 3; do cp -rp copies/own copies/fake$n; done")
        for (number, time) in [1, 2, 9_999_999_999_999].enumerated() {
            try CopiedManifest.change(
                shell, "copies/fake\(number + 1)", /"made_at":\d+/, to: "\"made_at\":\(time)")
        }
        let made = try shell.run("\(add) --keep 2")
        #expect(made.status == 65 && made.errors.contains("does not prove: 3"), "\(made)")
        #expect(shell.exists("copies/own/server.db"))
        for number in 1...3 { #expect(shell.exists("copies/fake\(number)/manifest")) }
        // A photo of a fake one is not taken over.
        #expect(
            try shell.done("rm -r copies/fake*; exec $SERVER drill copies \(secrets)").contains(
                "good"))
        _ = try shell.done("\(add) --keep 1")
        #expect(!shell.exists("copies/own"))
    }

    @Test func `a damaged ledger is moved aside, and copies go on`() throws {
        try shell.fill("")
        let server = try shell.listen("")
        _ = try shell.person("ben@example.org", at: server.port)
        _ = try shell.done("\(add); $SERVER user delete ana@example.org --yes --data data")
        server.stop()
        _ = try shell.done("\(add); printf x >> copies/server.db.deletions")
        let made = try shell.run(add)
        #expect(made.status == 65 && made.errors.contains("deletions.damaged-1"), "\(made)")
        #expect(shell.exists("copies/server.db.deletions.damaged-1"))
        _ = try shell.done("sleep 1; \(add)")
        let done = try shell.done("exec $SERVER restore copies --data new \(secrets)")
        #expect(!done.contains("no list of deleted accounts"), "\(done)")
        // The folder of copies of a server whose secrets are lost.
        _ = try shell.done("mv data lost")
        try shell.fill("")
        let other = try shell.run(add)
        #expect(other.status == 65 && other.errors.contains("deletions.damaged-2"), "\(other)")
        #expect(try shell.done("exec $SERVER drill copies \(secrets)").contains("is good"))
    }

    @Test func `a server brings its deletions to the copies when the ledger there is damaged`()
        throws
    {
        try shell.fill("")
        _ = try shell.done("\(add); printf x >> copies/server.db.deletions")
        let server = try shell.listen("--backup copies --every 1d")
        _ = try shell.done("$SERVER user delete ana@example.org --yes --data data")
        let isThere = eventually(every: 20) {
            let ledger = URL(filePath: shell.folder.file("copies/server.db.deletions"))
            let text = try? String(contentsOf: ledger, encoding: .utf8)
            return text?.contains("deleted") ?? false
        }
        server.stop()
        #expect(isThere && shell.exists("copies/server.db.deletions.damaged-1"))
    }

    @Test func `keys of accounts that the new copy lacks are never removed`() throws {
        _ = try shell.done("exec $SERVER at-rest-key create rest.key")
        let key = "--at-rest-key rest.key"
        try shell.fill(key)
        _ = try shell.done("\(add) \(key) && mv copies/2* copies/old")
        try CopiedManifest.age(shell, "copies/old", days: 8)
        // The server is set up again with its secrets, and with none of its accounts.
        _ = try shell.done("mv data lost; mkdir -m 700 data; cp -p lost/secrets.key data")
        try shell.fill(key)
        let made = try shell.run("\(add) \(key)")
        #expect(made.status == 65 && made.errors.contains("copies/old are older"), "\(made)")
        #expect(shell.exists("copies/old/server.db.keys"))
        #expect(try shell.done("exec $SERVER drill copies/old \(secrets) \(key)").contains("good"))
        // With the accounts back, of another epoch but with the same keys, the old copy needs its own no
        // longer.
        _ = try shell.done("exec $SERVER restore copies/old --data data --force \(key)")
        _ = try shell.done("\(add) \(key)")
        #expect(!shell.exists("copies/old/server.db.keys"))
        #expect(try shell.done("exec $SERVER drill copies/old \(secrets) \(key)").contains("good"))
    }

    @Test func `keys of accounts of which the new copy has others are never removed`() throws {
        _ = try shell.done("exec $SERVER at-rest-key create rest.key")
        let key = "--at-rest-key rest.key"
        try shell.fill(key)
        _ = try shell.done("\(add) \(key) && mv copies/2* copies/old")
        try CopiedManifest.age(shell, "copies/old", days: 8)
        _ = try shell.done("exec $SERVER restore copies/old --data data --force \(key)")
        // After a rotation the keys are wrapped otherwise: that they are the same is not seen.
        _ = try shell.done("exec $SERVER at-rest-key rotate rest.key")
        try shell.listen(key).stop()
        let again = try shell.run("\(add) \(key)")
        #expect(again.status == 65 && shell.exists("copies/old/server.db.keys"), "\(again)")
    }

    @Test func `keys are taken from the next copy where those of the newest are damaged`() throws {
        _ = try shell.done("exec $SERVER at-rest-key create rest.key")
        let key = "--at-rest-key rest.key"
        try shell.fill(key)
        for name in ["a", "b", "c"] {
            _ = try shell.done("\(add) \(key) && mv copies/2* copies/\(name)")
        }
        _ = try shell.done("rm copies/a/server.db.keys; echo x >> copies/c/server.db.keys")
        #expect(try shell.done("exec $SERVER drill copies/a \(secrets) \(key)").contains("good"))
        _ = try shell.done("echo x >> copies/b/manifest")
        let refused = try shell.run("exec $SERVER drill copies/a \(secrets) \(key)")
        #expect(refused.status == 65 && refused.errors.contains("server.db.keys"), "\(refused)")
    }

    @Test func `a member of a manifest that this version does not know is proved with the others`()
        throws
    {
        try shell.fill("")
        _ = try shell.done("\(add) && mv copies/2* copies/a")
        try CopiedManifest.change(
            shell, "copies/a", /^\{/, to: #"{"later":[1],"#, knowsSecrets: true)
        #expect(try shell.done("exec $SERVER drill copies \(secrets)").contains("is good"))
        // Without the line that proves who made it, a copy is of an earlier build.
        _ = try shell.done("head -n 2 copies/a/manifest > cut; mv cut copies/a/manifest")
        let refused = try shell.run("exec $SERVER drill copies \(secrets)")
        #expect(refused.status == 65 && refused.errors.contains("an earlier build"), "\(refused)")
    }
}
