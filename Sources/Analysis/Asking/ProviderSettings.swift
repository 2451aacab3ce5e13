/// Which provider is asked: the lines of a file, or the options of a server.
import MacrologHTTP
import MacrologSystem

/// A provider of models: its interface, where it is, and which model.
public struct ProviderSettings: Sendable {
    /// Which published interface it speaks.
    public let interface: ProviderInterface
    let origin: Origin
    /// The name of the model.
    public let model: String
    @Secret private(set) var key: String?

    /// Checks settings, and reads the key.
    ///
    /// - Parameters:
    ///   - address: Where the provider is, with the prefix of its paths such as
    ///     `http://127.0.0.1:11434/v1`; the service of the interface's publisher otherwise.
    ///   - model: 1 to 80 letters, digits and `._:/@-`.
    ///   - keyFile: A file with the key, which only its owner may read; `nil` for a provider without keys.
    ///   - allowsPlainHTTP: Whether `http` may go to another computer.
    /// - Throws: ``ProviderSettingsError``.
    public init(
        _ interface: ProviderInterface, address: String? = nil, model: String,
        keyFile: String? = nil, allowsPlainHTTP: Bool = false
    ) throws(ProviderSettingsError) {
        self.interface = interface
        do throws(OriginError) {
            origin = try Origin(
                address ?? interface.interface.usualAddress, allowingInsecure: allowsPlainHTTP)
        } catch {
            throw ProviderSettingsError("address", "\(error)")
        }
        guard (1...80).contains(model.utf8.count), model.utf8.allSatisfy(Self.isOfModel) else {
            throw ProviderSettingsError(
                "model", "must be 1 to 80 letters, digits and ._:/@-, as the provider names it")
        }
        self.model = model
        key = if let keyFile { try Self.key(keyFile) } else { nil }
        guard key != nil || address != nil else {
            throw ProviderSettingsError(
                "key-file", "is missing: \(origin) answers no one without a key")
        }
    }

    private static func isOfModel(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122: true
        default: "._:/@-".utf8.contains(byte)
        }
    }

    private static func key(_ file: String) throws(ProviderSettingsError) -> String {
        let bytes: [UInt8]?
        do throws(WholeFile.ReadError) {
            bytes = try WholeFile.read(file, atMost: 4_096, isPrivate: true)
        } catch {
            throw ProviderSettingsError("key-file", "\(file) cannot be used: \(error)")
        }
        guard let bytes else { throw ProviderSettingsError("key-file", "\(file) does not exist") }
        let key = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).first
        guard let key, (1...1_024).contains(key.utf8.count),
            key.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw ProviderSettingsError(
                "key-file", "\(file) must hold the key as its first line, without spaces")
        }
        return String(key)
    }
}

/// A setting of a provider that cannot be used.
public struct ProviderSettingsError: Error, Hashable, CustomStringConvertible {
    /// The setting: `address`, `interface`, `key-file` or `model`.
    public let setting: String
    /// What is wrong, and what to do.
    public let problem: String

    init(_ setting: String, _ problem: String) {
        self.setting = setting
        self.problem = problem
    }

    /// The setting and what is wrong.
    public var description: String { "\(setting): \(problem)" }
}

extension ProviderSettings {
    private static let names = ["interface", "address", "model", "key-file", "plain-http"]

    /// Reads the lines of a file: `name = value` each, empty ones and those that begin with `#` aside.
    ///
    ///     interface = gemini
    ///     model = gemini-2.5-flash
    ///     key-file = /etc/macrolog/gemini.key
    ///
    /// - Throws: ``ProviderSettingsError`` that names the line or the setting.
    public init(lines text: String) throws(ProviderSettingsError) {
        var values: [String: String] = [:]
        for (index, line) in text.split(
            omittingEmptySubsequences: false, whereSeparator: \.isNewline
        )
        .enumerated() {
            let line = line.trimmed
            guard !line.isEmpty, !line.hasPrefix("#") else { continue }
            let halves = line.split(separator: "=", maxSplits: 1).map { $0.trimmed }
            guard halves.count == 2, Self.names.contains(halves[0]) else {
                throw ProviderSettingsError(
                    "line \(index + 1)",
                    "write NAME = VALUE with one of " + Self.names.joined(separator: ", "))
            }
            guard values.updateValue(halves[1], forKey: halves[0]) == nil else {
                throw ProviderSettingsError("line \(index + 1)", "\(halves[0]) is there twice")
            }
        }
        let choices = ProviderInterface.allCases.map(\.rawValue).joined(separator: ", ")
        guard let interface = values["interface"].flatMap({ ProviderInterface(rawValue: $0) })
        else { throw ProviderSettingsError("interface", "must be one of \(choices)") }
        guard let model = values["model"] else {
            throw ProviderSettingsError("model", "is missing: write model = NAME")
        }
        guard ["yes", "no"].contains(values["plain-http"] ?? "no") else {
            throw ProviderSettingsError("plain-http", "must be yes or no")
        }
        try self.init(
            interface, address: values["address"], model: model, keyFile: values["key-file"],
            allowsPlainHTTP: values["plain-http"] == "yes")
    }
}

extension Substring {
    fileprivate var trimmed: String {
        var rest = self
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }
}
