/// The zone in which a person's days are counted on the server: that of the person's preferences, which
/// need not be the server's; UTC where they name none.
import MacrologEngine
import MacrologEvents
import MacrologLog
import MacrologSystem
import Synchronization

final class PersonZone: Sendable {
    private struct Known {
        var name: String?
        var rules: ZoneRules?
    }

    private let known = Mutex(Known())

    /// Reads the rules of a zone; a name that this system does not know counts as UTC.
    func set(_ name: String?) {
        known.withLock { known in
            guard known.name != name else { return }
            known = Known(name: name, rules: name.flatMap { ZoneRules(named: $0) })
        }
    }

    /// The system's clocks, in the zone.
    var clock: DeviceClock {
        DeviceClock(
            read: DeviceClock.system.read, offsetMinutes: { self.offsetMinutes(at: $0) },
            zoneName: { self.name })
    }

    private var name: UTF8Text? {
        known.withLock { $0.rules == nil ? "UTC" : $0.name.map { UTF8Text($0) } }
    }

    private func offsetMinutes(at instant: Int64) -> Int64 {
        known.withLock { $0.rules?.offsetMinutes(at: instant) ?? 0 }
    }
}
