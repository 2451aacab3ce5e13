import MacrologSystem
import Testing

/// Goal: threads meet at a monitor without missing each other.
/// Method: real threads; a thread that missed a wake-up would wait for ever.
@Suite struct MonitorTests {
    @Test func `each waiting thread sees what another one has left`() {
        let monitor = Monitor([Int]())
        let sum = Monitor(0)
        let readers = (0..<4).map { _ in
            Worker.start {
                while true {
                    let next = monitor.wait { values in values.isEmpty ? nil : values.removeFirst()
                    }
                    guard next > 0 else { return }
                    sum.withLock { $0 += next }
                }
            }
        }
        for value in 1...1_000 {
            monitor.withLock { $0.append(value) }
            monitor.wakeOne()
        }
        monitor.withLock { $0 += [0, 0, 0, 0] }
        monitor.wakeAll()
        for reader in readers { reader.join() }
        #expect(sum.withLock { $0 } == 500_500)
    }

    /// A wait that did not block would ask thousands of times.
    @Test func `a timed wait blocks until its time is over`() {
        let monitor = Monitor(0)
        var asked = 0
        let result: Int? = monitor.wait(atMost: 100) { _ in
            asked += 1
            return nil
        }
        #expect(result == nil)
        #expect((2..<20).contains(asked))
        #expect(monitor.wait(atMost: 0) { $0 == 0 ? "now" : nil } == "now")
    }

    /// Each even number is a question, to which the waiting thread answers with the next one.
    @Test func `a timed wait looks at each wake-up, and ends with what it waited for`() {
        let monitor = Monitor(0)
        let answer = Monitor(Int?.none)
        let hour: Int64 = 3_600_000
        let waiting = Worker.start {
            let found = monitor.wait(atMost: hour) { value in
                if value == 4 { return value }
                if value % 2 == 0 {
                    value += 1
                    monitor.wakeAll()
                }
                return nil
            }
            answer.withLock { $0 = found }
        }
        for value in [1, 3] {
            monitor.wait { $0 == value ? () : nil }
            monitor.withLock { $0 = value + 1 }
            monitor.wakeAll()
        }
        waiting.join()
        #expect(answer.withLock { $0 } == 4)
    }
}
