import Macrolog
import MacrologCryptography
import MacrologEngine
import MacrologService
import Testing

/// Goal: what holds a token or a key can be printed and shows neither. Method: everything that Swift makes
/// text of, and all that it shows to a debugger.
@Suite struct SecretTests {
    /// The texts of a value, of its parts, and of theirs.
    private func texts(_ value: Any) -> String {
        var dumped = ""
        dump(value, to: &dumped)
        let parts = Mirror(reflecting: value).children.map { texts($0.value) }
        return (["\(value)", String(reflecting: value), dumped] + parts).joined(separator: "\n")
    }

    @Test func `a session shows whose it is, and none of its tokens`() {
        let session = Session(
            server: "https://sync.example.org", email: "ana@example.org", account: "a",
            accessToken: "opens-all", refreshToken: "opens-all-again")
        let tokens = SessionTokens(
            account: "a", accessToken: "opens-all", refreshToken: "opens-all-again")
        let values: [Any] = [session, Session?.some(session) as Any, [session], tokens]
        for value in values {
            #expect(!texts(value).contains("opens-all"))
            #expect(texts(value).contains("(secret)"))
        }
        #expect("\(session)".contains("ana@example.org"))
        // It compares, and is stored, with them.
        #expect(session.accessToken == "opens-all" && session.refreshToken == "opens-all-again")
        #expect(
            session
                != Session(
                    server: session.server, email: session.email, account: session.account,
                    accessToken: "opens-all", refreshToken: "other"))
    }

    @Test func `a key shows none of its bytes`() {
        let bytes = [UInt8](repeating: 167, count: 96)
        let values: [Any] = [
            DataKey(Array(bytes[..<32])), SealingPair(secret: Array(bytes[..<32])),
            TokenKey(seed: Array(bytes[..<32])), Secrets(bytes),
        ]
        for value in values {
            #expect(!texts(value).contains("167, 167"))
            #expect(texts(value).contains("(secret)"))
        }
    }
}
