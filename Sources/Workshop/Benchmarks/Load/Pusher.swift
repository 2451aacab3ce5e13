import MacrologEvents
import MacrologWire

/// A device that pushes meals and asks for nothing.
struct Pusher {
    private let device: Identifier
    private let header: String
    private var seq: Int64 = 0
    private var meal: Int
    /// Requests that were made beforehand, the next one last.
    private var ready: [[UInt8]] = []
    /// The events of each of them.
    private var readyEvents = 0

    init(device: Int, token: String) {
        self.device = Device.id(UInt64(device + 1))
        header = token
        meal = device * 1_000_000
    }

    /// Makes the next requests beforehand.
    mutating func prepare(_ pushes: Int, of events: Int) {
        forget()
        ready = (0..<pushes).map { _ in made(events) }.reversed()
        readyEvents = events
    }

    /// The request that carries the next events.
    mutating func push(_ events: Int) -> [UInt8] {
        if readyEvents == events, let request = ready.popLast() { return request }
        forget()
        return made(events)
    }

    /// Drops the requests that were not sent; their numbers are used again.
    private mutating func forget() {
        let events = ready.count * readyEvents
        seq -= Int64(events)
        meal -= events
        ready = []
    }

    private mutating func made(_ events: Int) -> [UInt8] {
        let pushed = (0..<events).map { _ in
            seq += 1
            meal += 1
            let event = SampleMeal(meal).event(device: device, seq: seq)
            return SyncRequest.Pushed(age: 0, body: event.encoded())
        }
        return request(pushed)
    }

    /// The request of a device that has everything: nothing.
    func idle() -> [UInt8] { Self.post("/v1/sync", "application/cbor", token: header, idleBody()) }

    func idleBody() -> [UInt8] {
        SyncRequest(device: device, epoch: 0, cursor: 0, digest: .empty, pushed: []).encoded()
    }

    private func request(_ pushed: [SyncRequest.Pushed]) -> [UInt8] {
        let message = SyncRequest(
            device: device, epoch: 0, cursor: 0, digest: .empty, pushed: pushed, eventsMax: 0)
        return Self.post("/v1/sync", "application/cbor", token: header, message.encoded())
    }

    static func post(_ path: String, _ type: String, token: String?, _ body: [UInt8]) -> [UInt8] {
        var header = "POST \(path) HTTP/1.1\r\nHost: localhost\r\n"
        header += "Content-Type: \(type)\r\nContent-Length: \(body.count)\r\n"
        if let token { header += "Authorization: Bearer \(token)\r\n" }
        return Array("\(header)\r\n".utf8) + body
    }
}
