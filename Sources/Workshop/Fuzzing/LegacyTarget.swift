/// Input: the file of an earlier system, as a person may choose one to import.
import MacrologFormats
import MacrologNutrition

extension FuzzTarget {
    /// The first byte is whose rows are wanted, the rest is the file.
    static let legacy = FuzzTarget("legacy", inputBytesMax: 2_048) { input in
        guard let first = input.first,
            let file = try? LegacyImport(
                Array(input.dropFirst()), weightUnit: first & 1 == 0 ? .kilograms : .pounds)
        else { return }
        let people = file.people
        let owner =
            first & 2 == 0 || people.isEmpty
            ? LegacyImport.Owner.none : .user(people[Int(first >> 2) % people.count].id)
        let parts = try file.plan(in: Diary.shared.replica, of: owner)
        for part in parts {
            try promise(part.summary.group == nil, "a forecast records nothing")
            try promise(part.rows.count == part.summary.total, "each row is counted once")
            for row in part.rows {
                guard case .rejected(let problems) = row.outcome else { continue }
                try promise(!problems.isEmpty, "each rejection has a reason")
            }
        }
        let again = try file.plan(in: Diary.shared.replica, of: owner)
        try promise(parts.map(\.rows) == again.map(\.rows), "a forecast is the same twice")
    }
}
