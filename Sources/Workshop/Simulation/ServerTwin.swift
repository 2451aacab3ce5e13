import Dispatch
import MacrologCryptography
import MacrologHTTP
package import MacrologService
import MacrologTestSupport
import Synchronization

/// The random numbers of a server that has a twin: both draw the same.
final class SeededRandom: Sendable {
    private let dice = Mutex(Dice(seed: 4))

    func bytes(_ count: Int) -> [UInt8] { dice.withLock { $0.bytes(count) } }
}

/// The same server on another store. It gets the same requests at the same moments, draws the same random
/// numbers, and must give the same answers, byte for byte.
package final class ServerTwin: Sendable {
    /// The secrets of the service.
    package static let secrets = Secrets([UInt8](repeating: 1, count: Secrets.byteCount))

    private let open: @Sendable () throws -> any ServerStore
    private let between: @Sendable () -> Void
    private let clock = ManualClock(0)
    private let random = SeededRandom()
    private let server: Mutex<SyncServer>
    private let answeredPolls = Mutex<[(poll: Int, response: HTTPResponse)]>([])
    private let found = Mutex<(compared: Int, differences: [String])>((0, []))

    /// - Parameters:
    ///   - between: Called before each request.
    ///   - open: Opens the store: at the beginning, and after each restart.
    package init(
        between: @escaping @Sendable () -> Void = {},
        _ open: @escaping @Sendable () throws -> any ServerStore
    ) throws {
        self.between = between
        self.open = open
        server = Mutex(SimulatedServer.server(on: try open(), clock, random.bytes))
    }

    /// How many answers were compared.
    package var compared: Int { found.withLock { $0.compared } }
    /// The answers that were others, one text each.
    package var differences: [String] { found.withLock { $0.differences } }

    func restart() throws {
        try server.withLock { server in
            server.close()
            server = SimulatedServer.server(on: try open(), clock, random.bytes)
        }
    }

    func close() { server.withLock { $0.close() } }

    /// Answers a request, and compares the answer.
    func compare(_ request: HTTPRequest, with other: HTTPResponse, at moment: Int64) {
        between()
        clock.now = moment
        let kept = Kept()
        let done = DispatchSemaphore(value: 0)
        server.withLock { $0 }.respond(to: request) { response in
            kept.response.withLock { $0 = response }
            done.signal()
        }
        done.wait()
        note(kept.response.withLock { $0 }, other, to: "\(request.method) \(request.path)")
    }

    private final class Kept: Sendable {
        let response = Mutex<HTTPResponse?>(nil)
    }

    private func note(_ own: HTTPResponse?, _ other: HTTPResponse, to request: String) {
        let isEqual =
            own?.status == other.status && own?.fields == other.fields && own?.body == other.body
        found.withLock { found in
            found.compared += 1
            if !isEqual, found.differences.count < 10 {
                found.differences.append(
                    "\(request): \(other.status) with \(other.body.count) bytes, and its twin "
                        + "\(own?.status ?? 0) with \(own?.body.count ?? 0)")
            }
        }
    }

    func hold(_ request: HTTPRequest, poll: Int, at moment: Int64) {
        clock.now = moment
        server.withLock { $0 }.respond(to: request) { response in
            self.answeredPolls.withLock { $0.append((poll, response)) }
        }
    }

    func tick(at moment: Int64) {
        clock.now = moment
        server.withLock { $0 }.tick()
    }

    /// Compares the polls that were answered since this was last called.
    func compare(polls others: [(poll: Int, response: HTTPResponse)]) {
        let own = answeredPolls.withLock { answered in
            defer { answered = [] }
            return answered.sorted { $0.poll < $1.poll }
        }
        for other in others {
            note(own.first { $0.poll == other.poll }?.response, other.response, to: "a poll")
        }
        if own.count > others.count {
            found.withLock { $0.differences.append("the twin has answered more polls") }
        }
    }

    func breakOff(_ request: HTTPRequest, after bytes: [UInt8], at moment: Int64) {
        clock.now = moment
        guard let sink = server.withLock({ $0 }).sink(for: request) else { return }
        bytes.withUnsafeBytes { sink.take($0) }
        sink.cancel()
    }

    func collect(at moment: Int64, besides other: Int) {
        clock.now = moment
        let own = server.withLock { $0 }.collectBlobs().unreferenced
        guard own != other else { return }
        found.withLock { $0.differences.append("\(other) blobs collected, and by its twin \(own)") }
    }
}
