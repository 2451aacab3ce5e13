import MacrologCryptography
import MacrologEvents
import MacrologHTTP
import MacrologObjectStorage
import MacrologService
import MacrologTestSupport
import MacrologWire
import Foundation
import Testing

/// Goal: servers with their blobs in one bucket answer as with a folder; what is not there whole is never answered as
/// stored; collection takes nothing that another server is storing.
/// Method: the service as a function, with moto for the bucket and a proxy with faults before it.
@Suite(.onBothStores, .enabled(if: S3Server.isThere, "skipped: \(S3Server.missing)"))
struct SharedBlobTests {
    private let proxy: FaultProxy
    private let storage: S3Storage
    private let folder = ScratchFolder()
    /// The bucket has the time of this machine.
    private let clock = ManualClock(Int64(Date().timeIntervalSince1970 * 1_000))

    init() throws {
        let server = try S3Server.shared()
        proxy = FaultProxy(to: .port(server.port))
        storage = S3Storage(
            try S3Address(
                "s3://\(server.bucket)/\(UUID().uuidString)",
                endpoint: "http://127.0.0.1:\(proxy.port)", region: "us-east-1"),
            S3Credentials(accessKey: server.accessKey, secretKey: server.secretKey),
            pause: { _ in })
    }

    /// A server with an account, and its requests.
    private struct Node {
        let test: TestServer
        private var token: String

        init(_ storage: S3Storage, _ clock: ManualClock, keys: [DataKey]) throws {
            test = try TestServer(clock: clock, keys: keys, blobs: storage)
            token = try test.login().access
        }

        var server: SyncServer { test.server }

        mutating func logInAgain() throws { token = try test.login().access }

        func send(_ method: String, _ blob: [UInt8], _ range: Range<Int>? = nil) -> HTTPResponse {
            var fields = [HTTPField("authorization", "Bearer \(token)")]
            if let range {
                let part = "\(range.lowerBound)-\(range.upperBound - 1)"
                fields.append(
                    method == "PUT"
                        ? HTTPField("content-range", "bytes \(part)/\(blob.count)")
                        : HTTPField("range", "bytes=\(part)"))
            }
            return test.send(
                HTTPRequest(
                    method: method, path: "/v1/blobs/\(hexadecimal(SHA256.hash(blob)))",
                    fields: fields,
                    body: method == "PUT" ? Array(blob[range ?? 0..<blob.count]) : []))
        }
    }

    private func node(keys: [DataKey] = []) throws -> Node {
        try Node(storage, clock, keys: keys)
    }

    @Test(arguments: [false, true])
    func `a blob comes in parts and goes in parts, encrypted or not`(_ isEncrypted: Bool) throws {
        let node = try node(keys: isEncrypted ? [DataKey([UInt8](repeating: 5, count: 32))] : [])
        var dice = Dice(seed: 5)
        let blob = dice.bytes(200_001)
        #expect(node.send("PUT", blob, 0..<70_000).status == 202)
        #expect(node.send("HEAD", blob).field("upload-offset") == "70000")
        #expect(try storage.list(of: nil).isEmpty)
        #expect(node.send("PUT", blob, 70_000..<200_001).status == 201)
        #expect(node.send("PUT", blob).status == 204)
        #expect(node.send("HEAD", blob).status == 200)
        #expect(node.send("GET", blob).body == blob)
        for range in [0..<1, 63..<129, 65_530..<65_540, 199_990..<200_001] {
            #expect(node.send("GET", blob, range).body == Array(blob[range]))
        }
        let stored = try storage.list(of: nil).map(\.object)
        #expect(stored.map(\.isEncrypted) == [isEncrypted])
        let plain = try storage.read(stored[0], 0..<200_001, version: nil)?.bytes == blob
        #expect(plain != isEncrypted)
    }

    @Test func `what the bucket has lost is not answered, and is taken again`() throws {
        let node = try node()
        let blob = [UInt8](repeating: 4, count: 5_000)
        #expect(node.send("PUT", blob).status == 201)
        #expect(node.send("PUT", blob).status == 204 && node.send("HEAD", blob).status == 200)
        // No node has noticed yet that it is gone.
        for (object, _) in try storage.list(of: nil) { try storage.remove(object) }
        #expect(node.send("HEAD", blob).status == 404)
        #expect(node.send("PUT", blob).status == 201)
        #expect(node.send("GET", blob).body == blob)
        for (object, _) in try storage.list(of: nil) { try storage.remove(object) }
        #expect(node.send("GET", blob).status == 404)
        #expect(node.send("PUT", blob).status == 201)
        #expect(node.send("GET", blob).body == blob)
        // Other bytes under its name: as if it were lost.
        let object = try #require(try storage.list(of: nil).first).object
        let file = folder.file("other")
        try Data(repeating: 5, count: 5_000).write(to: URL(filePath: file))
        try storage.put(file, as: object)
        #expect(node.send("GET", blob).status == 404)
        #expect(node.send("PUT", blob).status == 201)
        #expect(node.send("GET", blob).body == blob)
    }

