import Foundation
import MacrologHTTP
import Macrolog
import MacrologImages
import MacrologEngine
import MacrologTestSupport
import Testing
import MacrologWire

/// Goal: a photo that someone attaches reaches every device of theirs, whatever breaks on the way,
/// and holds up nothing.
/// Method: real sockets and a real server; a proxy that hangs up in the middle of bytes.
@Suite struct PhotoTests {
    private let day = Day(year: 2026, month: 11, day: 20) ?? .earliest

    /// A PNG of this many pseudo-random bytes of pixels, with a place in it.
    static func png(_ count: Int, salt: UInt8 = 0) -> [UInt8] {
        func big(_ value: UInt32) -> [UInt8] {
            (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
        }
        func chunk(_ name: String, _ payload: [UInt8]) -> [UInt8] {
            var sum = ~UInt32(0)
            for byte in Array(name.utf8) + payload {
                sum ^= UInt32(byte)
                for _ in 0..<8 { sum = sum & 1 == 0 ? sum >> 1 : sum >> 1 ^ 0xEDB8_8320 }
            }
            return big(UInt32(payload.count)) + Array(name.utf8) + payload + big(~sum)
        }
        var state: UInt32 = 7 &+ UInt32(salt)
        let pixels = (0..<count).map { _ -> UInt8 in
            state = state &* 1_664_525 &+ 1_013_904_223
            return UInt8(state >> 24)
        }
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            + chunk("IHDR", big(80) + big(60) + [8, 2, 0, 0, 0])
            + chunk("tEXt", Array("GPS\u{0}48.1,11.5".utf8)) + chunk("IDAT", pixels)
            + chunk("IEND", [])
    }

    private func addMeal(_ replica: Replica) throws -> Identifier {
        let meal = Meal(id: replica.newID(), on: LocalDate(day: day), dishName: "Soup")
        try replica.add(meal)
        return meal.id
    }

    @Test func `photos that are attached at the same time are all kept`() async throws {
        let folder = ScratchFolder()
        defer { folder.remove() }
        let replica = try Replica.open(at: folder.file("log.db"))
        let meal = try addMeal(replica)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for salt in 0..<8 {
                group.addTask {
                    _ = try replica.attachPhoto(
                        Self.png(20_000, salt: UInt8(salt)), to: meal)
                }
            }
            try await group.waitForAll()
        }
        #expect(try replica.photos(of: meal).count == 8)
    }

