import Dispatch
import MacrologEvents
import MacrologWire
import MacrologHTTP
import MacrologHTTPServer
import MacrologJSON
import Macrolog
import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels
import MacrologCryptography
import MacrologService
import Synchronization

/// N: a new device of accounts with a short, a long and a very long past, over real sockets: how long
/// until the first page is shown, and until everything is there. Server and device share this process
/// and its processors.
enum Arrival {
    static func run(_ options: Options, _ folder: Folder, _ report: inout Report) throws {
        for count in options.isQuick ? [3_500, 35_000] : [3_500, 35_000, 350_000] {
            let times = try measure(count, folder)
            let name = "\(Figures.whole(Double(count))) events"
            report.add("N first page, \(name)", Figures.milliseconds(times.first))
            report.add("N everything, \(name)", Figures.milliseconds(times.complete))
        }
    }

    private static func measure(
        _ count: Int, _ folder: Folder
    ) throws -> (first: Double, complete: Double) {
        let server = try BootstrapServer(folder.file("n\(count)"))
        defer { server.stop() }
        try server.fill(count, server.logIn())
        var (first, complete): ([Double], [Double]) = ([], [])
        for round in 0..<(count > 100_000 ? 1 : 3) {
            let times = try arrive(server, folder.file("n-device\(count)-\(round)"))
            first.append(times.first)
            complete.append(times.complete)
        }
        return (median(first), median(complete))
    }

    /// Seconds until a device that is new shows the first page, and until it has everything.
    private static func arrive(
        _ server: BootstrapServer, _ path: String
    ) throws -> (first: Double, complete: Double) {
        let replica = try Replica.open(at: path)
        let account = server.account(of: replica)
        return try waited {
            try await account.logIn(
                email: BootstrapServer.email, password: BootstrapServer.password,
                at: server.address,
                deviceName: "new")
            let start = ContinuousClock.now
            let first = Mutex<Double?>(nil)
            try await account.sync { held, _, _ in
                guard held > 0, first.withLock({ $0 == nil }) else { return }
                first.withLock { $0 = start.secondsAgo }
            }
            let complete = start.secondsAgo
            guard try replica.summary(of: BootstrapServer.lastDay).consumedMeals > 0 else {
                throw Wrong(description: "a new device does not end with everything")
            }
            return (first.withLock { $0 } ?? complete, complete)
        }
    }

    /// Runs an asynchronous body to its end.
    private static func waited<T: Sendable>(
        _ work: @escaping @Sendable () async throws -> T
    ) throws -> T {
        let box = Mutex<Result<T, any Error>?>(nil)
        let done = DispatchSemaphore(value: 0)
        Task {
            let result: Result<T, any Error>
            do { result = .success(try await work()) } catch { result = .failure(error) }
            box.withLock { $0 = result }
            done.signal()
        }
        done.wait()
        guard let result = box.withLock({ $0 }) else { preconditionFailure("it has signalled") }
        return try result.get()
    }
}

/// A server with one account that listens on real sockets.
private final class BootstrapServer: Sendable {
    static let email = "ana@example.org"
    static let password = "nine purple lanterns hum"
    static let lastDay = Day(year: 2026, month: 11, day: 20) ?? .earliest
    private static let perDay = 20
    private static let now = lastDay.number * 86_400_000 + 72_000_000

    let address: String
    private let server: SyncServer
    private let httpServer: Server

    init(_ path: String) throws {
        // A commit of unknown outcome ends the server, and so the measurement.
        let store = try SQLiteServerStore.open(path, newEpoch: 9) { fatalError($0) }
        var settings = ServerSettings()
        settings.passwordCost = PasswordCost(operations: 1, memoryBytes: 8_192)
        settings.rates = .none
        let server = SyncServer(
            store: store, secrets: Secrets([UInt8](repeating: 3, count: Secrets.byteCount)),
            settings: settings, clock: { Self.now })
        self.server = server
        var configuration = Configuration()
        configuration.port = 0
        httpServer = try Server.start(configuration) { request, reply in
            server.respond(to: request) { reply.send($0) }
        }
        address = "http://127.0.0.1:\(httpServer.port)"
    }

    func stop() {
        httpServer.stop()
        server.close()
    }

    func account(of replica: Replica) -> Macrolog.Account {
        Macrolog.Account(of: replica, session: Sessions())
    }

    func logIn() throws -> String {
        for path in ["register", "login"] {
            let body = #"{"email":"\#(Self.email)","password":"\#(Self.password)","device":"old"}"#
            let response = server.answer(
                to: HTTPRequest(
                    method: "POST", path: "/v1/auth/\(path)",
                    fields: [HTTPField("content-type", "application/json")],
                    body: Array(body.utf8), peer: "127.0.0.1"))
            if let token = try? JSON.parse(response.body)["access_token"]?.string { return token }
        }
        throw Wrong(description: "the sample account cannot log in")
    }

    /// Years of log: a person adds twenty meals a day, each with an item of one of 300 foods.
    func fill(_ count: Int, _ token: String) throws {
        let device = Device.id(7)
        for start in stride(from: 0, to: count, by: Limits.pageEventsMax) {
            let end = min(count, start + Limits.pageEventsMax)
            let pushed = (start..<end).map { index in
                SyncRequest.Pushed(
                    age: Int64((count - 1 - index) / Self.perDay) * 86_400_000,
                    body: event(index, of: count, device).encoded())
            }
            let request = SyncRequest(
                device: device, epoch: 0, cursor: 0, digest: .empty, pushed: pushed, eventsMax: 0)
            let response = server.answer(
                to: HTTPRequest(
                    method: "POST", path: "/v1/sync",
                    fields: [
                        HTTPField("content-type", "application/cbor"),
                        HTTPField("authorization", "Bearer \(token)"),
                    ], body: request.encoded(), peer: "127.0.0.1"))
            guard response.status == 200 else {
                throw Wrong(description: "the server refuses the sample: \(response.status)")
            }
        }
    }

    private func event(_ index: Int, of count: Int, _ device: Identifier) -> Event {
        let sample = SampleMeal(index)
        let day = Day(number: Self.lastDay.number - Int64((count - 1 - index) / Self.perDay))
        let food = Identifier(
            high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0000 | UInt64(index % 300))
        var changes = [
            Change(
                EntityKey("meal", sample.id),
                [
                    .set([
                        "local_date": LocalDate(day: day ?? .earliest).value,
                        "dish_name": .text(UTF8Text(sample.name)), "consumed": true,
                        "energy": .int(sample.energy), "protein": .int(sample.protein),
                    ])
                ])
        ]
        if index < 300 {
            changes.append(
                Change(EntityKey("food", food), [.set(["name": .text(UTF8Text("Food \(index)"))])]))
        } else {
            let item = Identifier(high: sample.id.high, low: sample.id.low ^ 1)
            changes.append(
                Change(
                    EntityKey("meal_item", item),
                    [
                        .set([
                            "meal_id": .bytes(sample.id.bytes), "food_id": .bytes(food.bytes),
                            "name": "Milk", "energy": 100_000,
                        ])
                    ]))
        }
        return Event(
            dot: Dot(device: device, seq: Int64(index + 1)), base: .none, wall: sample.wall,
            type: "meal.added", changes: changes)
    }
}

/// A session in memory.
private final class Sessions: SessionStore {
    private let session = Mutex<Macrolog.Session?>(nil)
    func load() -> Macrolog.Session? { session.withLock { $0 } }
    func save(_ new: Macrolog.Session?) { session.withLock { $0 = new } }
}
