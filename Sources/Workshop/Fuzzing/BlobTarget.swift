/// Photo transfers: a device with any answer, and the server with any upload (`protocol.md` §6).
import MacrologEvents
import MacrologWire
import MacrologHTTP
import Macrolog
import MacrologService
import MacrologEngine
import MacrologPlatform
import MacrologTestSupport
import Synchronization

extension FuzzTarget {
    /// The first byte: whose bytes they are and what is right about them; the second: a status, or
    /// where an upload is cut. Up to the first line feed: fields, or a range. Then the bytes.
    static let blob = FuzzTarget("blob", inputBytesMax: 2_048) { input in
        guard input.count >= 2 else { return }
        let end = input[2...].firstIndex(of: 0x0A) ?? input.endIndex
        let line = String(decoding: input[2..<end], as: UTF8.self)
        let bytes = Array(input[min(end + 1, input.endIndex)...])
        let flags = BlobFlags(rawValue: input[0])
        if flags.contains(.toServer) {
            try upload(bytes, cut: Int(input[1]), line, flags)
        } else {
            try fetch(bytes, status: Int(input[1]), line, flags)
            try send(bytes, status: Int(input[1]), line, flags)
        }
    }

    private static func name(of bytes: [UInt8], _ flags: BlobFlags) -> [UInt8] {
        flags.contains(.rightName) ? SHA256.hash(bytes) : SHA256.hash([1])
    }

    // A device, and a server that may answer anything.

    private static func fetch(
        _ bytes: [UInt8], status: Int, _ line: String, _ flags: BlobFlags
    ) throws {
        let name = name(of: bytes, flags)
        try inFolder { folder in
            let arrived = flags.contains(.begun) ? bytes.count / 2 : 0
            if arrived > 0 {
                let partial = try BlobFolder.Partial(of: name, keeping: 0, in: folder)
                try promise(
                    bytes[..<arrived].withUnsafeBytes { partial.append($0) }, "a piece is taken")
                try partial.close()
            }
            let server = AnyServer(answer(name, status, line, flags), bytes)
            let queue = PhotoQueue(folder: folder, transport: server)
            let isHere = (try? queue.fetch(name, accessToken: "")) ?? false
            let photo = try folder.read(name)
            try promise((photo != nil) == isHere, "a photo is here when it is said to be")
            try promise(
                photo.map { SHA256.hash($0) == name } ?? true, "a photo is what its name says")
            try promise(!isHere || folder.partialBytes(of: name) == 0, "nothing is kept twice")
            try promise(server.asked <= 2, "a photo is asked for twice at most")
        }
    }

    private static func send(
        _ bytes: [UInt8], status: Int, _ line: String, _ flags: BlobFlags
    ) throws {
        try inFolder { folder in
            let name = try folder.keep([1])
            let server = AnyServer(answer(name, status, line, flags), bytes)
            try? PhotoQueue(folder: folder, transport: server).send(name, accessToken: "")
            try promise(try folder.read(name) == [1], "whatever is answered, a photo stays")
            try promise(server.asked <= 5, "a photo is offered five times at most")
            try promise(server.isInside(of: 1), "a device sends bytes that it has")
        }
    }

    private static func inFolder(_ body: (BlobFolder) throws -> Void) throws {
        let outside = ScratchFolder()
        let folder = BlobFolder(of: "\(outside.path)/log.db")
        defer { outside.remove() }
        do { try body(folder) } catch let error as PhotoError {
            throw BrokenPromise(description: "\(error)")
        }
    }

    private static func answer(
        _ name: [UInt8], _ status: Int, _ line: String, _ flags: BlobFlags
    ) -> HTTPResponse {
        let statuses = [200, 201, 202, 204, 206, 400, 404, 409, 416, 429, 503, 100]
        var fields = line.split(separator: ";").map { part in
            let halves = part.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            return HTTPField(String(halves[0]), String(halves.last ?? ""))
        }
        if flags.contains(.rightTag) {
            fields.append(HTTPField("etag", "\"\(hexadecimal(name))\""))
        }
        if flags.contains(.isProblem) {
            fields.append(HTTPField("content-type", "application/problem+json"))
        }
        return HTTPResponse(status: statuses[status % statuses.count], fields: fields)
    }

