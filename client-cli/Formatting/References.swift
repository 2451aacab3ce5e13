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
        _ arguments: ParsedArguments, includingDeleted: Bool = false
    ) throws -> Identifier {
        try find(E.kind, reference, parameter, arguments, includingDeleted: includingDeleted)
    }

    mutating func find<Value>(
        _ kind: Kind, _ reference: Reference, _ parameter: Parameter<Value>,
        _ arguments: ParsedArguments, includingDeleted: Bool = false
    ) throws -> Identifier {
        var found = try replica.read { try $0.ids(of: kind, endingIn: reference.text) }
        var isDeleted = false
        if found.isEmpty {
            found = try replica.read({
                try $0.ids(of: kind, endingIn: reference.text, includingDeleted: true)
            })
            isDeleted = true
        }
        let digits = printable(reference.text)
        guard let first = found.first else {
            throw CommandError(
                .noInput,
                "\(arguments.command): there is no \(kind.title) whose id ends with \(digits)")
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
                "\(arguments.command): that \(kind.title) is deleted; "
                    + "restore it: macrolog restore \(digits)")
        }
        return first
    }

    /// An id as lists show it.
    mutating func shortID(_ kind: Kind, _ id: Identifier) throws -> String {
        try replica.read { try $0.shortID(kind, id) }
    }
}

extension ParsedArguments {
    /// The only one of the things that a word may mean.
    ///
    /// - Parameters:
    ///   - none: What is said where there is none.
    ///   - several: What is said after their number, where there are several.
    ///   - instead: What to type then, before their ids.
    func theOnly<T, Value>(
        _ found: [T], _ parameter: Parameter<Value>, id: (T) -> Identifier, none: String,
        several: String, instead: String
    ) throws -> T {
        guard let first = found.first else { throw CommandError(.noInput, "\(command): \(none)") }
        guard found.count == 1 else {
            let ids = found.map { id($0).lastDigits(8) }.formattedList
            throw usageError(
                of: parameter, "\(found.count) \(several)", instead: "\(instead): \(ids)")
        }
        return first
    }
}

extension Array {
    /// The elements of which the id ends with some digits; none for fewer digits than lists show.
    func endingIn(_ word: String, id: (Element) -> Identifier) -> [Element] {
        let digits = word.lowercased().utf8.filter { $0 != UInt8(ascii: "-") }
        guard digits.count >= Identifier.shortDigitsMin else { return [] }
        return filter { id($0).lastDigits(digits.count).utf8.elementsEqual(digits) }
    }
}
