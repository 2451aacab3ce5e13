/// Work that is repeated on a thread of its own until it is stopped.
import MacrologSystem

final class Repeating: Sendable {
    private let isStopped: Monitor<Bool>
    private let worker: Worker

    /// Begins; the first time is one interval from now.
    ///
    /// - Parameter milliseconds: Between the end of the work and its next beginning.
    init(every milliseconds: Int64, _ work: @escaping @Sendable () -> Void) {
        let isStopped = Monitor(false)
        self.isStopped = isStopped
        worker = Worker.start {
            while isStopped.wait(atMost: milliseconds, until: { $0 ? true : nil }) != true {
                work()
            }
        }
    }

    /// Begins the work no more, and does not wait for what is in progress.
    func end() {
        isStopped.withLock { $0 = true }
        isStopped.wakeAll()
    }

    /// Ends when the work in progress, if any, has ended. To be called once.
    func stop() {
        end()
        worker.join()
    }
}
