import Foundation
import MacrologSQLite
import MacrologTestSupport
import Testing

/// Goal: after a restore the secrets are those of the database, and an operator knows what is proved and
/// who may be back.
/// Method: the real programs on a machine where a server has been started once.
@Suite struct RestoredSecretsTests {
    private let shell = ServerShell()

    /// A server with a copy, whose secrets are kept in `safe.key`; a new one is in its place.
    private func replaceServer(_ options: String = "") throws {
        try shell.fill("")
        _ = try shell.done("$SERVER backup add copies --data data \(options)")
        _ = try shell.done("cp -p data/secrets.key safe.key; mv data lost")
        try shell.listen("").stop()
    }

    private func isServed() throws -> Bool {
        try shell.done("cmp data/secrets.key safe.key && echo same").contains("same")
    }

    @Test func `the secrets of a new server are moved aside for those of the copy`() throws {
        try replaceServer()
        let restore = "exec $SERVER restore copies --data data --force"
        let refused = try shell.run(restore)
        #expect(refused.status == 65 && refused.errors.contains("move that aside"), "\(refused)")
        let done = try shell.done("\(restore) --secrets safe.key")
        #expect(done.contains("now data/secrets.key.before-restore-1"), "\(done)")
        #expect(try isServed())
        let server = try shell.listen("")
        server.stop()
        // Once more, nothing is moved.
        #expect(!(try shell.done("\(restore) --secrets safe.key").contains("secrets.key")))
        // Other secrets are refused before anything is moved.
        let wrong = try shell.run("\(restore) --secrets data/secrets.key.before-restore-1")
        #expect(wrong.status == 65 && shell.exists("data/server.db"), "\(wrong)")
    }

    @Test func `once the secrets of a new server are out of the way, a copy brings its own`() throws
    {
        try replaceServer("--backup-secrets")
        _ = try shell.done("mv data/secrets.key new.key")
        let done = try shell.done("exec $SERVER restore copies --data data --force")
        #expect(try done.contains("secrets.key is that of the copy") && isServed(), "\(done)")
    }

    @Test func `secrets are written with a single file, too, and others are refused`() throws {
        try replaceServer()
        _ = try shell.done("$SERVER backup single.db --data lost")
        let restore = "exec $SERVER restore single.db --data data --force --secrets"
        let wrong = try shell.run("\(restore) data/secrets.key")
        #expect(wrong.status == 65 && wrong.errors.contains("not those of"), "\(wrong)")
        _ = try shell.done("\(restore) safe.key")
        #expect(try isServed())
    }

    @Test func `a server does not start with secrets that are not those of its database`() throws {
        try replaceServer()
        _ = try shell.done("cp lost/server.db data/server.db")
        let refused = try shell.run("exec $SERVER --data data --listen 127.0.0.1:0")
        #expect(refused.status == 65 && refused.errors.contains("is not that of"), "\(refused)")
    }

    @Test func `a ledger that is missing or shorter is named by drill and by restore`() throws {
        try shell.fill("")
        let server = try shell.listen("")
        _ = try shell.person("ben@example.org", at: server.port)
        server.stop()
        _ = try shell.done("$SERVER backup add copies --data data")
        _ = try shell.done("cp copies/server.db.deletions earlier; cp -rp data before")
        _ = try shell.done("$SERVER user delete ana@example.org --yes --data data")
        _ = try shell.done("$SERVER backup add copies --data data; cp -rp data after")
        let drill = "exec $SERVER drill copies --secrets data/secrets.key"
        let good = try shell.done(drill)
        #expect(good.contains("has 1 entries, the last of 2"), "\(good)")
        #expect(good.contains("The server of --secrets made it."), "\(good)")
        // An earlier list, which was a good one, is put back; then none.
        for line in ["cp earlier copies/server.db.deletions", "rm copies/server.db.deletions"] {
            _ = try shell.done(line)
            let bad = try shell.run(drill)
            #expect(bad.status == 65 && bad.errors.contains("fewer entries"), "\(bad)")
            // Also where there is a database that knows of no deletion.
            let done = try shell.done(
                "rm -rf again; cp -rp before again; exec $SERVER restore copies --data again --force"
            )
            #expect(done.contains("no list of deleted accounts"), "\(done)")
        }
        // The folder's own list is enough.
        let own = try shell.done("exec $SERVER restore copies --data after --force")
        #expect(!own.contains("no list of deleted accounts"), "\(own)")
    }

