import MacrologCryptography
import MacrologHTTP
import MacrologJSON
import MacrologService
import Testing

/// Goal: the same characters are the same password, whatever code points a keyboard makes them of.
/// Method: "é" as one code point and as two.
@Suite(.onBothStores) struct ComposedPasswordTests {
    private let one = "caf\u{E9} by the long river"
    private let two = "cafe\u{301} by the long river"

    @Test func `the composed form is that of Unicode`() {
        for (typed, composed) in [
            (two, one), (one, one), ("plain", "plain"), ("\u{212B}", "\u{C5}"),
            ("\u{1100}\u{1161}", "\u{AC00}"), ("\u{FB01}", "\u{FB01}"),
        ] {
            #expect(Password.composed(Array(typed.utf8)) == Array(composed.utf8), "\(typed)")
        }
        #expect(Password.composed([0xFF, 0xCC, 0x81]) == [0xFF, 0xCC, 0x81])
    }

    @Test(arguments: [true, false])
    func `who registers on one keyboard logs in on the other`(isComposed: Bool) throws {
        let server = try TestServer()
        let body: JSON = [
            "email": "ana@example.org", "password": .string(isComposed ? one : two),
        ]
        #expect(server.post("/v1/auth/register", body).status == 202)
        server.waitForWriter()
        #expect(server.logIn(one).status == 200 && server.logIn(two).status == 200)
        #expect(server.logIn("cafe by the long river").status == 401)
    }

    @Test func `a hash of the password as it was typed is one of the composed form after a login`()
        throws
    {
        let server = try TestServer { $0.registration = .closed }
        // Of `two` at cost 4, by libxcrypt.
        let hash = "$2b$04$abcdefghijklmnopqrstuuPGCWDtDzTFsB.734G71HMa..zxuHCWy"
        _ = try server.administer(
            "user add", ["email": "ana@example.org", "bcrypt_hash": .string(hash)])
        #expect(server.logIn(one).status == 401)
        #expect(server.logIn(two).status == 200)
        server.waitForWriter()
        #expect(server.logIn(one).status == 200 && server.logIn(two).status == 200)
    }

    @Test func `a refusal takes as many hashes with an account as without`() throws {
        let server = try TestServer()
        _ = try server.login("ana@example.org")
        let counts = ["ana@example.org", "noone@example.org"].map { email in
            let before = server.server.hashes
            #expect(server.logIn(two, email: email).status == 401)
            return server.server.hashes - before
        }
        #expect(counts == [2, 2])
    }
}
