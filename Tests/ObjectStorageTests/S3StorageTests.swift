import MacrologEvents
import MacrologObjectStorage
import MacrologService
import MacrologTestSupport
import MacrologWire
import Foundation
import Synchronization
import Testing

/// Goal: what is stored in a bucket comes back to the byte, and whatever the network or the service does, nothing
/// counts as stored or as absent that is not.
/// Method: moto, a server that others wrote and that checks signatures, behind a proxy with faults.
@Suite(.enabled(if: S3Server.isThere, "skipped: \(S3Server.missing)"))
struct S3StorageTests {
    typealias Fault = FaultProxy.Fault

    private let server: S3Server
    private let proxy: FaultProxy
    private let folder = ScratchFolder()
    private let prefix = UUID().uuidString

    init() throws {
        server = try S3Server.shared()
        proxy = FaultProxy(to: .port(server.port))
    }

    /// What a storage wrote into its log.
    private final class Notes: Sendable {
        private let notes = Mutex<[String]>([])
        func add(_ note: String) { notes.withLock { $0.append(note) } }
        var all: String { notes.withLock { $0.joined(separator: "\n") } }
    }

    /// - Parameter stallSeconds: After how long without a byte an attempt is given up: short only where one is held up
    ///   on purpose, because a busy machine holds up all of them.
    private func storage(
        bucket: String? = nil, secret: String? = nil, attempts: Int = 3, milliseconds: Int = 60_000,
        stallSeconds: Int = 30, _ notes: Notes = Notes()
    ) throws -> S3Storage {
        var limits = S3Storage.Limits()
        limits.attempts = attempts
        limits.exchangeMilliseconds = milliseconds
        limits.stallSeconds = stallSeconds
        return S3Storage(
            try S3Address(
                "s3://\(bucket ?? server.bucket)/\(prefix)",
                endpoint: "http://127.0.0.1:\(proxy.port)", region: "us-east-1"),
            S3Credentials(
                accessKey: server.accessKey, secretKey: secret ?? server.secretKey), limits: limits,
            note: { notes.add($0) })
    }

    private func file(_ bytes: [UInt8]) throws -> String {
        let path = folder.file("upload")
        try Data(bytes).write(to: URL(filePath: path))
        return path
    }

    private func object(_ bytes: [UInt8], space: Int64 = 1, isEncrypted: Bool = false)
        -> BlobObject
    {
        BlobObject(BlobKey(space: space, name: SHA256.hash(bytes)), isEncrypted: isEncrypted)
    }

