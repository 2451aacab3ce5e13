/// A dedicated thread for blocking work: the disk, or password hashes.
#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// One thread, joined once.
struct Worker: Sendable {
    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    private let thread: UInt

    /// Starts a thread that ends when the body returns.
    static func start(_ body: @escaping @Sendable () -> Void) -> Worker {
        #if canImport(Glibc)
            var thread = pthread_t()
        #else
            var thread: pthread_t?
        #endif
        let status = pthread_create(
            &thread, nil,
            { context in
                #if canImport(Glibc)
                    guard let context else { return nil }
                #endif
                Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, Unmanaged.passRetained(Body(body)).toOpaque())
        precondition(status == 0, "the system has no thread left")
        #if canImport(Glibc)
            return Worker(thread: UInt(thread))
        #else
            return Worker(thread: UInt(bitPattern: thread))
        #endif
    }

    /// Waits for the thread's end. To be called once.
    func join() {
        #if canImport(Glibc)
            pthread_join(pthread_t(thread), nil)
        #else
            if let thread = pthread_t(bitPattern: thread) { pthread_join(thread, nil) }
        #endif
    }
}
