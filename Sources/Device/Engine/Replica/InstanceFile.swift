package import MacrologEvents
import MacrologSQLite
import MacrologSystem

/// The file beside a database with which ``CloneDetector`` compares it.
package struct InstanceFile: Sendable {
    /// The contents of the file.
    package struct Contents: Hashable, Sendable {
        /// Sixteen random bytes.
        package var secret: Identifier
        /// The device that may record.
        package var device: Identifier
        /// The greatest number that the device may use.
        package var reserved: Int64
        /// The number of events that the device had recorded, durably, when the file was written.
        package var recorded: Int64
    }

    /// The file.
    package let path: String

    /// The file beside a database.
    package init(of database: String) {
        path = "\(database).instance"
    }

    /// The contents of the file; `nil` when there is none, or when it cannot be parsed.
    func load() throws(InstanceFileError) -> Contents? {
        let bytes: [UInt8]
        do throws(WholeFile.ReadError) {
            guard let found = try WholeFile.read(path, atMost: 1_024) else { return nil }
            bytes = found
        } catch {
            throw self.error("read", "\(error)")
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        guard lines.count == 5, lines[0] == Self.title,
            let secret = Self.value("secret", lines[1]).flatMap({ Identifier($0) }),
            let device = Self.value("device", lines[2]).flatMap({ Identifier($0) }),
            let reserved = Self.value("reserved", lines[3]).flatMap({ Int64($0) }),
            let recorded = Self.value("recorded", lines[4]).flatMap({ Int64($0) })
        else { return nil }
        return Contents(secret: secret, device: device, reserved: reserved, recorded: recorded)
    }

    /// Writes the whole file durably, or not at all.
    func save(_ contents: Contents) throws(InstanceFileError) {
        let text = """
            \(Self.title)
            secret \(contents.secret)
            device \(contents.device)
            reserved \(contents.reserved)
            recorded \(contents.recorded)

            """
        // On a phone, a file that a backup restores would not distinguish it from another.
        do throws(SystemError) {
            try WholeFile.replace(path, with: Array(text.utf8), staysOnThisDevice: true)
        } catch {
            throw self.error("written", "\(error)")
        }
    }

    private static let title = "macrolog instance 1"

    private static func value(_ name: String, _ line: Substring) -> String? {
        let words = line.split(separator: " ")
        return words.count == 2 && words[0] == name ? String(words[1]) : nil
    }

    private func error(_ what: String, _ reason: String) -> InstanceFileError {
        InstanceFileError(
            explanation: "\(path) cannot be \(what), so nothing can be recorded: \(reason)")
    }
}

/// Why the file can't be used.
package struct InstanceFileError: ExplainedError, Hashable, Sendable {
    private let problem: String

    package init(explanation: String) { problem = explanation }

    package var text: ErrorText {
        ErrorText(
            cannot: "record this", problem,
            hint: "check the disk, and the permissions of the file and its folder")
    }
}