    @Test func `an object comes back to the byte, in parts too, until it is removed`() throws {
        let storage = try storage()
        var dice = Dice(seed: 3)
        for (count, isEncrypted) in [(1, false), (300_000, true)] {
            let bytes = dice.bytes(count)
            let object = object(bytes, isEncrypted: isEncrypted)
            #expect(try storage.length(of: object) == nil)
            #expect(try storage.written(object) == nil)
            try storage.put(try file(bytes), as: object)
            #expect(try storage.length(of: object) == Int64(count))
            let whole = try #require(
                try storage.read(object, 0..<Int64(count) + 10, version: nil))
            #expect(whole.bytes == bytes && whole.total == Int64(count))
            let from = Int64(count) / 2
            let part = try storage.read(object, from..<from + 1, version: whole.version)
            #expect(part?.bytes == [bytes[count / 2]])
            #expect(try storage.read(object, 0..<1, version: "\"other\"") == nil)
            #expect(try storage.written(object) ?? 0 > 1_700_000_000_000)
            try storage.remove(object)
            try storage.remove(object)
            #expect(try storage.read(object, 0..<1, version: nil) == nil)
        }
    }

    /// The server's pages have three entries.
    @Test func `a list has all pages, and what others keep beside is left out`() throws {
        let storage = try storage()
        let objects = (0..<7).map { object([UInt8($0)], space: $0 < 4 ? 1 : 12) }
        for object in objects { try storage.put(try file([9]), as: object) }
        #expect(Set(try storage.list(of: nil).map(\.object)) == Set(objects))
        #expect(Set(try storage.list(of: 1).map(\.object)) == Set(objects[..<4]))
        #expect(try storage.list(of: 2).isEmpty)
    }

    static let slowDown = "<Error><Code>SlowDown</Code></Error>"
    private static func answer(_ status: String, _ body: String) -> String {
        "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
    }

    @Test(arguments: [
        Fault.Kind.cut, .frozen, .answered(answer("500 Internal Server Error", "")),
        .answered(answer("503 Slow Down", slowDown)),
    ])
    func `a fault that passes is not noticed, and one that stays answers for nothing`(
        _ kind: Fault.Kind
    ) throws {
        let bytes = [UInt8](repeating: 7, count: 200_000)
        let object = object(bytes)
        // Whatever of the body has arrived.
        let fault = Fault(kind, .up, .bytes(150_000))
        for _ in 0..<2 { proxy.order(fault) }
        #expect(throws: StoreError.busy) {
            try storage(attempts: 2, milliseconds: 700).put(try file(bytes), as: object)
        }
        proxy.thaw()
        // What was held back may arrive in the end, and is then there whole.
        let left = try storage().read(object, 0..<200_000, version: nil)
        #expect(left == nil || left?.bytes == bytes)
        proxy.order(fault)
        try storage(stallSeconds: 2).put(try file(bytes), as: object)
        proxy.thaw()
        // On its way back, too.
        proxy.order(Fault(kind, .down, .bytes(100_000)))
        let part = try? storage(attempts: 1, stallSeconds: 2).read(
            object, 0..<200_000, version: nil)
        #expect(part == nil || part?.bytes == bytes)
        #expect(proxy.struck.values.reduce(0, +) == 4)
    }

    @Test func `what is not HTTP is an error, and is not tried again`() throws {
        let object = object([8])
        proxy.order(Fault(.answered("not HTTP\r\n\r\n"), .up, .bytes(0)))
        #expect(throws: StoreError.self) { try storage().put(try file([8]), as: object) }
        #expect(proxy.accepted == 1)
        #expect(try storage().length(of: object) == nil)
    }

    @Test func `an answer that was lost is asked for again`() throws {
        let object = object([1, 2, 3])
        proxy.order(Fault(.cut, .down, .bytes(0)))
        let notes = Notes()
        do { try storage(notes).put(try file([1, 2, 3]), as: object) } catch {
            Issue.record("\(error): \(notes.all); \(proxy.accepted) connections")
        }
        #expect(proxy.struck == ["cut": 1])
        #expect(try storage().read(object, 0..<3, version: nil)?.bytes == [1, 2, 3])
    }

    @Test(arguments: [
        ("secret", "SignatureDoesNotMatch", "Check the secret key"),
        ("bucket", "NoSuchBucket", "Create the bucket"),
    ])
    func `what an operator has to mend is said, and is not an absent object`(
        _ what: String, _ code: String, _ advice: String
    ) throws {
        let notes = Notes()
        let storage = try storage(
            bucket: what == "bucket" ? "nothing-here" : nil,
            secret: what == "secret" ? "another" : nil, notes)
        let object = object([5])
        #expect(throws: StoreError.self) { try storage.length(of: object) }
        #expect(throws: StoreError.self) { try storage.put(try file([5]), as: object) }
        #expect(throws: StoreError.self) { try storage.check() }
        #expect(notes.all.contains(code) && notes.all.contains(advice), "\(notes.all)")
    }

    @Test func `a clock that is wrong is said`() throws {
        let notes = Notes()
        let answer = Self.answer(
            "403 Forbidden", "<Error><Code>RequestTimeTooSkewed</Code></Error>")
        proxy.order(Fault(.answered(answer), .up, .bytes(0)))
        let object = object([6])
        #expect(throws: StoreError.self) { try storage(notes).put(try file([6]), as: object) }
        #expect(notes.all.contains("Set this computer's clock."))
        #expect(try storage().length(of: object) == nil)
    }

    /// Lies of a server: a part of another place, of another length, and a list that ends early.
    @Test(arguments: [
        "HTTP/1.1 206 OK\r\nContent-Range: bytes 1-3/9\r\nContent-Length: 3\r\n\r\nabc",
        "HTTP/1.1 206 OK\r\nContent-Range: bytes 0-9/9\r\nContent-Length: 3\r\n\r\nabc",
        "HTTP/1.1 206 OK\r\nContent-Length: 3\r\n\r\nabc",
        "HTTP/1.1 206 OK\r\nContent-Range: bytes 0-\(Int64.max)/9\r\nContent-Length: 3\r\n\r\nabc",
        "HTTP/1.1 206 OK\r\nContent-Range: bytes 0-2/\(Int64.max)\r\nContent-Length: 3\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc",
        "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
    ])
    func `what is not the answer to the question is an error`(_ answer: String) throws {
        proxy.order(Fault(.answered(answer), .up, .bytes(0)))
        #expect(throws: StoreError.self) {
            try storage(attempts: 1).read(object([1]), 0..<3, version: nil)
        }
    }

    @Test(arguments: [
        "T\(Int64.max):00:00.000Z", "T00:\(Int64.max):00.000Z", "T00:00:\(Int64.max).000Z",
        "T24:00:00.000Z",
    ])
    func `a moment that no clock shows is no moment`(_ time: String) {
        #expect(S3Listing.milliseconds("2026-11-24\(time)") == nil)
        #expect(S3Listing.milliseconds("2026-11-24T23:59:60.000Z") != nil)
    }

    @Test(arguments: [true, false])
    func `a list whose pages bring nothing else for long is an error`(_ goesRound: Bool) throws {
        let object = """
            <Contents><Key>x</Key><LastModified>2026-11-24T22:27:16.000Z</LastModified></Contents>
            """
        for number in 0...21 {
            let page = """
                <ListBucketResult><IsTruncated>true</IsTruncated>\(object)\
                <NextContinuationToken>\(goesRound ? 0 : number)</NextContinuationToken></ListBucketResult>
                """
            proxy.order(Fault(.answered(Self.answer("200 OK", page)), .up, .bytes(0)))
        }
        let notes = Notes()
        #expect(throws: StoreError.self) { try storage(notes).list(of: nil) }
        #expect(proxy.accepted == 22 && notes.all.contains("no end"))
    }
}
