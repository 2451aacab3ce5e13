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
    /// `--tz`. Warns of one that the system does not know, also in the environment.
    static func adopt(_ preferences: Preferences?, _ arguments: ParsedArguments) {
        guard arguments[Everywhere.zone] == nil else { return }
        if let name = preferences?.zone {
            if exists(name) { return SystemZone.set(name) }
            Warnings.report(
                "the time zone \(printable(name)) is unknown to this system, so this "
                    + "device's counts: macrolog config set zone Europe/Zurich")
        }
        guard !arguments[Everywhere.quiet], let setting = Environment["TZ"], !isRead(setting)
        else { return }
        Warnings.report(
            "the time zone \(printable(setting)) of $TZ is unknown to this system, so days are "
                + "counted in UTC: macrolog config set zone Europe/Zurich")
    }

    /// Whether the system makes a zone of a value of `$TZ`: a name or a path of compiled rules, or a zone
    /// by its offset, such as `CET-1CEST` (POSIX). A colon may stand before it; nothing is UTC.
    private static func isRead(_ setting: String) -> Bool {
        let name = setting.hasPrefix(":") ? String(setting.dropFirst()) : setting
        if name.isEmpty { return true }
        return name.hasPrefix("/")
            ? startsLikeRules(name) : exists(name) || beginsWithOffset(Array(name.utf8)[...])
    }

    /// Whether a text begins with an abbreviation and an offset: `CET-1`, `<+03>-3`. What follows says
    /// when it is summer.
    private static func beginsWithOffset(_ text: ArraySlice<UInt8>) -> Bool {
        var rest = text
        let isQuoted = rest.first == UInt8(ascii: "<")
        if isQuoted { rest.removeFirst() }
        let name = rest.prefix {
            isLetter($0) || isQuoted && (isDigit($0) || Array("+-".utf8).contains($0))
        }
        rest = rest.dropFirst(name.count)
        if isQuoted, rest.popFirst() != UInt8(ascii: ">") { return false }
        if let sign = rest.first, Array("+-".utf8).contains(sign) { rest.removeFirst() }
        return name.count >= 3 && rest.first.map(isDigit) == true
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
        isLetter(byte) || isDigit(byte) || Array("_+-/".utf8).contains(byte)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (65...90).contains(byte) || (97...122).contains(byte)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

    /// Whether a file begins like compiled rules (RFC 9636).
    private static func startsLikeRules(_ path: String) -> Bool {
        guard let file = try? File.open(path, followsLinks: true),
            let head = try? file.read(atMost: 4)
        else { return false }
        return head.elementsEqual("TZif".utf8)
    }
}
