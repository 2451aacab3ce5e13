import CMacrologFaultDisk

/// Failing allocations of SQLite in the calling thread. See `fault_memory.h`.
package enum FaultMemory {
    /// Whether allocations of this process's SQLite can be made to fail.
    package static var isInstalled: Bool { fault_memory_is_installed() != 0 }

    /// Refuses `times` allocations after `after` that are granted.
    package static func fail(after: UInt64, times: UInt64) { fault_memory_fail(after, times) }

    /// Ends the failures.
    package static func repair() { fault_memory_fail(0, 0) }

    /// The number of allocations since failures were requested.
    static var count: UInt64 { fault_memory_count() }

    /// How many of them failed.
    package static var failures: UInt64 { fault_memory_failures() }

    /// Neither fails nor counts allocations while a body runs.
    static func sparing<T>(_ body: () throws -> T) rethrows -> T {
        let before = fault_memory_spare(1)
        defer { _ = fault_memory_spare(before) }
        return try body()
    }
}
