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

    @Test func `a wait ends when its time is over`() {
        let monitor = Monitor(0)
        #expect(monitor.wait(atMost: 5) { $0 > 0 ? $0 : nil } == nil)
        monitor.withLock { $0 = 3 }
        #expect(monitor.wait(atMost: 5) { $0 > 0 ? $0 : nil } == 3)
    }
}
