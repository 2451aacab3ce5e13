import CMacrologFaultDisk

/// Memory that SQLite asks for in vain, in the calling thread. See `fault_memory.h`.
package enum FaultMemory {
    /// Whether this process's SQLite can be refused memory.
    package static var isInstalled: Bool { fault_memory_is_installed() != 0 }

    /// Refuses so many requests after so many that are granted.
    package static func fail(after: UInt64, times: UInt64) { fault_memory_fail(after, times) }

    /// Refuses nothing any more.
    package static func mend() { fault_memory_fail(0, 0) }

    /// How many requests there were since refusing was ordered.
    static var count: UInt64 { fault_memory_count() }

    /// How many of them were refused.
    package static var failures: UInt64 { fault_memory_failures() }

    /// Neither refuses nor counts while a body runs.
    static func sparing<T>(_ body: () throws -> T) rethrows -> T {
        let before = fault_memory_spare(1)
        defer { _ = fault_memory_spare(before) }
        return try body()
    }
}
