import Foundation
import MacrologEvents
import MacrologHTTP
import MacrologJSON
import MacrologSQLite
import MacrologService
import MacrologTestSupport
import Testing

/// Goal: a restored backup lets no one in again whom the operator, or a code that was used, had shut out.
/// Method: a backup, the operator's acts after it, and a server on the backup.
@Suite struct RestoredStateTests {
    private let folder = ScratchFolder()
    private let ana: JSON = ["email": "ana@example.org"]

    private var copy: String { "\(folder.path)/copy.db" }

    /// Puts the backup in place of the database, and serves it.
    private func restored(_ server: TestServer) throws -> TestServer {
        server.server.close()
        let path = "\(folder.path)/server.db"
        try ServerFile.renew(
            copy, epoch: 8, endsSessions: false, deletions: DeletionLedger(of: path), now: 1)
        for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) }
        try FileManager.default.moveItem(atPath: copy, toPath: path)
        return try TestServer(folder: folder) { $0.rates = .none }
    }

    private func login(_ server: TestServer) -> HTTPResponse {
        let body: JSON = [
            "email": "ana@example.org", "password": .string(password), "device": "phone",
        ]
        return server.post("/v1/auth/login", body)
    }

    @Test func `who was disabled after it stays so, and who was enabled after it, too`() throws {
        let server = try TestServer(folder: folder) { $0.rates = .none }
        let tokens = try server.login()
        try ServerFile.backUp(server.path, to: copy)
        _ = try server.administer("user disable", ana)
        let second = try restored(server)
        #expect(problem(login(second)) == "account_disabled")
        #expect(
            problem(second.call("GET", "/v1/devices", token: tokens.access)) == "account_disabled")
        try ServerFile.backUp(second.path, to: copy)
        _ = try second.administer("user enable", ana)
        let third = try restored(second)
        #expect(login(third).status == 200)
        // A copy that was put in place by hand is caught at the start.
        _ = try third.administer("user disable", ana)
        try ServerFile.backUp(third.path, to: copy)
        _ = try third.administer("user enable", ana)
        _ = try third.administer("user disable", ana)
        #expect(try problem(login(restored(third))) == "account_disabled")
    }

    @Test func `new secrets end every session of a copy`() throws {
        let server = try TestServer(folder: folder) { $0.rates = .none }
        let tokens = [try server.login(), try server.login("ben@example.org")]
        #expect(server.post("/v1/auth/logout", [:], token: tokens[0].access).status == 204)
        server.waitForWriter()
        try ServerFile.backUp(server.path, to: copy)
        let secrets = Secrets([UInt8](repeating: 9, count: Secrets.byteCount))
        #expect(try ServerFile.rekey(copy, to: secrets, now: 7) == [])
        var db = try Connection.open(copy, mode: .readOnly)
        let ended = try db.all("SELECT revoked FROM session ORDER BY revoked") { $0.int(0) }
        #expect(ended == [7, server.clock.now])
    }

    @Test func `merged ledgers keep the order of each, though a clock was set back`() throws {
        let ledger = DeletionLedger(of: folder.file("merged.db"))
        let accounts = (1...2).map { Identifier(high: 1, low: UInt64($0)) }
        func entry(_ account: Int, _ change: DeletionLedger.Change, _ at: Int64)
            -> DeletionLedger.Entry
        {
            DeletionLedger.Entry(accounts[account], change, at: at)
        }
        let own = [entry(0, .disabled, 100), entry(0, .enabled, 50)]
        for entry in own { try ledger.add(entry) }
        let others = [entry(1, .disabled, 120), entry(1, .enabled, 70)]
        try ledger.merge(others)
        try ledger.merge(own + others)
        let merged = try ledger.entries()
        #expect(Set(merged) == Set(own + others) && merged.count == 4)
        for account in accounts {
            #expect(merged.last { $0.account == account }?.change == .enabled)
        }
    }

    @Test func `invitations and reset codes are void, and recovery codes are not`() throws {
        let server = try TestServer(folder: folder) { $0.rates = .none }
        let tokens = try server.login()
        let secret = try server.beginSecondFactor(token: tokens.access)
        let confirmed = server.post(
            "/v1/account/totp/confirm",
            ["code": .string(server.code(of: secret, at: server.clock.now))], token: tokens.access)
        let recovery = try JSON.parse(confirmed.body)["recovery_codes"]?.array?[0].string
        let made = try server.administer("invite create", ["uses": 5, "days": 7])
        let invitation = try #require(made["invitation"]?["code"]?.string)
        let code = try #require(server.administer("user reset-code", ana)["code"]?.string)
        try ServerFile.backUp(server.path, to: copy)
        _ = try server.administer("invite revoke", ["number": 1])
        let reset: JSON = [
            "email": "ana@example.org", "code": .string(code), "password": .string(password),
        ]
        #expect(server.post("/v1/auth/reset", reset).status == 204)
        let again = try restored(server)
        #expect(problem(again.post("/v1/auth/reset", reset)) == "wrong_code")
        #expect(try again.administer("invite list")["invitations"] == [])
        let register: JSON = [
            "email": "ben@example.org", "password": .string(password),
            "invitation": .string(invitation),
        ]
        #expect(problem(again.post("/v1/auth/register", register)) == "invitation")
        let body: JSON = [
            "email": "ana@example.org", "password": .string(password), "device": "phone",
            "code": .string(try #require(recovery)),
        ]
        #expect(again.post("/v1/auth/login", body).status == 200)
        // A number is never given twice, although the invitations before are gone.
        let next = try again.administer("invite create", ["uses": 1, "days": 1])
        #expect(next["invitation"]?["number"] == 2)
    }
}
