import MacrologEvents
import MacrologHTTP
import Macrolog
import MacrologEngine
import Testing

/// Goal: a photo that a server cannot give whole keeps no other one waiting, and says what is wrong with it;
/// nor does one that is sent.
/// Method: a real server over a connection that gives other bytes in place of one photo, or is slow.
@Suite struct PhotoFetchingTests {
    private func fetch(
        from server: RealServer, _ pieces: [[UInt8]]
    ) async throws -> (error: AccountError?, status: PhotoStatus) {
        let phone = try await server.device("phone", of: "ana@example.org")
        let meal = Meal(
            id: phone.replica.newID(), on: try phone.replica.localDate(), dishName: "Soup")
        try phone.replica.add(meal)
        let names = try (0..<3).map {
            try phone.replica.attachPhoto(PhotoTests.png(500, salt: UInt8($0)), to: meal.id).name
        }
        try await phone.sync()
        // The first in the order in which they are fetched.
        let first = hexadecimal(names.min { $0.lexicographicallyPrecedes($1) } ?? [])
        let laptop = try await server.device("laptop", of: "ana@example.org") {
            SpoilingLine(real: ServerTransport($0), name: first, pieces: pieces)
        }
        try await laptop.sync()
        let error = await #expect(throws: AccountError.self) { try await laptop.fetchPhotos() }
        return (error, try laptop.replica.photoStatus())
    }

    @Test(.timeLimit(.minutes(10)))
    func `a photo is shown while another one is sent`() async throws {
        let server = try RealServer()
        let laptop = try await server.device("laptop", of: "ana@example.org")
        let phone = try await server.device("phone", of: "ana@example.org")
        func attach(_ account: Account, _ salt: UInt8) throws -> [UInt8] {
            let replica = account.replica
            let meal = Meal(id: replica.newID(), on: try replica.localDate(), dishName: "Soup")
            try replica.add(meal)
            return try replica.attachPhoto(PhotoTests.png(500, salt: salt), to: meal.id).name
        }
        let name = try attach(laptop, 1)
        try await laptop.sync()
        _ = try attach(phone, 2)
        let slow = SlowAccount(of: phone) { $0.method == "PUT" }
        let account = slow.account
        let syncing = Task { try await account.sync() }
        await slow.held()
        #expect(try await !account.photo(name).isEmpty)
        slow.release()
        #expect(try await syncing.value.unsealed == 0)
        #expect(try phone.replica.photoStatus().waiting == 0)
    }

    @Test func `a photo that the server has spoiled keeps no other one waiting`() async throws {
        let (error, status) = try await fetch(from: RealServer(), [Array("no photo".utf8)])
        #expect(error?.explanation.contains("not what its name says") == true)
        #expect((status.named, status.missing) == (3, 1))
    }

    @Test func `a photo that is too large is no exchange that was cancelled, and not offline`()
        async throws
    {
        let piece = [UInt8](repeating: 1, count: 1 << 20)
        let (error, status) = try await fetch(
            from: RealServer(), [[UInt8]](repeating: piece, count: 11))
        #expect(error?.explanation.contains("larger than a photo can be") == true)
        if case .sync(let cause) = error {
            #expect(!cause.isOffline)
        } else {
            Issue.record("\(String(describing: error))")
        }
        #expect(status.missing == 1)
    }
}

/// A real connection that gives other bytes in place of one photo.
private struct SpoilingLine: Transport {
    let real: ServerTransport
    /// The photo, in hexadecimal digits.
    let name: String
    let pieces: [[UInt8]]

    func send(
        _ request: HTTPRequest, heldSeconds: Int64
    ) throws(TransportError) -> HTTPResponse {
        guard request.method == "GET", request.path.hasSuffix(name), let receiver = request.receiver
        else { return try real.send(request, heldSeconds: heldSeconds) }
        let answer = HTTPResponse(status: 200, fields: [HTTPField("etag", "\"\(name)\"")])
        guard receiver.accepts(answer),
            pieces.allSatisfy({ $0.withUnsafeBytes { receiver.take($0) } })
        else { throw TransportError(code: .cancelled, operation: "GET") }
        return answer
    }

    func cancel() { real.cancel() }
}
