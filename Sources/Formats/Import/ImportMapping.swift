/// Which column means what: `date=Date,energy=Calories`.
public struct ImportMapping: Hashable, Sendable {
    /// Each field with its column: a header, or a column's number from 1.
    public private(set) var columns: [(field: ImportField, column: String)] = []

    /// A map of nothing.
    public init() {}

    /// Reads `date=Date,time=Time,energy=Calories`. A header that holds a comma is written as the
    /// number of its column.
    ///
    /// - Throws: ``ImportError`` for a word that is no field, a field twice, and a missing `=`.
    public init(_ text: String) throws(ImportError) {
        for part in text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        {
            let pair = part.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false
            ).map { Cell.trimmed(String(Substring($0))) }
            guard pair.count == 2, !pair[0].isEmpty, !pair[1].isEmpty else {
                throw ImportError(
                    "the map has a part that is not FIELD=COLUMN",
                    hint: "write pairs such as date=Date,name=Food,energy=Calories")
            }
            guard let field = ImportField(word: pair[0]) else {
                throw ImportError(
                    "the map names \"\(pair[0])\", which is not a field",
                    hint: "the fields are "
                        + ImportField.words.map(\.word).joined(separator: ", "))
            }
            guard self[field] == nil else {
                throw ImportError(
                    "the map names \(field.word) twice", hint: "name one column for each field")
            }
            self[field] = pair[1]
        }
    }

    /// The column of a field: a header, or a column's number from 1.
    public subscript(field: ImportField) -> String? {
        get { columns.first { $0.field == field }?.column }
        set {
            columns.removeAll { $0.field == field }
            if let newValue { columns.append((field, newValue)) }
        }
    }

    /// The map as people type it.
    public var text: String {
        columns.map { "\($0.field.word)=\($0.column)" }.joined(separator: ",")
    }

    /// Equality of the pairs, byte by byte.
    public static func == (left: ImportMapping, right: ImportMapping) -> Bool {
        left.columns.count == right.columns.count
            && zip(left.columns, right.columns).allSatisfy {
                $0.field == $1.field && $0.column.utf8.elementsEqual($1.column.utf8)
            }
    }

    /// Hashes the fields.
    public func hash(into hasher: inout Hasher) {
        for column in columns { hasher.combine(column.field) }
    }
}

extension ImportMapping: ExpressibleByDictionaryLiteral {
    /// Collects a literal; of two columns for one field the last counts.
    public init(dictionaryLiteral elements: (ImportField, String)...) {
        for (field, column) in elements { self[field] = column }
    }
}
