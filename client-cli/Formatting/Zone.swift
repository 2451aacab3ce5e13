import MacrologArgumentParsing
import MacrologTerminal
import Macrolog
import MacrologSystem

/// The time zone of this process: the typed one, else the person's preference, else the
/// environment's or the system's.
enum Zone {
    /// Applies `--tz`, before anything reads the clock.
    static func set(_ arguments: ParsedArguments) throws(UsageError) {
        guard let name = arguments[Everywhere.zone] else { return }
        guard exists(name) else {
            throw arguments.usageError(
                of: Everywhere.zone, "\"\(printable(name))\" is not a time zone of this system",
                instead: "an IANA name such as Europe/Zurich, or UTC")
        }
        SystemZone.set(name)
    }

    /// Applies the person's time zone, which takes precedence over the environment but not over
    /// `--tz`.
    static func adopt(_ preferences: Preferences?, _ arguments: ParsedArguments) {
        guard arguments[Everywhere.zone] == nil, let name = preferences?.zone else { return }
        guard exists(name) else {
            return Warnings.report(
                "the time zone \(printable(name)) is unknown to this system, so this "
                    + "device's counts: macrolog config set zone Europe/Zurich")
        }
        SystemZone.set(name)
    }

    /// Whether the system has rules for a zone.
    static func exists(_ name: String) -> Bool {
        let bytes = Array(name.utf8)
        guard !bytes.isEmpty, bytes.count <= 64, bytes[0] != UInt8(ascii: "/"),
            bytes.allSatisfy(isPartOfName), !name.split(separator: "/").contains("..")
        else { return false }
        if bytes.elementsEqual("UTC".utf8) { return true }
        let folder = Environment["TZDIR"] ?? "/usr/share/zoneinfo"
        return startsLikeRules("\(folder)/\(name)")
    }

    private static func isPartOfName(_ byte: UInt8) -> Bool {
        (65...90).contains(byte) || (97...122).contains(byte) || (48...57).contains(byte)
            || Array("_+-/".utf8).contains(byte)
    }

    /// Whether a file begins like compiled rules (RFC 9636).
    private static func startsLikeRules(_ path: String) -> Bool {
        guard let file = try? File.open(path, followsLinks: true),
            let head = try? file.read(atMost: 4)
        else { return false }
        return head.elementsEqual("TZif".utf8)
    }
}
