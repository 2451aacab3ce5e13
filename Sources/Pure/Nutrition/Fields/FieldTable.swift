import MacrologEvents

/// Fields to be found by name: those whose names have equally many bytes lie together, so that few
/// names are compared. Folding a log asks for every field of every change.
struct FieldTable: Sendable {
    private let specs: [FieldSpec]
    /// The index of the first name of each length in bytes.
    private let starts: [Int]

    init(_ fields: [FieldSpec]) {
        specs = fields.sorted { ValueMap.precedes($0.name, $1.name) }
        let longest = specs.last?.name.byteCount ?? 0
        starts = (0...longest + 1).map { [specs] count in
            specs.firstIndex { $0.name.byteCount >= count } ?? specs.count
        }
    }

    /// Lends the field of a name; `nil` where there is none.
    @inline(__always)
    func with<Result>(_ name: Text, _ body: (borrowing FieldSpec) -> Result) -> Result? {
        specs.withUnsafeBufferPointer { specs in
            position(of: name, specs).map { body(specs[$0]) }
        }
    }

    func find(_ name: Text) -> FieldSpec? {
        specs.withUnsafeBufferPointer { specs in position(of: name, specs).map { specs[$0] } }
    }

    @inline(__always)
    private func position(of name: Text, _ specs: UnsafeBufferPointer<FieldSpec>) -> Int? {
        let count = name.byteCount
        guard count + 1 < starts.count else { return nil }
        for index in starts[count]..<starts[count + 1] where specs[index].name == name {
            return index
        }
        return nil
    }
}