    @Test func `a bucket that cannot be reached is no answer, and nothing is lost by it`() throws {
        let node = try node()
        let blob = [UInt8](repeating: 3, count: 5_000)
        proxy.refuse(true)
        #expect(node.send("PUT", blob).status == 503)
        proxy.refuse(false)
        #expect(node.send("GET", blob).status == 404)
        #expect(node.send("PUT", blob).status == 201)
        proxy.refuse(true)
        #expect(node.send("GET", blob).status == 503)
        proxy.refuse(false)
        #expect(node.send("GET", blob).body == blob)
    }

    @Test func `a service that says it has stored what it has not is not believed`() throws {
        let node = try node()
        let blob = [UInt8](repeating: 6, count: 5_000)
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        proxy.order(FaultProxy.Fault(.answered(answer), .up, .bytes(0)))
        #expect(node.send("PUT", blob).status == 500)
        #expect(proxy.struck == ["answered": 1])
        #expect(node.send("GET", blob).status == 404)
        #expect(node.send("PUT", blob).status == 201)
        #expect(node.send("GET", blob).body == blob)
    }

    @Test func `collection leaves alone what another server may be storing`() throws {
        let node = try node()
        // The first collection marks when this history begins.
        clock.now -= 60_000
        node.server.collectBlobs()
        clock.now += 3_600_000
        let blob = [UInt8](repeating: 2, count: 500)
        #expect(node.send("PUT", blob).status == 201)
        let file = folder.file("other")
        try Data([1]).write(to: URL(filePath: file))
        let theirs = BlobObject(
            BlobKey(space: 1, name: SHA256.hash([1])), isEncrypted: false)
        try storage.put(file, as: theirs)
        let written = try #require(try storage.written(theirs))
        clock.now = written + BlobLimits.grace
        #expect(node.server.collectBlobs().unclaimed == 0)
        clock.now = written + BlobLimits.grace + 60_000
        #expect(node.server.collectBlobs().unclaimed == 1)
        #expect(try photos().count == 1)
    }

    /// The objects of accounts.
    private func photos() throws -> [BlobObject] {
        try storage.list(of: nil).map(\.object).filter { $0.key.space > 0 }
    }

    @Test func `a database that was restored collects nothing that the lost one stored`() throws {
        var node = try node()
        node.server.collectBlobs()
        // Here a copy of the database is made.
        let copied = try #require(try node.test.store.history())
        let blob = [UInt8](repeating: 8, count: 500)
        let file = folder.file("lost")
        try Data(blob).write(to: URL(filePath: file))
        // The row of this one is lost.
        let lost = BlobObject(BlobKey(space: 1, name: SHA256.hash(blob)), isEncrypted: false)
        try storage.put(file, as: lost)
        for _ in 0..<3 { node.server.collectBlobs() }
        let restored = Answered()
        node.test.store.set(copied) { _ in restored.set(HTTPResponse(status: 204)) }
        _ = restored.get()
        let later = try #require(try storage.written(lost)) + 3 * BlobLimits.grace
        clock.now = later
        #expect(node.server.collectBlobs().unclaimed == 0)
        #expect(node.test.notes.of("blobs.other_history").count == 1)
        for _ in 0..<3 {
            clock.now += BlobLimits.grace
            #expect(node.server.collectBlobs().unclaimed == 0)
        }
        #expect(try photos() == [lost])
        // A device that has it gives it back.
        try node.logInAgain()
        #expect(node.send("HEAD", blob).status == 404)
        #expect(node.send("PUT", blob).status == 201 && node.send("GET", blob).body == blob)
    }

    @Test func `a second service collects nothing of the first one's`() throws {
        let (first, second) = (try node(), try node())
        let blob = [UInt8](repeating: 7, count: 500)
        #expect(first.send("PUT", blob).status == 201)
        for _ in 0..<4 {
            clock.now += BlobLimits.grace
            #expect(first.server.collectBlobs().unclaimed == 0)
            #expect(second.server.collectBlobs().unclaimed == 0)
        }
        #expect(try photos().count == 1)
    }
}