    @Test func `what an interrupted restore left does not stop the next`() throws {
        try shell.fill("")
        _ = try shell.done("$SERVER backup add copies --data data --backup-secrets")
        _ = try shell.done("touch data/server.db.restored.secrets data/server.db.restored.keys")
        _ = try shell.done("exec $SERVER restore copies --data data --force")
        #expect(!shell.exists("data/server.db.restored.secrets"))
    }

    @Test
    func `when secrets.key is lost, a sealed copy is restored to new secrets, and people log in`()
        throws
    {
        _ = try shell.done("exec $SERVER at-rest-key create rest.key")
        let key = try shell.done("exec $SERVER backup key pair").split(separator: "\n")[0]
        try shell.fill("--at-rest-key rest.key")
        let server = try shell.listen("--at-rest-key rest.key")
        let phone = try shell.person("ben@example.org", at: server.port)
        #expect(try phone.run(["quick", "300kcal"]).status == 0)
        #expect(try phone.run(["share", "day", "today"]).status == 0)
        server.stop()
        var live = try Connection.open(shell.folder.file("data/server.db"))
        try live.run(
            "UPDATE account SET totp = x'0102', totp_confirmed = 1 WHERE email LIKE 'ben%'")
        _ = try shell.done(
            "exec $SERVER backup add copies --data data --at-rest-key rest.key --backup-key \(key)")
        _ = try shell.done("mv data lost")

        let restore =
            "exec $SERVER restore copies --data data --at-rest-key rest.key --backup-secret pair"
        let refused = try shell.run(restore)
        #expect(refused.status == 66 && refused.errors.contains("--new-secrets"), "\(refused)")
        let both = try shell.run("\(restore) --new-secrets --secrets lost/secrets.key")
        #expect(both.status == 64, "\(both)")
        #expect(!shell.exists("data/server.db") && !shell.exists("data/secrets.key"))

        let done = try shell.done("\(restore) --new-secrets")
        // Its digest is of the lost key: no link would open it, and no one could end it.
        var restored = try Connection.open(shell.folder.file("data/server.db"))
        #expect(try restored.first("SELECT count(*) FROM share") { $0.int(0) } == 0)
        #expect(done.contains("secrets.key is a new one"), "\(done)")
        #expect(done.contains("  ben@example.org\n") && !done.contains("ana@"), "\(done)")
        let again = try shell.listen(
            "--at-rest-key rest.key --listen 127.0.0.1:\(server.port)")
        defer { again.stop() }
        let login = [
            "--server", "http://127.0.0.1:\(again.port)", "--password-stdin",
        ]
        let tablet = try Computer()
        let ana = try tablet.run(
            ["auth", "login", "ana@example.org"] + login, input: "nine purple lanterns hum\n")
        #expect(ana.status == 0, "\(ana.errors)")
        #expect(try tablet.run(["sync"]).status == 0)
        #expect(try tablet.run(["meal", "list", "--json"]).output.contains("Marzipanbrot"))
        // No session of before is good, and no second factor is passed over.
        let ended = try phone.run(["sync"])
        #expect(ended.status != 0 && ended.errors.contains("auth login"), "\(ended)")
        let ben = try phone.run(
            ["auth", "login", "ben@example.org"] + login, input: "nine purple lanterns hum\n")
        #expect(ben.status != 0, "\(ben.output)")
        let reset = try shell.done(
            "exec $SERVER user reset-code ben@example.org --disable-totp --data data")
        #expect(reset.contains("auth reset"), "\(reset)")
    }

    @Test func `new secrets are refused where a copy has its own, and made for a single file`()
        throws
    {
        try replaceServer("--backup-secrets")
        let refused = try shell.run(
            "exec $SERVER restore copies --data data --force --new-secrets")
        #expect(refused.status == 64 && refused.errors.contains("has its secrets"), "\(refused)")
        _ = try shell.done("exec $SERVER backup single.db --data lost")
        let done = try shell.done(
            "exec $SERVER restore single.db --data data --force --new-secrets")
        #expect(done.contains("secrets.key is a new one"), "\(done)")
        #expect(try shell.run("cmp data/secrets.key safe.key").status == 1)
        try shell.listen("").stop()
    }

    @Test func `with encryption at rest the server removes its own copies of logs alone`() throws {
        _ = try shell.done("exec $SERVER at-rest-key create rest.key")
        _ = try shell.done("mkdir -m 700 web && touch web/mine")
        let server = try shell.listen("--at-rest-key rest.key --gateway-folder web")
        #expect(shell.exists("web/macrolog-gateway"))
        server.stop()
        #expect(shell.exists("web/mine") && !shell.exists("web/macrolog-gateway"))
    }
}
