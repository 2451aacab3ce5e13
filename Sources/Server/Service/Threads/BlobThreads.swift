/// The threads on which work on blobs waits for a disk or a network. The work on one blob is done in order.
import MacrologSystem

final class BlobThreads: Sendable {
    private let inboxes: [Inbox<@Sendable () -> Void>]
    private let workers: [Worker]

    init(count: Int) {
        let inboxes = (0..<count).map { _ in
            Inbox<@Sendable () -> Void>(capacity: 256)
        }
        self.inboxes = inboxes
        workers = inboxes.map { inbox in
            Worker.start { while let work = inbox.take() { for work in work { work() } } }
        }
    }

    /// Queues work on a blob, or on none in particular; false if there is too much already.
    func put(_ key: BlobKey? = nil, _ work: @escaping @Sendable () -> Void) -> Bool {
        inboxes[Int(key?.name[0] ?? 0) % inboxes.count].put(work)
    }

    /// Waits until the queued work is done.
    func close() {
        for inbox in inboxes { inbox.close() }
        for worker in workers { worker.join() }
    }
}
