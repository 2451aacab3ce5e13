/// What became of the requests: counted for `/metrics`, logged where it matters, and named by an id
/// where a person may ask about it.
import MacrologHTTP
import MacrologHTTPServer
import MacrologJSON
import MacrologCryptography
import MacrologService
import MacrologSystem
import Synchronization

final class Requests: Sendable {
    /// The upper ends of the steps in which durations are counted, in milliseconds.
    static let steps: [Int64] = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000]

    /// How long the answers of one route took.
    struct Durations: Sendable {
        /// How many took at most as long as each step.
        var counts = [Int64](repeating: 0, count: Requests.steps.count)
        var count: Int64 = 0
        var milliseconds: Int64 = 0
    }

    /// A route, or none, and what it answered.
    struct Outcome: Hashable, Sendable {
        /// Its number for ``FrontDoor``; -1 for a path without a route.
        let route: Int
        let status: Int
    }

    /// A reason to refuse, and where.
    fileprivate struct Refusal: Hashable {
        let route: Int
        let problem: ProblemKind
    }

    /// The refusals of the last minute with one reason.
    fileprivate struct Refused {
        var count = 0
        var networks: Set<String> = []
    }

    /// Since the start.
    struct Counts: Sendable {
        var outcomes: [Outcome: Int64] = [:]
        var durations: [Int: Durations] = [:]
        var refusals: [ProblemKind: Int64] = [:]
    }

    private struct State {
        var counts = Counts()
        var refused: [Refusal: Refused] = [:]
    }

    private let state = Mutex(State())
    private let log: LogLines
    private let isStopping = Atomic<Bool>(false)

    init(_ log: LogLines) { self.log = log }

    /// Since the start.
    var counts: Counts { state.withLock { $0.counts } }

    /// From now on an answer that the server is busy is nothing to warn of.
    func stop() { isStopping.store(true, ordering: .relaxed) }

    /// Has a request answered, and notes its answer.
    func answer(_ request: HTTPRequest, _ door: FrontDoor, _ reply: Reply) {
        let began = SystemClock.monotonicMilliseconds
        var head = request
        head.body = []
        head.sink = nil
        let bytes = request.body.count
        door.respond(to: request) { [head] response in
            let route = door.route(of: head)
            let took = SystemClock.monotonicMilliseconds - began
            reply.send(self.noted(response, head, bytes, route, took, door.server))
        }
    }

    /// Refuses a request for which no thread is free.
    func refuse(_ request: HTTPRequest, _ door: FrontDoor, _ reply: Reply) {
        request.sink?.cancel()
        var head = request
        head.body = []
        head.sink = nil
        reply.send(
            noted(
                Problem.overloaded.response, head, request.body.count, door.route(of: head), 0,
                door.server))
    }

    /// Counts and logs a response; one that tells of a problem gets the id of its request.
    private func noted(
        _ response: HTTPResponse, _ request: HTTPRequest, _ bytes: Int, _ route: Int, _ took: Int64,
        _ server: SyncServer
    ) -> HTTPResponse {
        let name = ProblemKind.name(of: response)
        let problem = name.flatMap(ProblemKind.init(rawValue:))
        // A missing blob is an ordinary answer; a path that does not exist is not.
        let isRefusal = problem.map { $0.isRefusal && !($0 == .notFound && route >= 0) } ?? false
        let network = isRefusal ? server.network(of: request) : ""
        state.withLock { state in
            let outcome = Outcome(route: route, status: response.status)
            state.counts.outcomes[outcome, default: 0] += 1
            if FrontDoor.isTimed(route) {
                state.counts.durations[route, default: Durations()].add(took)
            }
            guard let problem, isRefusal else { return }
            state.counts.refusals[problem, default: 0] += 1
            let refusal = Refusal(route: route, problem: problem)
            state.refused[refusal, default: Refused()].add(network)
        }
        let isExpected = response.status == 503 && isStopping.load(ordering: .relaxed)
        let level: ServerNote.Level =
            response.status >= 500 && !isExpected ? .warning : .debug
        guard name != nil || log.writes(level) else { return response }
        let id = Self.identifier(of: request)
        log.write(
            level, "request",
            [
                ("request_id", id), ("method", request.method),
                // The path as received may hold an id of a session or of a photo.
                ("path", route < 0 ? "unknown" : FrontDoor.path(of: route)),
                ("status", "\(response.status)"), ("problem", name ?? "none"),
                ("request_bytes", "\(bytes)"), ("response_bytes", "\(response.body.count)"),
            ])
        return name == nil ? response : Self.named(response, id)
    }

    /// The id that the client gave, if it is one, else a new one.
    private static func identifier(of request: HTTPRequest) -> String {
        if let given = request.field("x-request-id"), (1...64).contains(given.utf8.count),
            given.utf8.allSatisfy({ isOfIdentifier($0) })
        {
            return given
        }
        return randomBytes(8).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
            .joined()
    }

    private static func isOfIdentifier(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "-"):
            true
        default: false
        }
    }

    /// A problem with the id of its request, in the document and as a field.
    private static func named(_ response: HTTPResponse, _ id: String) -> HTTPResponse {
        var response = response
        response.fields.append(HTTPField("x-request-id", id))
        // The document is an object with members, and an id needs no escape.
        response.body.removeLast()
        response.body += Array(",\"request_id\":\"\(id)\"}".utf8)
        return response
    }

    /// Logs what was refused since the last call: a line for each route and reason.
    func logRefusals() {
        let refused = state.withLock { state in
            defer { state.refused = [:] }
            return state.refused
        }
        for (refusal, all) in refused.sorted(by: { $0.value.count > $1.value.count }) {
            let single = all.networks.count == 1 ? all.networks.first : nil
            log.write(
                .info, "refused",
                [
                    ("route", FrontDoor.name(of: refusal.route)),
                    ("problem", refusal.problem.rawValue), ("refused_count", "\(all.count)"),
                    ("network_count", "\(all.networks.count)"), ("network", single ?? "several"),
                ])
        }
    }
}

extension Requests.Durations {
    fileprivate mutating func add(_ took: Int64) {
        count += 1
        milliseconds += took
        for (index, step) in Requests.steps.enumerated() where took <= step { counts[index] += 1 }
    }
}

extension Requests.Refused {
    /// Many networks are not told apart any more, so that an attack does not fill the memory.
    private static let networksMax = 1_000

    fileprivate mutating func add(_ network: String) {
        count += 1
        if networks.count < Self.networksMax { networks.insert(network) }
    }
}
