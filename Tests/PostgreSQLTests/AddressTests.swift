import MacrologPostgreSQL
import MacrologTestSupport
import Testing

/// Goal: what is wrong with an address, or with what is there, is said with what to do.
@Suite(.enabled(if: PostgreSQLServer.isThere, Scratch.missing))
struct AddressTests {
    @Test(arguments: [
        "postgres://ana:secret@127.0.0.1/log", "postgres://127.0.0.1/log?password=secret",
        "postgres://127.0.0.1/log?sslpassword=secret",
    ])
    func `a password in it is refused, and not repeated`(text: String) {
        let error = #expect(throws: PostgreSQLError.self) { try PostgreSQLAddress(text) }
        #expect(error?.code == .address && error?.hint?.contains("0600") == true)
        #expect(error?.description.contains("secret") == false)
    }

    @Test(arguments: [
        "postgres://127.0.0.1/log?colour=red", "postgres://[::1/log", "postgres://%zz/log",
    ])
    func `what is no address is refused`(text: String) {
        let error = #expect(throws: PostgreSQLError.self) { try PostgreSQLAddress(text) }
        #expect(error?.code == .address && error?.hint != nil)
    }

    @Test func `a host that does not answer, and a database that is not there, are named`() throws {
        let silent = try PostgreSQLAddress("postgres://ana@127.0.0.1:\(Loopback.freePort())/log")
        let server = try Scratch.server.get()
        let nowhere = try PostgreSQLAddress(server.address(of: "nowhere"))
        for (address, word) in [(silent, "127.0.0.1"), (nowhere, "nowhere")] {
            let error = #expect(throws: PostgreSQLError.self) {
                _ = try PostgreSQLConnection.open(address)
            }
            #expect(error?.code == .unreachable && error?.isRetryable == true)
            #expect(error?.description.contains(word) == true)
        }
    }

    @Test func `a standby is not written to`() throws {
        let server = try PostgreSQLServer(isDurable: false)
        let standby = try server.standby(isSynchronous: false)
        let error = #expect(throws: PostgreSQLError.self) {
            _ = try PostgreSQLConnection.open(try PostgreSQLAddress(standby.address()))
        }
        #expect(error?.code == .unreachable)
    }

    @Test func `of several hosts the one that answers is used`() throws {
        let server = try PostgreSQLServer(isDurable: false)
        let socket = server.folder.path
        let address = try PostgreSQLAddress(
            "host=127.0.0.1,\(socket) port=\(Loopback.freePort()),5432 user=postgres dbname=postgres"
        )
        var db = try PostgreSQLConnection.open(address)
        #expect(try db.first("SELECT 7") { $0.int(0) } == 7)
    }
}
