import MacrologHTTP
import MacrologEngine
import Testing

/// Goal: whatever numbers a server says, listening and waiting go on, and never in a tight loop.
/// Method: every pair of numbers at their bounds, one answer after the other, each twice.
@Suite struct AnswerNumberTests {
    private static let bounds: [Int64] = [
        .min, -1, 0, 1, 1 << 31, 1 << 53, .max - 1, .max,
    ]

    private func poll(_ head: Int64) -> LiveListener.Outcome {
        LiveListener.outcome(
            .success(
                HTTPResponse(status: 200, fields: [], body: Array(#"{"head":\#(head)}"#.utf8))),
            after: 0)
    }

    @Test func `polls that say any two heads are listened to`() {
        var random = SystemRandomNumberGenerator()
        for a in Self.bounds {
            for b in Self.bounds {
                for cursor in Self.bounds where cursor >= 0 {
                    var listener = LiveListener()
                    for head in [a, b, a, b] {
                        let (hint, next) = listener.handle(
                            poll(head), cursor: cursor, random: &random)
                        #expect(hint.map { $0 > cursor } ?? true)
                        guard case .pause(let milliseconds) = next else { continue }
                        #expect(milliseconds >= 1, "\(a), \(b) at \(cursor)")
                    }
                    _ = listener.handle(
                        .quiet(milliseconds: a), cursor: cursor, random: &random)
                }
            }
        }
    }

    @Test func `two answers in a row may say any counts, and ask for any patience`() {
        var random = SystemRandomNumberGenerator()
        for a in Self.bounds {
            for b in Self.bounds {
                let retry = SyncExchange.syncError(
                    HTTPResponse(status: 503, fields: [HTTPField("retry-after", "\(a)")]))
                #expect((0...3_600_000).contains(retry.retryAfter))
                var machine = SyncMachine(eventsMax: 500, restMilliseconds: 60_000)
                var actions = machine.handle(.start, random: &random)
                for (head, cursor) in [(a, b), (b, a), (a, a), (b, b)] {
                    guard case .exchange(let number, _, _)? = actions.first else { break }
                    actions = machine.handle(
                        .answered(
                            exchange: number, .init(unsealed: 0, cursor: cursor, head: head)),
                        random: &random)
                    if case .arm = actions.first {
                        actions = machine.handle(.timer, random: &random)
                    }
                    guard case .exchange(let next, _, _)? = actions.first else { break }
                    _ = machine.handle(.failed(exchange: next, retry.errorClass), random: &random)
                    actions = machine.handle(.timer, random: &random)
                }
                #expect(machine.state != .stopped(.off))
            }
        }
    }
}
