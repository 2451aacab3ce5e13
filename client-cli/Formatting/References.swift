import MacrologArgumentParsing
import MacrologTerminal
import Macrolog

/// References to entities: the last digits of their ids, four or more, as lists show them.
struct Reference: Sendable {
    let text: String
}

extension Form where Value == Reference {
    /// The end of an id, or a whole one.
    static var id: Form {
        Form("ID") { word throws(BadValue) in
            let text = word.hasPrefix("…") ? String(word.dropFirst()) : word
            let digits = text.utf8.filter { $0 != UInt8(ascii: "-") }
            let isHexadecimal = digits.allSatisfy {
                (48...57).contains($0) || (97...102).contains($0) || (65...70).contains($0)
            }
            guard isHexadecimal, (Identifier.shortDigitsMin...32).contains(digits.count) else {
                throw BadValue(
                    "is not an id",
                    instead: "the last digits as lists show them, at least four: 3f2a")
            }
            return Reference(text: text)
        }
    }
}

extension Home {
    /// The entity with a typed id.
    ///
    /// - Parameter includingDeleted: Whether it may be a deleted one, if no other has the digits.
    mutating func find<E: Entity, Value>(
        _ type: E.Type, _ reference: Reference, _ parameter: Parameter<Value>,
        _ arguments: ParsedArguments,
        includingDeleted: Bool = false
    ) throws -> Identifier {
        var found = try replica.read { try $0.ids(of: E.kind, endingIn: reference.text) }
        var isDeleted = false
        if found.isEmpty {
            found = try replica.read({
                try $0.ids(of: E.kind, endingIn: reference.text, includingDeleted: true)
            })
            isDeleted = true
        }
        let digits = printable(reference.text)
        guard let first = found.first else {
            throw CommandError(
                .noInput,
                "\(arguments.command): there is no \(E.kind.title) whose id ends with \(digits)")
        }
        guard found.count == 1 else {
            let list = found.sorted().prefix(8).map { "  \($0)" }.joined(separator: "\n")
            throw arguments.usageError(
                of: parameter,
                "\"\(digits)\" is the end of \(found.count) ids:\n\(list)\n"
                    + "\(arguments.command): that is ambiguous",
                instead: "more of the last digits")
        }
        guard includingDeleted || !isDeleted else {
            throw CommandError(
                .dataErr,
                "\(arguments.command): that \(E.kind.title) is deleted; "
                    + "restore it: macrolog restore \(digits)")
        }
        return first
    }

    /// An id as lists show it.
    mutating func shortID(_ kind: Kind, _ id: Identifier) throws -> String {
        try replica.read { try $0.shortID(kind, id) }
    }
}
