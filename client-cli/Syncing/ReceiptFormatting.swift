import MacrologArgumentParsing
import MacrologTerminal
import Macrolog

// Receipts of devices, the state of this device's clock, and its new ID, as text.

extension SyncStatus {
    /// `On all 3 devices.`; empty while no server has answered, or for a single device.
    var formattedReceipts: [String] {
        guard let receipts, receipts.devices.count > 1, head > 0 else { return [] }
        let devices = receipts.devices.filter { $0.lacks == 0 }.count
        let all = "all \(receipts.devices.count) devices"
        let whole = unsealed == 0 && head == cursor ? "On" : "What was synced before is on"
        if devices == receipts.devices.count { return ["\(whole) \(all)."] }
        return ["\(whole) \(devices) of \(receipts.devices.count) devices."]
    }

    /// Each device with its receipt and the time of its last contact; `nil` for a single device.
    func receiptTable(now: Int64) -> Table? {
        guard let receipts, receipts.devices.count > 1 else { return nil }
        var table = Table(
            Table.Column("device"), Table.Column("has"), Table.Column("last seen"))
        for device in receipts.devices {
            table.add(
                Table.Cell(device.name, .bold), Table.Cell(device.formattedHolding),
                Table.Cell(
                    device.isThis ? "this one" : lastContact(device.lastSeen, now: now)))
        }
        return table
    }
}

extension DeviceReceipt {
    /// `everything`, `all but 3 events`, `nothing yet`.
    fileprivate var formattedHolding: String {
        if isThis { return "everything shown here" }
        if lacks == 0 { return "everything" }
        return holds == 0 ? "nothing yet" : "all but \(counted(lacks, "event"))"
    }
}

extension ClockComparison {
    /// What a person should know, and do, about a wrong clock.
    var formatted: String {
        "This device's clock is \(span(milliseconds: lead)) \(lead > 0 ? "ahead of" : "behind") "
            + "the server's. Nothing is lost, because the server's times decide; but new entries get "
            + "their day and time from this clock: correct it."
    }
}

/// Why the device ID was rotated.
func formattedRotation(_ time: Int64) -> String {
    "Since \(localTimeText(time)) this device has a new ID, because its file was restored, copied "
        + "or damaged, or the server's log was another one."
}

/// The time of the last contact: `12 minutes ago`, `today 07:40`, `Tuesday`, `12 Oct`.
///
/// - Parameters:
///   - ago: Milliseconds since then.
///   - now: This device's clock, in milliseconds since 1970 UTC.
func lastContact(_ milliseconds: Int64, now: Int64) -> String {
    if milliseconds < 3_600_000 { return ago(milliseconds: milliseconds) }
    func local(_ instant: Int64) -> LocalDate? {
        LocalDate(
            instant: instant, zone: nil, offsetMinutes: LocalZone.system.offsetMinutes(instant))
    }
    guard let then = local(now - milliseconds), let today = local(now)?.day else {
        return ago(milliseconds: milliseconds)
    }
    switch today.number - then.day.number {
    case 0: return "today \(then.clock)"
    case 1: return "yesterday \(then.clock)"
    case 2...6: return then.day.weekdayName
    case 7..<300: return then.day.short
    default: return ago(milliseconds: milliseconds)
    }
}
