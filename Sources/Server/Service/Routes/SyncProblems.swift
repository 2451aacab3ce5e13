/// Why an exchange was refused, beyond what every route refuses (`protocol.md` §10).
import MacrologJSON
import MacrologEvents
import MacrologWire

extension Problem {
    /// The account has reached its event quota. Messages without a push are still answered.
    static func eventQuota(_ quota: EventQuota) -> Problem {
        Problem(
            .eventQuota,
            "The account has no room left on this server for more events or another device; what is "
                + "recorded stays on the device. Ask the server's operator for more room.",
            retryAfterSeconds: 300,
            members: [
                JSON.Member("events_max", .integer(quota.events)),
                JSON.Member("bytes_max", .integer(quota.bytes)),
                JSON.Member("devices_max", .integer(quota.devices)),
            ])
    }

    /// The device's log is not a prefix of the server's.
    static let divergent = Problem(
        .divergent, "The device's log up to its cursor differs from the server's; repair it.")

    /// The device uses an unsupported version: the sentence names the supported ones, and whose
    /// software to update.
    static func unsupportedVersion(_ asked: Int64, supported: ClosedRange<Int64>) -> Problem {
        let (oldest, newest) = (supported.lowerBound, supported.upperBound)
        let versions =
            oldest == newest ? "version \(newest)" : "versions \(oldest) to \(newest)"
        let remedy = "Update the software of the \(asked < oldest ? "device" : "server")."
        return Problem(
            .unsupportedVersion,
            "This server speaks \(versions) of the protocol, and the device version "
                + "\(asked). \(remedy)",
            members: [
                JSON.Member("version", .integer(newest)), JSON.Member("oldest", .integer(oldest)),
            ])
    }

    /// The server's log is not the one that the device knows, or has lost its end.
    static func epochChanged(_ epoch: UInt32) -> Problem {
        Problem(
            .epochChanged,
            "The server's log is another one, or ends before the cursor; recover before the next exchange.",
            members: [JSON.Member("epoch", .integer(Int64(epoch)))])
    }

    /// A different event has this dot: the device lost its state, and must rotate its device ID.
    static func dotReuse(seq: Seq) -> Problem {
        Problem(
            .dotReuse,
            "The server has another event \(seq) of this device; rotate the device ID.",
            members: [JSON.Member("seq", .integer(seq.rawValue))])
    }

    /// Events are missing before the first one pushed.
    static func expected(seq: Seq) -> Problem {
        Problem(
            .expectedSeq, "The next event of this device is its number \(seq); push from there.",
            members: [JSON.Member("seq", .integer(seq.rawValue))])
    }

    static func malformedEvent(_ index: Int, _ detail: String) -> Problem {
        Problem(
            .malformedEvent, "Pushed event \(index + 1): \(detail).",
            members: [JSON.Member("index", .integer(Int64(index)))])
    }

    static let pageTooLarge = Problem(
        .tooLarge,
        "The pushed events have more than \(Limits.pageBytesMax) bytes together; push fewer at "
            + "once.")
}
