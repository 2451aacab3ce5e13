import MacrologEvents
import MacrologTestSupport

/// What people do in a model world.
extension Dice {
    private static let fields: [UTF8Text] = ["name", "Å", "\u{212B}"]
    private static let elements: [Value] = ["x", "e\u{301}", "é", 7, [7]]
    private static let entities = (1...3).map {
        EntityKey("meal", Identifier(high: 1, low: UInt64($0)))
    }

    /// Changes that others are likely to contest: few entities, few fields, few values.
    mutating func contestedChanges() -> [Change] {
        let first = Int(roll(0...2))
        var changes = [Change(Self.entities[first], contestedOperations())]
        if percent(15) {
            changes.append(Change(Self.entities[(first + 1) % 3], contestedOperations()))
        }
        return changes
    }

    private mutating func contestedOperations() -> [CellOperation] {
        var operations: [CellOperation] = []
        if percent(60), let field = pick(Self.fields) {
            var fields = ValueMap()
            fields[field] = .int(roll(0...2))
            if percent(30) { fields["name"] = "Oats" }
            operations.append(.set(fields))
        }
        if percent(25), let element = pick(Self.elements) {
            operations.append(
                percent(35)
                    ? .remove(field: "tags", element: element)
                    : .add(field: "tags", element: element))
        }
        if percent(5) { operations.append(.unknown(verb: roll(5...6), arguments: [1])) }
        if operations.isEmpty || percent(8) {
            operations.append(percent(30) ? .restore : .delete)
        }
        return operations
    }
}
