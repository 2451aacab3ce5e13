import Foundation
import MacrologSimulation
import MacrologTestSupport
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A bad network between real programs: an HTTP proxy on loopback that loses, doubles, cuts, delays
/// and invents answers, as its dice say.
final class ChaosProxy: Sendable {
    enum Mood: String, CaseIterable, Sendable {
        case passed
        case lostBefore = "lost before"
        case lostAfter = "lost after"
        case doubled, cut, delayed, stalled
        case badGateway = "502"
        case captivePortal = "captive portal"
    }

    private struct State {
        var dice: Dice
        var deck: [Mood] = []
        var upstream = 0
        var isCalm = true
        var isParted = false
        var counts: [String: Int] = [:]
    }

    let port: Int
    private let listener: CInt
    private let state: Mutex<State>

    init(seed: UInt64) {
        (listener, port) = Loopback.listen()
        state = Mutex(State(dice: Dice(seed: seed)))
        Thread.detachNewThread { [self] in answerCallers() }
    }

    /// Lets no one in any more; the thread that waits for callers ends.
    func stop() { shutdown(listener, CInt(SHUT_RDWR)) }

    /// Where the real server listens.
    func lead(to port: Int) { state.withLock { $0.upstream = port } }

    /// Whether everything passes.
    func calm(_ isCalm: Bool) { state.withLock { $0.isCalm = isCalm } }

    /// Whether nothing passes.
    func part(_ isParted: Bool) { state.withLock { $0.isParted = isParted } }

    /// How often each mood struck.
    var counts: [String: Int] { state.withLock { $0.counts } }

    private func mood() -> Mood {
        state.withLock { state in
            if state.isParted { return .lostBefore }
            guard !state.isCalm else { return .passed }
            if state.dice.percent(40) { return .passed }
            // As from a shuffled deck, so that short runs see every kind.
            if state.deck.isEmpty { state.deck = Mood.allCases.shuffled(using: &state.dice) }
            let mood = state.deck.removeLast()
            state.counts[mood.rawValue, default: 0] += 1
            return mood
        }
    }

    private func answerCallers() {
        // Only the thread that accepts closes: a number closed by another would soon be another listener's.
        defer { close(listener) }
        while true {
            let client = accept(listener, nil, nil)
            guard client >= 0 else { return }
            Thread.detachNewThread { [self] in
                serve(client)
                close(client)
            }
        }
    }

    private func serve(_ client: CInt) {
        while let request = Self.message(from: client) {
            let mood = mood()
            switch mood {
            case .lostBefore: return
            case .badGateway, .captivePortal:
                let page = "<html><body>Please log in to the network.</body></html>"
                let status = mood == .badGateway ? "502 Bad Gateway" : "200 OK"
                let head =
                    "HTTP/1.1 \(status)\r\nContent-Type: text/html\r\n"
                    + "Content-Length: \(page.utf8.count)\r\n\r\n"
                _ = Loopback.send(Array((head + page).utf8), to: client)
                continue
            // Real programs wait for it, by their own clocks.
            case .delayed: usleep(state.withLock { UInt32($0.dice.roll(10_000...150_000)) })
            case .doubled: _ = forward(request)
            case .passed, .lostAfter, .cut, .stalled: break
            }
            guard let answer = forward(request) else { return }
            switch mood {
            case .lostAfter: return
            case .cut, .stalled:
                let kept = state.withLock { Int($0.dice.roll(1...Int64(answer.count - 1))) }
                _ = Loopback.send(Array(answer.prefix(kept)), to: client)
                // The real program waits for the rest.
                if mood == .stalled { usleep(200_000) }
                return
            default: _ = Loopback.send(answer, to: client)
            }
        }
    }

    private func forward(_ request: [UInt8]) -> [UInt8]? {
        guard let server = Loopback.connected(to: state.withLock { $0.upstream }) else {
            return nil
        }
        defer { close(server) }
        guard Loopback.send(request, to: server) else { return nil }
        return Self.message(from: server)
    }

    // MARK: HTTP/1.1, as far as both ends of this wire speak it

    /// A head and as many bytes of body as it announces; `nil` where the line ends before.
    private static func message(from line: CInt) -> [UInt8]? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var total: Int?
        while true {
            if total == nil, let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) {
                let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).lowercased()
                let length = head.firstMatch(of: /content-length: *(\d+)/)?.1
                total = end.upperBound + (length.flatMap { Int($0) } ?? 0)
            }
            if let total, bytes.count >= total { return bytes }
            let count = recv(line, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            bytes += buffer[..<count]
        }
    }
}
