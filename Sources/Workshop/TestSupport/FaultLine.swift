import Foundation
import Synchronization

/// One connection through a ``FaultProxy``: two sockets, and a thread for each direction.
final class FaultLine: Sendable {
    private struct State {
        /// Directions that carry still.
        var open = 2
        var isFrozen = false
        var isCut = false
    }

    private let client: Int32
    private let server: Int32
    private let content: FaultProxy.Content
    private let faults: [FaultProxy.Fault]
    private weak let proxy: FaultProxy?
    private let ended: @Sendable () -> Void
    private let condition = NSCondition()
    private let state = Mutex(State())

    init(
        _ client: Int32, _ server: Int32, _ content: FaultProxy.Content,
        _ faults: [FaultProxy.Fault], of proxy: FaultProxy, ended: @escaping @Sendable () -> Void
    ) {
        self.client = client
        self.server = server
        self.content = content
        self.faults = faults
        self.proxy = proxy
        self.ended = ended
    }

    func begin() {
        for direction in [FaultProxy.Fault.Direction.up, .down] {
            Thread.detachNewThread { [self] in
                carry(direction)
                cut()
                let isLast = state.withLock { state in
                    state.open -= 1
                    if state.open == 0 { for end in [client, server] { close(end) } }
                    return state.open == 0
                }
                if isLast { ended() }
            }
        }
    }

    func cut() {
        change { [client, server] state in
            state.isCut = true
            // The numbers of closed sockets may be others' by now.
            guard state.open > 0 else { return }
            for end in [client, server] { shutdown(end, Int32(SHUT_RDWR)) }
        }
    }

    func freeze(_ isFrozen: Bool) { change { $0.isFrozen = isFrozen } }

    private func change(_ body: (inout State) -> Void) {
        condition.lock()
        state.withLock { body(&$0) }
        condition.broadcast()
        condition.unlock()
    }

    /// Waits while it is frozen; false if it is cut.
    private func isOpen() -> Bool {
        condition.lock()
        defer { condition.unlock() }
        while state.withLock({ $0.isFrozen && !$0.isCut }) { condition.wait() }
        return !state.withLock { $0.isCut }
    }

    private func carry(_ direction: FaultProxy.Fault.Direction) {
        let (from, to) = direction == .up ? (client, server) : (server, client)
        var course = Course(direction, faults.filter { $0.direction == direction })
        var messages = MessageSplitter(content, isFromClient: direction == .up)
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(from, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            messages.add(buffer[..<count])
            while let message = messages.next() {
                if message == .refusedEncryption {
                    guard Loopback.send([UInt8(ascii: "N")], to: client) else { return }
                } else if !pass(message.bytes, to, &course) {
                    return
                }
            }
        }
    }

    /// How far one direction is.
    private struct Course {
        let direction: FaultProxy.Fault.Direction
        var faults: [FaultProxy.Fault]
        var bytes = 0
        var messages = 0
        var delay: UInt32 = 0

        init(_ direction: FaultProxy.Fault.Direction, _ faults: [FaultProxy.Fault]) {
            self.direction = direction
            self.faults = faults
        }

        /// After how many bytes of the next message a fault strikes; `nil` if it does not.
        func strikes(_ fault: FaultProxy.Fault, _ message: [UInt8]) -> Int? {
            guard fault.direction == direction else { return nil }
            switch fault.place {
            case .bytes(let count):
                return count <= bytes + message.count ? max(0, count - bytes) : nil
            case .messages(let count):
                return count == messages ? 0 : count == messages + 1 ? message.count : nil
            case .before(let text):
                return message.firstRange(of: Array(text.utf8)) == nil ? nil : 0
            case .after(let text):
                return message.firstRange(of: Array(text.utf8)) == nil ? nil : message.count
            }
        }
    }

    /// Carries a message, or what of it comes before a fault; false if the connection has ended.
    private func pass(_ message: [UInt8], _ to: Int32, _ course: inout Course) -> Bool {
        var rest = message[...]
        while let (fault, count) = fault(in: Array(rest), &course) {
            guard send(rest.prefix(count), to, &course), strike(fault, &course) else {
                return false
            }
            rest = rest.dropFirst(count)
        }
        guard send(rest, to, &course) else { return false }
        course.messages += 1
        return true
    }

    private func fault(
        in rest: [UInt8], _ course: inout Course
    ) -> (FaultProxy.Fault, count: Int)? {
        let known = course
        if let index = known.faults.firstIndex(where: { known.strikes($0, rest) != nil }) {
            let fault = course.faults.remove(at: index)
            return known.strikes(fault, rest).map { (fault, $0) }
        }
        guard let fault = proxy?.takeOrder({ known.strikes($0, rest) != nil }) else { return nil }
        return known.strikes(fault, rest).map { (fault, $0) }
    }

    private func send(_ bytes: ArraySlice<UInt8>, _ to: Int32, _ course: inout Course) -> Bool {
        guard !bytes.isEmpty else { return true }
        if course.delay > 0 { usleep(course.delay * 1_000) }
        course.bytes += bytes.count
        return isOpen() && Loopback.send(Array(bytes), to: to)
    }

    private func strike(_ fault: FaultProxy.Fault, _ course: inout Course) -> Bool {
        proxy?.count(fault.kind)
        switch fault.kind {
        case .cut: return false
        case .answered(let text):
            _ = Loopback.send(Array(text.utf8), to: client)
            return false
        case .frozen:
            freeze(true)
            return isOpen()
        case .delayed(let milliseconds):
            course.delay = milliseconds
            return true
        }
    }
}

/// Splits what one side of a connection sends into messages.
struct MessageSplitter {
    enum Message: Equatable {
        case whole([UInt8])
        /// The client asks for TLS or GSSAPI, which is answered here.
        case refusedEncryption

        var bytes: [UInt8] {
            if case .whole(let bytes) = self { bytes } else { [] }
        }
    }

    private let content: FaultProxy.Content
    /// A client's first message, unlike all others, has no type before its length.
    private var isTyped: Bool
    private var waiting: [UInt8] = []

    init(_ content: FaultProxy.Content, isFromClient: Bool) {
        self.content = content
        isTyped = !isFromClient
    }

    mutating func add(_ bytes: ArraySlice<UInt8>) { waiting += bytes }

    /// The next message that is there whole.
    mutating func next() -> Message? {
        guard content == .postgreSQL else {
            defer { waiting = [] }
            return waiting.isEmpty ? nil : .whole(waiting)
        }
        let type = isTyped ? 1 : 0
        guard waiting.count >= type + 4 else { return nil }
        let count = type + number(at: type)
        guard waiting.count >= count else { return nil }
        defer { waiting.removeFirst(count) }
        // The numbers of SSLRequest and GSSENCRequest.
        if !isTyped, count == 8, [80_877_103, 80_877_104].contains(number(at: 4)) {
            return .refusedEncryption
        }
        isTyped = true
        return .whole(Array(waiting[..<count]))
    }

    private func number(at index: Int) -> Int {
        waiting[index..<index + 4].reduce(0) { $0 << 8 | Int($1) }
    }
}
