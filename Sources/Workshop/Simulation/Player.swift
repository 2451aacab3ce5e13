import MacrologEvents
import MacrologWire
import MacrologHTTP
import MacrologLog
import Macrolog
import MacrologNutritionModels
import MacrologReadModels
import MacrologRecovery
import MacrologSQLite
import MacrologEngine

/// A device of a ``Replay``: the real store in memory, with one exchange after another.
final class Player {
    /// It repeated its exchanges and never completed its log.
    struct Stuck: Error, CustomStringConvertible {
        let description = "not in sync after 10,000 exchanges"
    }

    let name: String
    var store: Store
    private let pageMax: Int

    init(_ name: String, device: Identifier, pageMax: Int64 = 500) throws {
        self.name = name
        self.pageMax = Int(pageMax)
        store = try Store.open(try LogConnection.inMemory(), newDevice: device)
    }

    convenience init(_ name: String, id: Int, pageMax: Int64) throws {
        try self.init(
            name, device: Identifier(high: 0xD, low: UInt64(id)), pageMax: pageMax)
    }

    func withStore<T>(_ body: (inout Store) throws -> T) rethrows -> T { try body(&store) }

    /// Exchanges until nothing is missing anywhere.
    func converge(with server: SimulatedServer, _ token: String, _ now: Int64) throws {
        for _ in 0..<10_000 {
            let reading = ClockSample(
                wall: now, monotonic: now, boot: Identifier(high: 0xB, low: 2))
            let message = try store.syncRequest(eventsMax: pageMax, admitted: 0, now: reading)
            let request = SyncExchange.request(message, accessToken: token)
            do {
                let answer = try SyncExchange.answer(.success(server.answer(request, at: now)))
                do throws(LogError) { try store.apply(answer) } catch {
                    guard error.sqlite == nil else { throw error }
                    throw SyncError(error)
                }
                if store.log.cursor >= answer.head, store.log.unsealedCount == 0 { return }
            } catch let error as SyncError where error.errorClass == .differs {
                try recover(with: server, token, now)
            }
        }
        throw Stuck()
    }

    /// Sends the server what it does not have.
    func recover(with server: SimulatedServer, _ token: String, _ now: Int64) throws {
        var recovering = try store.recovering()
        while let request = try recovering.request(
            of: &store, eventsMax: pageMax, accessToken: token)
        {
            try recovering.learn(.success(server.answer(request.request, at: now)), to: request)
        }
        _ = try store.recover(
            recovering, as: Identifier(high: 0xF, low: store.log.device.low))
    }
}

/// A request of a recovery.
struct RecoveryRequest {
    let request: HTTPRequest
    /// What is given back, if anything.
    let given: HealRequest?
}

extension Recovering {
    /// The next request; `nil` when everything is known.
    func request(
        of store: inout Store, eventsMax: Int, accessToken: String
    ) throws(LogError) -> RecoveryRequest? {
        switch action {
        case .ask(let message):
            return RecoveryRequest(
                request: SyncExchange.request(message, accessToken: accessToken), given: nil)
        case .fetch(let message):
            return RecoveryRequest(
                request: SyncExchange.request(message, accessToken: accessToken), given: nil)
        case .give(let after):
            let message = try store.healRequest(self, after: after, eventsMax: eventsMax)
            return RecoveryRequest(
                request: SyncExchange.request(message, accessToken: accessToken), given: message)
        case .finish: return nil
        }
    }

    /// Processes the answer to a request.
    mutating func learn(
        _ result: Result<HTTPResponse, TransportError>, to request: RecoveryRequest
    ) throws {
        switch action {
        case .ask: try handle(.digests(try SyncExchange.digestAnswer(result)))
        case .fetch: try handle(.rows(try SyncExchange.answer(result)))
        case .give:
            let answer = try SyncExchange.healAnswer(result)
            if let given = request.given { try handle(.given(given, answer)) }
        case .finish: break
        }
    }
}
