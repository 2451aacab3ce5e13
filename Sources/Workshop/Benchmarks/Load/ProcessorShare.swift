import MacrologPlatform
import MacrologSystem
import Synchronization

/// Holds a process to a part of one processor: whenever it has used more than its part it stands still until it has
/// not. Its time is known in steps of 10 ms, so it runs for one or two of these at a time.
final class ProcessorShare: Sendable {
    /// How often its time is looked at, in microseconds.
    private static let pause: UInt32 = 1_000

    private let isOver = Atomic<Bool>(false)
    private let worker = Mutex<Worker?>(nil)

    /// - Parameter share: Of one processor, above 0 and up to 1.
    init(of process: Running, share: Double) {
        let started = Worker.start { [self] in
            let (start, before) = (ContinuousClock.now, process.processorSeconds ?? 0)
            var isStopped = false
            while !isOver.load(ordering: .relaxed) {
                let used = (process.processorSeconds ?? 0) - before
                let exceeds = used > share * start.secondsAgo
                if exceeds != isStopped {
                    process.send(exceeds ? SIGSTOP : SIGCONT)
                    isStopped = exceeds
                }
                usleep(Self.pause)
            }
            if isStopped { process.send(SIGCONT) }
        }
        worker.withLock { $0 = started }
    }

    /// Lets it run freely again.
    func end() {
        isOver.store(true, ordering: .relaxed)
        worker.withLock { $0.take() }?.join()
    }
}
