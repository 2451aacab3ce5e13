#if os(Linux)
    import MacrologPlatform
    import MacrologSystem
    import Synchronization
    import Testing

    /// Goal: a long computation does not keep others waiting.
    /// Method: the priorities that the system reports of real threads.
    @Suite struct PriorityTests {
        /// Of the calling thread: Linux has one for each.
        private static var niceness: Int32 { getpriority(.init(PRIO_PROCESS.rawValue), 0) }

        @Test func `a thread lowers its own priority, and no other's`() {
            let before = Self.niceness
            let found = Mutex<Int32>(0)
            Worker.start {
                CallingThread.lowerPriority()
                found.withLock { $0 = Self.niceness }
            }.join()
            #expect(found.withLock { $0 } > before)
            #expect(Self.niceness == before)
        }
    }
#endif