    @Test func `a photo travels to another device, and on demand only`() async throws {
        let httpServer = try RealServer()
        let phone = try await httpServer.device("phone", of: "ana@example.org")
        let laptop = try await httpServer.device("laptop", of: "ana@example.org")
        let meal = try addMeal(phone.replica)
        let photo = try phone.replica.attachPhoto(Self.png(50_000), to: meal)
        #expect((photo.width, photo.height) == (80, 60))
        #expect(try phone.replica.photoStatus().waiting == 1)

        try await phone.sync()
        #expect(
            try phone.replica.photoStatus()
                == PhotoStatus(
                    named: 1, missing: 0, damaged: 0, waiting: 0, lastError: nil))
        try await laptop.sync()
        let awaited = try laptop.replica.photos(of: meal)
        #expect(awaited.map(\.name) == [photo.name])
        #expect(awaited.allSatisfy { $0.bytes == nil && $0.mediaType == nil && $0.width == nil })
        let bytes = try await laptop.photo(photo.name)
        #expect(Int64(bytes.count) == photo.bytes && SHA256.hash(bytes) == photo.name)
        #expect(!String(decoding: bytes, as: UTF8.self).contains("48.1"))
        #expect(try laptop.replica.photos(of: meal) == [photo])
        #expect(
            try phone.replica.withStore { try $0.stateHash() }
                == laptop.replica.withStore { try $0.stateHash() })
    }

    @Test func `an event is valid before its photo arrives`() async throws {
        let httpServer = try RealServer()
        let phone = try await httpServer.device("phone", of: "ana@example.org")
        let laptop = try await httpServer.device("laptop", of: "ana@example.org")
        let meal = try addMeal(phone.replica)
        let photo = try phone.replica.attachPhoto(Self.png(1_000), to: meal)
        // The photo's file is lost before it was sent: the event goes all the same.
        let file = phone.replica.path + ".blobs/" + hexadecimal(photo.name)
        try FileManager.default.moveItem(atPath: file, toPath: file + ".away")
        try await phone.sync()
        try await laptop.sync()
        #expect(try laptop.replica.photos(of: meal).map(\.name) == [photo.name])
        await #expect(throws: PhotoError.notArrived) { try await laptop.photo(photo.name) }
        #expect(try await laptop.fetchPhotos() == (0, 1))
        try FileManager.default.moveItem(atPath: file + ".away", toPath: file)
        try await phone.sync()
        #expect(try await laptop.fetchPhotos() == (1, 0))
        #expect(try laptop.replica.photo(photo.name) != nil)
    }

    @Test func `a photo that this device's disk damaged before it was sent is to be added again`()
        async throws
    {
        let httpServer = try RealServer()
        let phone = try await httpServer.device("phone", of: "ana@example.org")
        let meal = try addMeal(phone.replica)
        let photo = try phone.replica.attachPhoto(Self.png(1_000), to: meal)
        let file = phone.replica.path + ".blobs/" + hexadecimal(photo.name)
        try Data(Self.png(10)).write(to: URL(filePath: file))
        for _ in 0..<2 {
            let error = await #expect(throws: PhotoError.self) { try await phone.photo(photo.name) }
            #expect(error == .damagedHere && error?.isRetryable == false)
        }
        #expect(try await phone.fetchPhotos() == (0, 1))
        try phone.replica.attachPhoto(Self.png(1_000), to: meal)
        #expect(SHA256.hash(try await phone.photo(photo.name)) == photo.name)
    }

    @Test func `sending and fetching go on where the connection broke`() async throws {
        let httpServer = try RealServer()
        let phone = try await httpServer.device("phone", of: "ana@example.org")
        let laptop = try await httpServer.device("laptop", of: "ana@example.org")
        let meal = try addMeal(phone.replica)
        let photo = try phone.replica.attachPhoto(Self.png(1_000_000), to: meal)
        let port = try #require(UInt16(httpServer.address.split(separator: ":").last ?? ""))

        let token = try #require(try phone.session?.accessToken)
        func queue(_ account: Macrolog.Account, _ way: FaultProxy.Fault.Direction) throws -> (
            PhotoQueue, FaultProxy
        ) {
            let proxy = FaultProxy(to: .port(Int(port))) {
                $0 < 3 ? [FaultProxy.Fault(.cut, way, .bytes(300_000))] : []
            }
            let origin = try Origin("http://127.0.0.1:\(proxy.port)")
            return (
                PhotoQueue(folder: account.replica.blobs, transport: ServerTransport(origin)), proxy
            )
        }
        func held() throws -> Int64 {
            let origin = try Origin(httpServer.address)
            let asked = BlobExchange.ask(photo.name, accessToken: token)
            let answer = try ServerTransport(origin).send(asked, heldSeconds: 0)
            switch try BlobExchange.held(photo.name, .success(answer)) {
            case .whole: return 1_000_000
            case .bytes(let count): return count
            case .spoiled: return -1
            }
        }
        var last: Int64 = 0
        for _ in 0..<3 {
            let (cut, proxy) = try queue(phone, .up)
            #expect(throws: SyncError.self) { try cut.send(photo.name, accessToken: token) }
            // The server's own thread may still be reading what came before the cut.
            #expect(try eventually { try held() > last + 290_000 })
            last = try held()
            _ = proxy
        }
        // What is left passes through a cut that the whole would not.
        let (rest, up) = try queue(phone, .up)
        try rest.send(photo.name, accessToken: token)
        #expect(try held() == 1_000_000)
        try await phone.sync()
        try await laptop.sync()

        for part in 1...3 {
            let (cut, proxy) = try queue(laptop, .down)
            #expect(throws: SyncError.self) { try cut.fetch(photo.name, accessToken: token) }
            let arrived = laptop.replica.blobs.partialBytes(of: photo.name)
            #expect(arrived > Int64(part) * 290_000 && arrived <= Int64(part) * 300_000)
            _ = proxy
        }
        let (end, down) = try queue(laptop, .down)
        #expect(try end.fetch(photo.name, accessToken: token))
        #expect(try laptop.replica.photo(photo.name) == phone.replica.photo(photo.name))
        _ = (up, down)
    }

    @Test func `what arrived before and was spoiled is fetched again`() async throws {
        let httpServer = try RealServer()
        let phone = try await httpServer.device("phone", of: "ana@example.org")
        let laptop = try await httpServer.device("laptop", of: "ana@example.org")
        let photo = try phone.replica.attachPhoto(Self.png(5_000), to: addMeal(phone.replica))
        try await phone.sync()
        try await laptop.sync()
        let folder = laptop.replica.path + ".blobs"
        let file = "\(folder)/\(hexadecimal(photo.name))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for spoiled in [[UInt8](repeating: 1, count: 100), Self.png(5_000), []] {
            try Data(spoiled).write(to: URL(filePath: file + ".partial"))
            #expect(SHA256.hash(try await laptop.photo(photo.name)) == photo.name)
            try FileManager.default.removeItem(atPath: file)
        }
        // A disk that spoils what is there.
        _ = try await laptop.photo(photo.name)
        try Data(Self.png(10)).write(to: URL(filePath: file))
        #expect(try laptop.replica.photo(photo.name) == nil)
        #expect(SHA256.hash(try await laptop.photo(photo.name)) == photo.name)
    }

    @Test func `a photo that cannot be sent holds up neither events nor other photos`() async throws
    {
        let httpServer = try RealServer()
        let phone = try await httpServer.device("phone", of: "ana@example.org")
        let meal = try addMeal(phone.replica)
        let names = try (0..<3).map {
            try phone.replica.attachPhoto(Self.png(500, salt: UInt8($0)), to: meal).name
        }
        let file =
            phone.replica.path + ".blobs/"
            + hexadecimal(names.min { $0.lexicographicallyPrecedes($1) } ?? [])
        try Data([1, 2, 3]).write(to: URL(filePath: file))
        let done = try await phone.sync()
        #expect((done.unsealed, done.cursor) == (0, 4))
        let status = try phone.replica.photoStatus()
        #expect(status.lastError?.contains("damaged") == true)
        try await phone.sync()
        #expect(try phone.replica.photoStatus().waiting <= 1)
        // What is left of it is the only copy: it is kept, and a whole one takes its place.
        #expect(try phone.replica.photoStatus().damaged == 1)
        #expect(try Data(contentsOf: URL(filePath: file + ".damaged")) == Data([1, 2, 3]))
        for salt in 0..<3 {
            try phone.replica.attachPhoto(Self.png(500, salt: UInt8(salt)), to: meal)
        }
        #expect(try phone.replica.photoStatus().damaged == 0)
        #expect(!FileManager.default.fileExists(atPath: file + ".damaged"))
    }

    @Test func `photos go by themselves while syncing continues`() async throws {
        let httpServer = try RealServer()
        let phone = try await httpServer.device("phone", of: "ana@example.org")
        let laptop = try await httpServer.device("laptop", of: "ana@example.org")
        var reports = phone.sync(every: .seconds(1)).makeAsyncIterator()
        _ = await reports.next()
        let meal = try addMeal(phone.replica)
        let photo = try phone.replica.attachPhoto(Self.png(2_000), to: meal)
        var rounds = 0
        while try phone.replica.photoStatus().waiting > 0, rounds < 60 {
            _ = await reports.next()
            rounds += 1
        }
        try await laptop.sync()
        #expect(SHA256.hash(try await laptop.photo(photo.name)) == photo.name)
    }

    @Test func `a server that lost its photos gets them again`() async throws {
        let httpServer = try RealServer()
        let phone = try await httpServer.device("phone", of: "ana@example.org")
        try phone.replica.attachPhoto(Self.png(2_000), to: addMeal(phone.replica))
        try await phone.sync()
        let other = try RealServer()
        try await phone.register(
            email: "ana@example.org", password: RealServer.password, at: other.address)
        try await phone.logIn(
            email: "ana@example.org", password: RealServer.password, at: other.address,
            deviceName: "phone", moves: true)
        #expect(try phone.replica.photoStatus().waiting == 1)
        try await phone.sync()
        #expect(try phone.replica.photoStatus().waiting == 0)
        let tablet = try await other.device("tablet", of: "ana@example.org")
        try await tablet.sync()
        #expect(try await tablet.fetchPhotos() == (1, 0))
    }

    @Test func `removing is undone, and what is no photo is refused`() throws {
        let folder = ScratchFolder()
        let path = folder.file("log.db")
        let replica = try Replica.open(at: path)
        defer { folder.remove() }
        let meal = try addMeal(replica)
        let photo = try replica.attachPhoto(Self.png(100), to: meal)
        #expect(try replica.attachPhoto(Self.png(100), to: meal) == photo)
        #expect(try replica.photos(of: meal) == [photo])
        try replica.removePhoto(photo.name, from: meal)
        #expect(throws: PhotoError.notThere) { try replica.removePhoto(photo.name, from: meal) }
        #expect(try replica.photoStatus().named == 0)
        _ = try replica.undo()
        #expect(try replica.photos(of: meal) == [photo])
        #expect(throws: PhotoError(.unknown)) {
            try replica.attachPhoto(Array("GIF89a".utf8), to: meal)
        }
        #expect(throws: PhotoError.tooLarge(20_971_521)) {
            try replica.attachPhoto([UInt8](repeating: 0, count: 20_971_521), to: meal)
        }
        for salt in 1..<10 {
            try replica.attachPhoto(Self.png(100, salt: UInt8(salt)), to: meal)
        }
        #expect(throws: PhotoError.tooMany(11)) {
            try replica.attachPhoto(Self.png(100, salt: 99), to: meal)
        }
    }
}
