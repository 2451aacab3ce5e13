import Foundation
import Synchronization

/// A bad network between programs on this machine: carries bytes to a server and back, and cuts, freezes, delays or
/// answers a connection on order, or as a plan says that is made from a seed.
package final class FaultProxy: Sendable {
    /// Where the real server listens.
    package enum Target: Sendable {
        case port(Int)
        /// The path of a Unix socket.
        case socket(String)
    }

    /// What is carried, which says what a message is.
    package enum Content: Sendable {
        /// Bytes; what arrives together is a message.
        case bytes
        /// PostgreSQL's messages, each carried whole. Encryption is refused, as a server without it does.
        case postgreSQL
    }

    /// One fault; it strikes once.
    package struct Fault: Sendable {
        package enum Kind: Sendable {
            /// The connection ends in both directions. What was carried before arrives.
            case cut
            /// Nothing is carried any more until ``FaultProxy/thaw()``.
            case frozen
            /// This and what follows in this direction comes later, by a number of milliseconds.
            case delayed(UInt32)
            /// The client gets this for an answer, and the connection ends.
            case answered(String)
        }

        package enum Direction: Sendable { case up, down }

        /// Where in one direction of a connection it strikes.
        package enum Place: Sendable {
            /// After a number of bytes.
            case bytes(Int)
            /// After a number of messages.
            case messages(Int)
            /// Before the first message that holds this text.
            case before(String)
            /// After the first message that holds this text.
            case after(String)
        }

        package let kind: Kind
        package let direction: Direction
        package let place: Place

        package init(_ kind: Kind, _ direction: Direction, _ place: Place) {
            self.kind = kind
            self.direction = direction
            self.place = place
        }
    }

    /// The faults of a connection, by its number from 0.
    package typealias Plan = @Sendable (_ connection: Int) -> [Fault]

    /// The port of loopback on which it listens.
    package let port: Int
    let content: Content
    private let target: Target
    private let plan: Plan
    private let listener: Int32

    private struct State {
        var lines: [Int: FaultLine] = [:]
        var accepted = 0
        var orders: [Fault] = []
        var struck: [String: Int] = [:]
        var isRefusing = false
        var isFrozen = false
    }
    private let state = Mutex(State())

    package init(
        to target: Target, content: Content = .bytes, plan: @escaping Plan = { _ in [] }
    ) {
        self.target = target
        self.content = content
        self.plan = plan
        (listener, port) = Loopback.listen()
        Thread.detachNewThread { [weak self, listener] in
            // Only the thread that accepts closes: a number closed by another would soon be another listener's.
            defer { close(listener) }
            while case let client = accept(listener, nil, nil), client >= 0 {
                guard let self else {
                    close(client)
                    return
                }
                take(client)
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        cutAll()
    }

    /// A plan by chance: a connection has a fault with a probability, somewhere among its first messages.
    ///
    /// - Parameters:
    ///   - percent: Of how many connections of a hundred.
    ///   - messages: After how many messages at most.
    package static func plan(
        seed: UInt64, percent: Int64, kinds: [Fault.Kind], messages: Int
    ) -> Plan {
        { connection in
            var dice = Dice(seed: seed &+ UInt64(connection) &* 0x9E37_79B9)
            guard dice.percent(percent), let kind = dice.pick(kinds) else { return [] }
            let direction: Fault.Direction = dice.percent(50) ? .up : .down
            return [Fault(kind, direction, .messages(dice.below(messages)))]
        }
    }

    // MARK: Orders

    /// Has a fault strike the first connection, open or new, that comes to its place.
    package func order(_ fault: Fault) { state.withLock { $0.orders.append(fault) } }

    /// Ends all connections.
    package func cutAll() { for line in lines { line.cut() } }

    /// Carries nothing any more, on open connections and on new ones.
    package func freeze() {
        state.withLock { $0.isFrozen = true }
        for line in lines { line.freeze(true) }
    }

    /// Carries again what was held back.
    package func thaw() {
        state.withLock { $0.isFrozen = false }
        for line in lines { line.freeze(false) }
    }

    /// Whether new connections end at once.
    package func refuse(_ isRefusing: Bool) { state.withLock { $0.isRefusing = isRefusing } }

    /// How often each kind of fault struck.
    package var struck: [String: Int] { state.withLock { $0.struck } }

    /// How many connections it has accepted.
    package var accepted: Int { state.withLock { $0.accepted } }

    private var lines: [FaultLine] { state.withLock { Array($0.lines.values) } }

    // MARK: Connections

    private func take(_ client: Int32) {
        let (number, isRefused, isFrozen) = state.withLock { state in
            defer { state.accepted += 1 }
            return (state.accepted, state.isRefusing, state.isFrozen)
        }
        guard !isRefused, let server = connected() else {
            close(client)
            return
        }
        Loopback.sendAtOnce(client)
        let line = FaultLine(client, server, content, plan(number), of: self) { [weak self] in
            self?.state.withLock { $0.lines[number] = nil }
        }
        state.withLock { $0.lines[number] = line }
        if isFrozen { line.freeze(true) }
        line.begin()
    }

    private func connected() -> Int32? {
        switch target {
        case .port(let port): Loopback.connected(to: port)
        case .socket(let path): Loopback.connected(to: path)
        }
    }

    /// The order that strikes a message, which is then done with.
    func takeOrder(_ strikes: (Fault) -> Bool) -> Fault? {
        state.withLock { state in
            state.orders.firstIndex(where: strikes).map { state.orders.remove(at: $0) }
        }
    }

    func count(_ kind: Fault.Kind) {
        let name =
            switch kind {
            case .cut: "cut"
            case .frozen: "frozen"
            case .delayed: "delayed"
            case .answered: "answered"
            }
        state.withLock { $0.struck[name, default: 0] += 1 }
    }
}