    // A server, and a device that may send anything.

    private static let serverIsBusy = Mutex(())

    /// Provides the folders of the one server, emptied.
    static func withBlobs(_ body: () throws -> Void) throws {
        try serverIsBusy.withLock { _ in
            mkdir(PlayedServer.shared.folder.path, 0o700)
            defer {
                PlayedServer.shared.blobs.removeAll()
                PlayedServer.shared.folder.remove()
            }
            try body()
        }
    }

    private static func upload(
        _ bytes: [UInt8], cut: Int, _ line: String, _ flags: BlobFlags
    ) throws {
        try withBlobs {
            let (server, name) = (PlayedServer.shared, name(of: bytes, flags))
            let first = min(cut, bytes.count)
            if flags.contains(.begun), first > 0 {
                try ask(
                    "PUT", name, "content-range", "bytes 0-\(first - 1)/\(bytes.count)",
                    Array(bytes[..<first]))
            }
            try ask("PUT", name, "content-range", line, Array(bytes[first...]))
            let got = try ask("GET", name, "range", line)
            let whole = server.blobs.all().filter { $0.name == name }
            try promise(whole.isEmpty == (got.status == 404), "what is found lies there")
            for key in server.blobs.all() {
                try promise(try server.blobs.hash(key) == key.name, "a blob is what its name says")
                let count = server.blobs.bytes(key) ?? 0
                try promise(count <= Int64(Limits.blobBytesMax), "a blob is not too long")
                guard let file = got.file else { continue }
                try promise(
                    file.offset >= 0 && file.count > 0 && file.count <= count - file.offset,
                    "a range lies inside of its blob")
                try promise(got.status == 206 || file.count == count, "a whole blob is whole")
            }
        }
    }

    @discardableResult
    private static func ask(
        _ method: String, _ name: [UInt8], _ field: String, _ value: String, _ body: [UInt8] = []
    ) throws -> HTTPResponse {
        var request = HTTPRequest(
            method: method, path: "/v1/blobs/\(hexadecimal(name))", body: body,
            peer: "192.0.2.1")
        if !value.isEmpty { request.fields = [HTTPField(field, value)] }
        return try PlayedServer.shared.check(
            request, withToken: true, statuses: PlayedServer.statuses.union([201, 206, 416]))
    }
}

/// Which properties of an input's bytes are valid.
private struct BlobFlags: OptionSet {
    let rawValue: UInt8

    static let toServer = BlobFlags(rawValue: 1)
    static let rightName = BlobFlags(rawValue: 2)
    static let rightTag = BlobFlags(rawValue: 4)
    static let isProblem = BlobFlags(rawValue: 8)
    /// Some have arrived before.
    static let begun = BlobFlags(rawValue: 16)
}

/// Gives one answer to whatever is asked.
private final class AnyServer: Transport {
    private let answer: HTTPResponse
    private let body: [UInt8]
    private let requests = Mutex<[HTTPRequest]>([])

    init(_ answer: HTTPResponse, _ body: [UInt8]) {
        self.answer = answer
        self.body = body
    }

    var asked: Int { requests.withLock { $0.count } }

    /// Whether all that was sent lies inside a file of `count` bytes.
    func isInside(of count: Int64) -> Bool {
        requests.withLock { requests in
            requests.allSatisfy { request in
                guard let file = request.file else { return true }
                return file.offset >= 0 && file.count >= 0 && file.offset + file.count == count
            }
        }
    }

    func send(
        _ request: HTTPRequest, heldSeconds: Int64
    ) throws(TransportError) -> HTTPResponse {
        requests.withLock { $0.append(request) }
        var answer = answer
        guard let receiver = request.receiver, receiver.accepts(answer) else {
            if request.method != "HEAD" { answer.body = body }
            return answer
        }
        // In two pieces, as from a socket.
        for piece in [body[..<(body.count / 3)], body[(body.count / 3)...]] {
            guard piece.withUnsafeBytes({ receiver.take($0) }) else {
                throw TransportError(code: .cancelled, operation: "GET")
            }
        }
        return answer
    }

    func cancel() {}
}
