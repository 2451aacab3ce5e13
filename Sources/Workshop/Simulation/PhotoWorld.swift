import MacrologEvents
import MacrologHTTP
import MacrologLog
import Macrolog
import MacrologNutritionModels
import MacrologReadModels
import MacrologEngine
import MacrologTestSupport
import Synchronization

/// What happened to photos. A world in which none is transferred proves nothing.
package struct PhotoCounts: Sendable {
    /// Photos that reached the server.
    package var sent = 0
    /// Photos that were fetched from it.
    package var fetched = 0
    /// Blobs that the server deleted because no device held them.
    package var collected = 0

    package init() {}

    package mutating func add(_ other: PhotoCounts) {
        sent += other.sent
        fetched += other.fetched
        collected += other.collected
    }
}

/// Photos in the world: transferred by the real client code to the real server, over a network with
/// the world's faults.
extension World {
    private func network() -> PhotoNetwork {
        PhotoNetwork(server: server, faults: faults, now: now, dice: Dice(seed: dice.next()))
    }

    /// A device in sync uploads its photos. A failed upload is repeated after the next exchange.
    func sendPhotos(of index: Int) {
        let device = devices[index]
        guard device.isOnline else { return }
        let network = network()
        defer { note(network) }
        let queue = PhotoQueue(folder: device.blobs, transport: network)
        let wall = device.reading(now: now).wall
        let epoch = device.store.log.epoch
        guard let waiting = try? queue.waiting(in: &device.store, now: wall) else { return }
        for name in waiting {
            guard (try? queue.send(name, accessToken: device.accessToken)) != nil else { continue }
            try? device.store.noteBlob(name, epoch: epoch, at: wall)
            photos.sent += 1
        }
    }

    /// All devices sleep, up to some weeks; then the server deletes blobs that no device holds.
    func sleep() throws {
        skip(milliseconds: dice.roll(1...45) * 86_400_000)
        strike("asleep", "everybody has slept")
        try logInAgain()
        let count = server.collect(at: now)
        photos.collected += count
        if count > 0 { tell("the server deletes \(count) orphans") }
    }

    /// Earlier tokens are no longer valid.
    ///
    /// - Parameter person: Only this person's devices. An account keeps 50 sessions, and the
    ///   oldest of more ends with its receipt.
    func logInAgain(_ person: Int? = nil) throws {
        // Logging in requires power.
        server.disk?.repair()
        try switchOnAfterPowerLoss()
        for (device, owner) in zip(devices, owners) where person == nil || owner == person {
            let answer = server.answer(
                AccountExchange.logIn(
                    email: "person\(owner)@example.org", password: Self.password,
                    deviceName: device.name), at: now)
            device.accessToken = try AccountExchange.tokens(.success(answer)).accessToken
        }
    }

    /// When the faults have stopped, and earlier answers of the server are no longer trusted, the
    /// server gets the photos that it lacks.
    func convergePhotos() throws {
        skip(milliseconds: PhotoQueue.believed)
        try logInAgain()
        for index in devices.indices { sendPhotos(of: index) }
    }

    /// Every device must be able to fetch every photo that it names.
    func missingPhotos() throws -> [String] {
        var problems: [String] = []
        for device in devices {
            let queue = PhotoQueue(folder: device.blobs, transport: network())
            var missing = 0
            for name in try device.store.blobNames() where try device.blobs.read(name) == nil {
                if try queue.fetch(name, accessToken: device.accessToken) {
                    photos.fetched += 1
                } else {
                    missing += 1
                }
            }
            if missing > 0 { problems.append("\(device.name): \(missing) photos are nowhere") }
        }
        return problems
    }

    private func note(_ network: PhotoNetwork) {
        for fault in network.takeStruck() { strike(fault, "a photo: \(fault)") }
    }
}

/// Sends one request after the other to the server, at one moment.
private final class PhotoNetwork: Transport {
    private struct State {
        var dice: Dice
        var struck: [String] = []
    }

    private let server: SimulatedServer
    private let faults: Faults
    private let now: Int64
    private let state: Mutex<State>

    init(server: SimulatedServer, faults: Faults, now: Int64, dice: Dice) {
        self.server = server
        self.faults = faults
        self.now = now
        state = Mutex(State(dice: dice))
    }

    func takeStruck() -> [String] { state.withLock { $0.struck } }

    func cancel() {}

    func send(
        _ request: HTTPRequest, heldSeconds: Int64
    ) throws(TransportError) -> HTTPResponse {
        if strikes(faults.lostBefore, "lost before") { throw cut(request) }
        var request = request
        if let file = request.file {
            request.body = Self.content(file)
            request.file = nil
            request.fields.append(HTTPField("content-length", "\(request.body.count)"))
            if strikes(faults.photoBroken, "photo broken off") {
                let count = Int(roll(0...Int64(request.body.count)))
                server.breakOff(request, after: Array(request.body.prefix(count)), at: now)
                throw cut(request)
            }
        }
        var response = server.answer(request, at: now)
        if strikes(faults.lostAfter, "lost after") { throw cut(request) }
        if strikes(faults.garbled, "garbled") { response = spoiled(response) }
        if request.method == "HEAD" {
            (response.body, response.file) = ([], nil)
            return response
        }
        guard let file = response.file else { return response }
        var body = Self.content(file)
        response.file = nil
        if strikes(faults.garbled, "garbled"), !body.isEmpty { body[body.count / 2] ^= 1 }
        guard let receiver = request.receiver, receiver.accepts(response) else {
            response.body = body
            return response
        }
        if strikes(faults.photoBroken, "photo broken off") {
            body.removeLast(Int(roll(0...Int64(body.count))))
            _ = body.withUnsafeBytes { receiver.take($0) }
            throw cut(request)
        }
        guard body.withUnsafeBytes({ receiver.take($0) }) else { throw cut(request) }
        return response
    }

    private func spoiled(_ response: HTTPResponse) -> HTTPResponse {
        let html = HTTPField("content-type", "text/html")
        if roll(0...1) == 0 { return HTTPResponse(status: 502, fields: [html]) }
        return HTTPResponse(status: 200, fields: [html], body: Array("<html>".utf8))
    }

    private func strikes(_ chance: Int64, _ fault: String) -> Bool {
        state.withLock { state in
            guard state.dice.percent(chance) else { return false }
            state.struck.append(fault)
            return true
        }
    }

    private func roll(_ range: ClosedRange<Int64>) -> Int64 {
        state.withLock { $0.dice.roll(range) }
    }

    private func cut(_ request: HTTPRequest) -> TransportError {
        TransportError(
            code: .unreachable(detail: "simulated"),
            operation: "\(request.method) \(request.path)")
    }

    private static func content(_ part: FilePart) -> [UInt8] {
        guard let data = try? Data(contentsOf: URL(filePath: part.path)) else { return [] }
        return Array(data.dropFirst(Int(part.offset)).prefix(Int(part.count)))
    }
}
