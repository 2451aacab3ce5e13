import CMacrologFaultDisk
import Dispatch
import MacrologSQLite
import MacrologPlatform
import Synchronization

/// The cores of this machine.
package enum Cores {
    /// Their number, or `MACROLOG_TEST_CORES` if that is set.
    package static let count: Int = {
        if let text = getenv("MACROLOG_TEST_CORES"), let count = Int(String(cString: text)),
            count > 0
        {
            return count
        }
        return max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    }()

    /// Calls a body with 0, 1, 2 and so on; the number of concurrent calls is the number of cores.
    ///
    /// Each call stays on one core, with all the threads that it starts: the threads of a server
    /// wait for each other, and waking one on another core takes longer than its work.
    package static func perform(_ iterations: Int, _ body: @Sendable (Int) -> Void) {
        Connection.countNoMemory()
        let next = Atomic<Int>(0)
        DispatchQueue.concurrentPerform(iterations: min(count, iterations)) { core in
            core_stay(Int32(core))
            defer { core_leave() }
            while true {
                let iteration = next.wrappingAdd(1, ordering: .relaxed).oldValue
                guard iteration < iterations else { break }
                body(iteration)
            }
        }
    }
}
