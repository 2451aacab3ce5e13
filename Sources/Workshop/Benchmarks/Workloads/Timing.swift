import Dispatch
import MacrologHTTP
import MacrologJSON
import MacrologService
import MacrologPlatform
import Synchronization

/// T: how long refusals take that must not tell what they refuse: a login with an address that is
/// known or not, a device that is another person's, gone, unheard of or misspelt. In turn, without
/// sockets; p says how likely as much difference is by chance alone (Mann and Whitney).
enum Timing {
    static func run(_ options: Options, _ folder: Folder, _ report: inout Report) throws {
        let server = try TimingServer(folder.file("t"))
        defer { server.close() }
        let ana = try server.logIn("ana@example.org")
        let ben = try server.logIn("ben@example.org")
        let gone = try server.logIn("ana@example.org")
        guard server.delete(gone.session, ana.token) == 204 else {
            throw Wrong(description: "a device cannot be logged out")
        }

        var logIns: [[Double]] = [[], []]
        for turn in 0..<(options.isQuick ? 200 : 2_000) {
            let isKnown = turn % 2 == 0
            let email = isKnown ? "ana@example.org" : "eva@example.org"
            let took = try seconds {
                guard server.logIn(email, "wrong words in a row").status == 401 else {
                    throw Wrong(description: "a wrong password is refused")
                }
            }
            logIns[isKnown ? 0 : 1].append(took)
        }
        tell("known address", logIns[0], "unknown", logIns[1], &report)

        let ids = [
            ("random", "0192f0c1-2345-7678-9abc-def012345678"), ("another's", ben.session),
            ("deleted", gone.session), ("malformed", "nothing"),
        ]
        var times = [[Double]](repeating: [], count: ids.count)
        for turn in 0..<(options.isQuick ? 2_000 : 20_000) {
            let index = turn % ids.count
            times[index].append(
                try seconds {
                    guard server.delete(ids[index].1, ana.token) == 404 else {
                        throw Wrong(description: "\(ids[index].0): 404 was due")
                    }
                })
        }
        for index in 1..<ids.count {
            tell("device \(ids[index].0)", times[index], ids[0].0, times[0], &report)
        }
    }

    private static func tell(
        _ name: String, _ ours: [Double], _ other: String, _ others: [Double],
        _ report: inout Report
    ) {
        let difference = (median(ours) - median(others)) * 1e6
        report.add(
            "T \(name)", "\(Figures.decimal(median(ours) * 1e6)) µs",
            limit: "\(Figures.decimal(median(others) * 1e6)) µs \(other)",
            ratio: median(others) / median(ours))
        report.count(
            "T",
            """
            \(name) and \(other), \(ours.count) each: \(difference < 0 ? "−" : "")\
            \(Figures.decimal(abs(difference))) µs apart, \
            p = \(Figures.decimal(chance(ours, others), digits: 3))
            """)
    }

    /// The two-sided p of the test of H. B. Mann and D. R. Whitney (1947), by its normal
    /// approximation; equal times share their ranks.
    private static func chance(_ left: [Double], _ right: [Double]) -> Double {
        let all = (left.map { ($0, true) } + right.map { ($0, false) }).sorted { $0.0 < $1.0 }
        var (ranks, ties, first) = (0.0, 0.0, 0)
        while first < all.count {
            var end = first
            while end < all.count, all[end].0 == all[first].0 { end += 1 }
            let count = Double(end - first)
            let rank = Double(first + 1 + end) / 2
            ranks += rank * Double(all[first..<end].count { $0.1 })
            ties += count * count * count - count
            first = end
        }
        let (m, n) = (Double(left.count), Double(right.count))
        let u = ranks - m * (m + 1) / 2
        let variance = m * n / 12 * (m + n + 1 - ties / ((m + n) * (m + n - 1)))
        return erfc(abs(u - m * n / 2) / (2 * variance).squareRoot())
    }
}

/// A server whose routes are called without sockets, and that never limits the rate of requests.
private final class TimingServer: Sendable {
    private let server: SyncServer
    private static let password = "four words in a row"

    init(_ path: String) throws {
        // A commit of unknown outcome ends the server, and so the measurement.
        let store = try SQLiteServerStore.open(path, newEpoch: 7) { fatalError($0) }
        var settings = ServerSettings()
        settings.rates = .none
        server = SyncServer(
            store: store, secrets: Secrets([UInt8](repeating: 9, count: Secrets.byteCount)),
            settings: settings, clock: { 1_800_000_000_000 }, monotonic: { 1_000 })
    }

    func close() { server.close() }

    func logIn(_ email: String) throws -> (token: String, session: String) {
        let body: JSON = ["email": .string(email), "password": .string(Self.password)]
        _ = answer("POST", "/v1/auth/register", body)
        let json = try JSON.parse(logIn(email, Self.password).body)
        guard let token = json["access_token"]?.string, let session = json["session"]?.string
        else { throw Wrong(description: "no user can log in") }
        return (token, session)
    }

    func logIn(_ email: String, _ password: String) -> HTTPResponse {
        answer(
            "POST", "/v1/auth/login",
            ["email": .string(email), "password": .string(password), "device": "phone"])
    }

    func delete(_ session: String, _ token: String) -> Int {
        answer("DELETE", "/v1/devices/\(session)", nil, token).status
    }

    private func answer(
        _ method: String, _ path: String, _ body: JSON?, _ token: String? = nil
    ) -> HTTPResponse {
        var request = HTTPRequest(method: method, path: path, peer: "192.0.2.1")
        if let body {
            request.fields.append(HTTPField("content-type", "application/json"))
            request.body = Array(body.compact.utf8)
        }
        if let token { request.fields.append(HTTPField("authorization", "Bearer \(token)")) }
        return server.answer(to: request)
    }
}

extension SyncServer {
    /// The answer to a request, which is waited for.
    func answer(to request: HTTPRequest) -> HTTPResponse {
        let box = Mutex<HTTPResponse?>(nil)
        let done = DispatchSemaphore(value: 0)
        respond(to: request) { response in
            box.withLock { $0 = response }
            done.signal()
        }
        done.wait()
        return box.withLock { $0 } ?? HTTPResponse(status: 500)
    }
}
