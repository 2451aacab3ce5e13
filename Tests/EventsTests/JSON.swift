import MacrologEvents

/// JSON as the vector files use it: objects keep the order they were written in, and numbers are
/// whole. Written with ASCII only, so that no editor can normalise a text.
indirect enum JSON: Equatable {
    case null
    case bool(Bool)
    case int(Int64)
    case string(String)
    case array([JSON])
    case object([(key: String, value: JSON)])

    subscript(key: String) -> JSON {
        guard case .object(let entries) = self else { return .null }
        return entries.first { $0.key == key }?.value ?? .null
    }

    var string: String? { if case .string(let text) = self { text } else { nil } }
    var bool: Bool? { if case .bool(let truth) = self { truth } else { nil } }
    var array: [JSON] { if case .array(let items) = self { items } else { [] } }

    /// Text is compared by its bytes, objects by their keys.
    static func == (left: JSON, right: JSON) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.int(let left), .int(let right)): left == right
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object):
            left.count == right.count && left.allSatisfy { right[$0.key] == $0.value }
        default: false
        }
    }

    private var count: Int { if case .object(let entries) = self { entries.count } else { 0 } }
}

extension JSON {
    /// The text: on one line where that fits into 100 columns.
    func rendered(indent: Int = 0) -> String {
        let line = compact
        guard indent + line.count > 98 else { return line }
        let inner = String(repeating: " ", count: indent + 2)
        let outer = String(repeating: " ", count: indent)
        func lines(_ items: [String]) -> String {
            items.map { "\n" + inner + $0 }.joined(separator: ",") + "\n" + outer
        }
        switch self {
        case .array(let items):
            return "[" + lines(items.map { $0.rendered(indent: indent + 2) }) + "]"
        case .object(let entries):
            return "{"
                + lines(
                    entries.map {
                        Self.quoted($0.key) + ": " + $0.value.rendered(indent: indent + 2)
                    }) + "}"
        default: return line
        }
    }

    private var compact: String {
        switch self {
        case .null: "null"
        case .bool(let truth): truth ? "true" : "false"
        case .int(let number): String(number)
        case .string(let text): Self.quoted(text)
        case .array(let items): "[" + items.map { $0.compact }.joined(separator: ", ") + "]"
        case .object(let entries):
            "{"
                + entries.map { Self.quoted($0.key) + ": " + $0.value.compact }
                .joined(separator: ", ") + "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for unit in text.utf16 {
            switch unit {
            case 0x22, 0x5C: quoted += "\\" + String(decoding: [unit], as: UTF16.self)
            case 0x20..<0x7F: quoted += String(decoding: [unit], as: UTF16.self)
            default:
                let digits = String(unit, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return quoted + "\""
    }
}

extension JSON {
    init(_ number: some OutsideNumber) { self.init(number.rawValue) }
}
