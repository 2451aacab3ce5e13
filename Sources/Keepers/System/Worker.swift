import MacrologPlatform

/// A dedicated thread for blocking work: the disk, or password hashes. It is joined or detached
/// once.
package struct Worker: Sendable {
    /// The bits of a `pthread_t`, which is a number on Linux and a pointer on Apple's systems.
    private let thread: UInt

    /// Starts a thread that ends when the body returns.
    package static func start(_ body: @escaping @Sendable () -> Void) -> Worker {
        var thread = noThread
        let status = pthread_create(
            &thread, nil, { runBody($0) }, Unmanaged.passRetained(Body(body)).toOpaque())
        precondition(status == 0, "the system has no thread left")
        return Worker(thread: bits(thread))
    }

    /// Waits for the thread's end.
    package func join() { pthread_join(bits(thread), nil) }

    /// Lets the thread end by itself.
    package func detach() { pthread_detach(bits(thread)) }

    /// Distinguishes the calling thread from all others that run.
    package static var current: UInt { bits(pthread_self()) }
}

private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// What a thread runs first.
private func runBody(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
    return nil
}

/// The same bits as another type of the same size.
private func bits<From, To>(_ value: From) -> To { unsafeBitCast(value, to: To.self) }

/// The thread that runs the calling code.
package enum CallingThread {
    /// Names it among the threads that are running; never 0.
    package static var name: UInt { threadName() }

    /// Lets threads of ordinary priority run first from now on, where there are not enough processors for all: for a
    /// long computation beside which others are to be answered soon. It still gets about a quarter as much of a
    /// processor as one of them.
    package static func lowerPriority() {
        #if canImport(Darwin)
            pthread_set_qos_class_self_np(QOS_CLASS_UTILITY, 0)
        #else
            // Against POSIX, Linux changes the calling thread alone. A thread may always lower its own.
            _ = setpriority(.init(PRIO_PROCESS.rawValue), 0, 6)
        #endif
    }
}
