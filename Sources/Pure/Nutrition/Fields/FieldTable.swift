import MacrologEvents

/// Fields to be found by name: those whose names have equally many bytes lie together, so that few
/// names are compared. Folding a log asks for every field of every change.
struct FieldTable: Sendable {
    private let specs: [Shared]
    /// What is compared of each field, without an object that would have to be retained.
    private let marks: [Mark]
    /// The index of the first name of each length in bytes.
    private let starts: [Int]

    /// Lending an element of an array copies it, and a copy of a field retains six objects; lending
    /// what an object holds does not.
    final class Shared: Sendable {
        let spec: FieldSpec

        init(_ spec: FieldSpec) { self.spec = spec }
    }

    private struct Mark {
        /// Of its name.
        let ends: SIMD2<UInt64>
        /// The place of its nutrient among those known; 255 for none.
        let nutrient: UInt8
    }

    init(_ fields: [FieldSpec]) {
        let fields = fields.sorted { ValueMap.precedes($0.name, $1.name) }
        specs = fields.map { Shared($0) }
        marks = fields.map {
            Mark(ends: $0.name.ends, nutrient: Nutrient(key: $0.name)?.index ?? 255)
        }
        let longest = fields.last?.name.byteCount ?? 0
        starts = (0...longest + 1).map { count in
            fields.firstIndex { $0.name.byteCount >= count } ?? fields.count
        }
    }

    func find(_ name: UTF8Text) -> FieldSpec? { shared(name)?.spec }

    /// The field of a name; `nil` where there is none.
    func shared(_ name: UTF8Text) -> Shared? { place(of: name).map { specs[$0] } }

    /// The place among the known nutrients of the one that the field of a name holds; `nil` where it holds none.
    func nutrient(_ name: UTF8Text) -> Int? {
        guard let place = place(of: name), marks[place].nutrient != 255 else { return nil }
        return Int(marks[place].nutrient)
    }

    @inline(__always)
    private func place(of name: UTF8Text) -> Int? {
        let count = name.byteCount
        guard count + 1 < starts.count else { return nil }
        let ends = name.ends
        for index in starts[count]..<starts[count + 1] where marks[index].ends == ends {
            // Between the ends of a longer name there is more to compare.
            if count <= 16 || specs[index].spec.name == name { return index }
        }
        return nil
    }
}
