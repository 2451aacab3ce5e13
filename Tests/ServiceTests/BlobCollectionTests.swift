import MacrologEvents
import MacrologHTTP
import MacrologJSON
import MacrologSQLite
import MacrologCryptography
import MacrologService
import MacrologSystem
import MacrologTestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Goal: what no one holds any more goes, and nothing else ever does.
/// Method: a clock that is moved; devices that record names without having the bytes.
@Suite(.onBothStores) struct BlobCollectionTests {
    private let server: TestServer
    private let blob = bytes(100)
    private let day: Int64 = 86_400

    init() throws {
        server = try TestServer()
        try store(blob)
    }

    /// A token that is still valid, however far the clock was moved.
    private var token: String { get throws { try server.login().access } }

    private func store(_ blob: [UInt8]) throws {
        let answer = server.send(
            HTTPRequest(
                method: "PUT", path: "/v1/blobs/\(digits(blob))",
                fields: [HTTPField("authorization", "Bearer \(try token)")], body: blob))
        #expect([201, 204].contains(answer.status))
    }

    private var isThere: Bool {
        get throws {
            server.call("HEAD", "/v1/blobs/\(digits(blob))", token: try token).status == 200
        }
    }

    /// A device pushes an event with these operations on one meal.
    private func push(_ device: inout TestDevice, _ operations: [MacrologEvents.CellOperation])
        throws
    {
        device.record(operations)
        _ = try device.fold(server.sync(device.request, token: token))
    }

    private var name: Value { .bytes(sha256(blob)) }
    private var add: [MacrologEvents.CellOperation] {
        [.add(field: "photo_sha256s", element: name)]
    }
    private var remove: [MacrologEvents.CellOperation] {
        [.remove(field: "photo_sha256s", element: name)]
    }

    @Test func `a blob without an event stays for thirty days, and then goes`() throws {
        server.advance(seconds: 30 * day)
        #expect(server.server.collectBlobs().unreferenced == 0)
        #expect(try isThere)
        server.advance(seconds: 1)
        #expect(server.server.collectBlobs().unreferenced == 1)
        #expect(try !isThere)
        #expect(server.store.blobFiles.all().isEmpty)
        try store(blob)
        #expect(try isThere)
    }

    @Test func `an event holds its blob for ever, however late it comes`() throws {
        server.advance(seconds: 29 * day)
        var device = TestDevice(1)
        try push(&device, add)
        server.advance(seconds: 4_000 * day)
        #expect(server.server.collectBlobs().unreferenced == 0)
        #expect(try isThere)
    }

    @Test func `whatever an event does with a name holds it`() throws {
        let uses: [[MacrologEvents.CellOperation]] = [
            [.set(["a": name])], [.set(["a": .array([name])])],
            [.add(field: "a", element: .array([name]))],
            [.unknown(verb: 7, arguments: [name])],
            [.remove(field: "a", element: .array([name]))],
        ]
        for (number, use) in uses.enumerated() {
            let server = try BlobCollectionTests()
            var device = TestDevice(UInt64(number + 1))
            try server.push(&device, use)
            server.server.advance(seconds: 400 * day)
            #expect(server.server.server.collectBlobs().unreferenced == 0, "\(use)")
        }
    }

    @Test func `a photo that was taken away goes thirty days after that`() throws {
        var device = TestDevice(1)
        try push(&device, add)
        server.advance(seconds: 400 * day)
        try push(&device, remove)
        server.advance(seconds: 30 * day)
        #expect(server.server.collectBlobs().unreferenced == 0)
        server.advance(seconds: 1)
        #expect(server.server.collectBlobs().unreferenced == 1)
        #expect(try !isThere)
    }

    @Test func `a photo that was taken away and brought back stays`() throws {
        var device = TestDevice(1)
        for operations in [add, remove, add] { try push(&device, operations) }
        server.advance(seconds: 400 * day)
        #expect(server.server.collectBlobs().unreferenced == 0)
    }

