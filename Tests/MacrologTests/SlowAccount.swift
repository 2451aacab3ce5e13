import Dispatch
import Macrolog
import MacrologEngine
import MacrologHTTP

/// An account over real connections, on which some requests are held until they are released.
final class SlowAccount {
    let account: Account
    private let isHeld: @Sendable (HTTPRequest) -> Bool
    private let gate: DispatchSemaphore
    private let continuation: AsyncStream<HTTPRequest>.Continuation
    private var requests: AsyncStream<HTTPRequest>.Iterator

    /// - Parameter isAnswered: Whether the server has answered what is held, so that only its answer is late.
    init(
        of account: Account, isAnswered: Bool = false,
        holding isHeld: @escaping @Sendable (HTTPRequest) -> Bool
    ) {
        let gate = DispatchSemaphore(value: 0)
        let (requests, continuation) = AsyncStream.makeStream(of: HTTPRequest.self)
        self.account = Account(
            of: account.replica, session: SessionFile(path: account.replica.path + ".session")
        ) {
            SlowLine(
                real: ServerTransport($0), isHeld: isHeld, isAnswered: isAnswered, gate: gate,
                asked: continuation)
        }
        (self.isHeld, self.gate, self.continuation) = (isHeld, gate, continuation)
        self.requests = requests.makeAsyncIterator()
    }

    /// A test that fails leaves no thread that waits.
    deinit { release() }

    /// Waits until the next request is held.
    func held() async { await sent(isHeld) }

    /// Waits for the next request of a kind.
    func sent(_ isMeant: (HTTPRequest) -> Bool) async {
        while let request = await requests.next(), !isMeant(request) {}
    }

    /// Releases what is held, and holds nothing more.
    func release() { gate.signal() }

    /// The requests after the last one that was waited for. No others are noted from then on.
    func rest() async -> [HTTPRequest] {
        continuation.finish()
        var rest: [HTTPRequest] = []
        while let request = await requests.next() { rest.append(request) }
        return rest
    }
}

private struct SlowLine: Transport {
    let real: ServerTransport
    let isHeld: @Sendable (HTTPRequest) -> Bool
    let isAnswered: Bool
    let gate: DispatchSemaphore
    let asked: AsyncStream<HTTPRequest>.Continuation

    func send(
        _ request: HTTPRequest, heldSeconds: Int64
    ) throws(TransportError) -> HTTPResponse {
        guard isHeld(request) else {
            asked.yield(request)
            return try real.send(request, heldSeconds: heldSeconds)
        }
        let early = isAnswered ? try real.send(request, heldSeconds: heldSeconds) : nil
        asked.yield(request)
        gate.wait()
        gate.signal()
        if let early { return early }
        return try real.send(request, heldSeconds: heldSeconds)
    }

    func cancel() { real.cancel() }
}
