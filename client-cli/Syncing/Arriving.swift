import Commands
import JSON
import Macrolog

/// What is said on a device that is new while the past is on its way.
extension SyncArrival {
    /// `This device is new. The last month is here; the past is on its way: 3 of 12 parts.`
    func spoken(_ status: SyncStatus) -> String {
        guard isUsable else { return "This device is new: what it shows first is on its way." }
        let numerals = Numerals.grouped
        let parts =
            parts < partCount
            ? "\(numerals.text(parts)) of \(numerals.text(partCount)) parts, "
            : ""
        return
            "This device is new. The last month, foods and settings are here; the past is on its "
            + "way: \(parts)\(numerals.text(status.cursor)) of \(numerals.text(status.head)) events."
    }

    var json: JSON {
        [
            "usable": .bool(isUsable), "parts": .integer(parts), "part_count": .integer(partCount),
        ]
    }
}

extension Home {
    /// Says, on a device that is new, that more has happened than is shown.
    mutating func tellOfArrival() throws {
        guard try replica.syncStatus().arrival != nil else { return }
        say(
            style.paint(
                "This device is new, and not all that has happened is here yet: macrolog sync", .dim
            ))
    }
}
