import Foundation
import Synchronization

/// What is done when this process ends by itself: what static values hold is never released.
enum AtExit {
    private static let works = Mutex<[@Sendable () -> Void]>([])
    private static let isRegistered: Void = {
        atexit {
            let all = AtExit.works.withLock { $0 }
            for work in all.reversed() { work() }
        }
        return ()
    }()

    /// Adds work, which is done before what was added earlier.
    static func add(_ work: @escaping @Sendable () -> Void) {
        _ = isRegistered
        works.withLock { $0.append(work) }
    }
}