    @Test func `an addition beside a removal that had not seen it wins here too`() throws {
        var (phone, laptop) = (TestDevice(1), TestDevice(2))
        try push(&phone, add)
        // The laptop takes it away, and the phone adds it once more, neither knowing of the other.
        _ = try laptop.fold(server.sync(laptop.request, token: try token))
        laptop.record(remove)
        phone.record(add)
        _ = try phone.fold(server.sync(phone.request, token: try token))
        _ = try laptop.fold(server.sync(laptop.request, token: try token))
        server.advance(seconds: 400 * day)
        #expect(server.server.collectBlobs().unreferenced == 0)
        #expect(try isThere)
    }

    @Test func `a photo of two meals stays while one of them has it`() throws {
        var (phone, laptop) = (TestDevice(1), TestDevice(2))
        // Each device's meal is another one.
        try push(&phone, add)
        try push(&laptop, add)
        try push(&phone, remove)
        server.advance(seconds: 400 * day)
        #expect(server.server.collectBlobs().unreferenced == 0)
    }

    @Test func `another account's event holds nothing here`() throws {
        let stranger = try server.login("ben@example.org").access
        var device = TestDevice(5)
        device.record(add)
        #expect(server.sync(device.request, token: stranger).status == 200)
        server.advance(seconds: 31 * day)
        #expect(server.server.collectBlobs().unreferenced == 1)
    }

    @Test func `what is being uploaded or brought up to date is left alone`() throws {
        server.advance(seconds: 31 * day)
        let other = bytes(200)
        let sink = try #require(
            server.server.sink(
                for: HTTPRequest(
                    method: "PUT", path: "/v1/blobs/\(digits(other))",
                    fields: [
                        HTTPField("authorization", "Bearer \(try token)"),
                        HTTPField("content-length", "200"),
                    ])))
        other[..<50].withUnsafeBytes { sink.take($0) }
        server.advance(seconds: 400 * 365 * day)
        #expect(server.server.collectBlobs().unfinished == 0)
        sink.cancel()
        #expect(server.server.collectBlobs().unfinished == 1)
    }

    @Test(.onSQLiteAlone)
    func `a file that no row names goes when the server starts`() throws {
        let folder = ScratchFolder()
        do {
            let server = try TestServer(folder: folder)
            let token = try server.login().access
            #expect(
                server.send(
                    HTTPRequest(
                        method: "PUT", path: "/v1/blobs/\(digits(blob))",
                        fields: [HTTPField("authorization", "Bearer \(token)")], body: blob)
                ).status == 201)
            server.server.close()
            var db = try Connection.open("\(folder.path)/server.db")
            try db.run("DELETE FROM blob")
        }
        let server = try TestServer(folder: folder)
        #expect(server.store.blobFiles.all().isEmpty)
    }

    @Test(.onSQLiteAlone)
    func `a backup whose blobs cannot be written is not there`() throws {
        var device = TestDevice(1)
        try push(&device, add)
        let folder = ScratchFolder()
        let copy = folder.file("copy.db")
        let obstacle = "\(copy).blobs"
        close(open(obstacle, O_WRONLY | O_CREAT, 0o600))
        #expect(throws: (any Error).self) { try ServerFile.backUp(server.path, to: copy) }
        #expect(Files.names(in: folder.path) == ["copy.db.blobs"])
        unlink(obstacle)
        try ServerFile.backUp(server.path, to: copy)
        #expect(try ServerFile.check(copy).problems.isEmpty)
        #expect(throws: SQLiteError.self) { try ServerFile.backUp(server.path, to: copy) }
    }

    @Test(.onSQLiteAlone)
    func `a backup holds the blobs, and tells which are damaged`() throws {
        var device = TestDevice(1)
        try push(&device, add)
        let folder = ScratchFolder()
        let copy = "\(folder.path)/server.db"
        try ServerFile.backUp(server.path, to: copy)
        #expect(try ServerFile.check(copy).blobs == 1)
        #expect(try ServerFile.check(copy).problems.isEmpty)
        let files = BlobFiles(of: copy)
        let file = files.path(try #require(files.all().first))
        let damage: [(String) -> Void] = [
            { path in
                let file = open(path, O_WRONLY)
                pwrite(file, [254], 1, 5)
                close(file)
            }, { truncate($0, 10) }, { unlink($0) },
        ]
        for harm in damage {
            harm(file)
            #expect(try ServerFile.check(copy).problems.count == 1)
        }
    }
}
