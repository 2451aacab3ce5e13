import MacrologEvents

/// Fields to be found by name: those whose names have equally many bytes lie together, so that few
/// names are compared. Folding a log asks for every field of every change.
struct FieldTable: Sendable {
    private let specs: [Shared]
    /// The index of the first name of each length in bytes.
    private let starts: [Int]

    /// Lending an element of an array copies it, and a copy of a field retains six objects; lending
    /// what an object holds does not.
    final class Shared: Sendable {
        let spec: FieldSpec
        /// The nutrient that the field holds.
        let nutrient: Nutrient?

        init(_ spec: FieldSpec) {
            self.spec = spec
            nutrient = Nutrient(key: spec.name)
        }
    }

    init(_ fields: [FieldSpec]) {
        let fields = fields.sorted { ValueMap.precedes($0.name, $1.name) }
        specs = fields.map { Shared($0) }
        let longest = fields.last?.name.byteCount ?? 0
        starts = (0...longest + 1).map { count in
            fields.firstIndex { $0.name.byteCount >= count } ?? fields.count
        }
    }

    func find(_ name: UTF8Text) -> FieldSpec? { shared(name)?.spec }

    /// The field of a name; `nil` where there is none.
    @inline(__always)
    func shared(_ name: UTF8Text) -> Shared? {
        let count = name.byteCount
        guard count + 1 < starts.count else { return nil }
        for index in starts[count]..<starts[count + 1] where specs[index].spec.name == name {
            return specs[index]
        }
        return nil
    }
}
