import MacrologEvents
public import MacrologJSON
public import MacrologNutrition

// Amounts of nutrients as JSON: their keys have the unit.

extension Nutrient {
    /// The name with its unit: `energy_kcal`, `protein_g`, `sodium_mg`.
    public var jsonKey: String {
        switch unit {
        case .millikilocalories: "\(key)_kcal"
        case .milligrams: "\(key)_g"
        case .nanograms: "\(key)_mg"
        default: key.string
        }
    }

    /// The unit of its amounts in JSON: `kcal`, `g`, `mg`.
    public var jsonUnit: String {
        switch unit {
        case .millikilocalories: "kcal"
        case .milligrams: "g"
        case .nanograms: "mg"
        default: "number"
        }
    }

    /// Whether a person defined it.
    public var isOwn: Bool { !Nutrient.known.contains(self) }

    /// A nutrient that a person defined, with a number in the unit that the person chose.
    ///
    /// - Parameter known: Of how many parts it is known, for a sum.
    public func ownJSON(_ amount: Int64?, known: Int64? = nil) -> JSON {
        .object(
            [
                JSON.Member("nutrient", .text(key)),
                JSON.Member("number", amount.map { .decimal($0, scale: 3) } ?? .null),
            ] + (known.map { [JSON.Member("parts_known_count", .integer($0))] } ?? []))
    }

    /// The nutrient in a list of nutrients.
    ///
    /// - Parameters:
    ///   - name: What the person calls it.
    ///   - unit: The unit of its amounts: `g`.
    public func json(name: String, unit: String, isPinned: Bool) -> JSON {
        .object([
            JSON.Member("nutrient", .text(key)), JSON.Member("name", .string(name)),
            JSON.Member("unit", .string(unit)), JSON.Member("own", .bool(isOwn)),
            JSON.Member("pinned", .bool(isPinned)),
        ])
    }

    /// The nutrients that are always listed, known or not.
    public static let main: [Nutrient] = [.energy, .protein, .carbs, .fat, .fiber]
}

extension Nutrients {
    /// The main nutrients, known or not, then the others that are known.
    public var json: JSON {
        var members = Nutrient.main.map { JSON.Member($0.jsonKey, .amount(self[$0], of: $0)) }
        for entry in entries where !Nutrient.main.contains(entry.nutrient) && !entry.nutrient.isOwn
        {
            members.append(
                JSON.Member(entry.nutrient.jsonKey, .amount(entry.amount, of: entry.nutrient)))
        }
        let own = entries.filter { $0.nutrient.isOwn }.map { $0.nutrient.ownJSON($0.amount) }
        return .object(members + [JSON.Member("own_nutrients", .array(own))])
    }
}

extension NutrientTotals {
    /// The sums, and the coverage of each.
    public var json: JSON {
        var listed = Nutrient.main
        for entry in entries where !listed.contains(entry.nutrient) && !entry.nutrient.isOwn {
            listed.append(entry.nutrient)
        }
        let own = entries.filter { $0.nutrient.isOwn }.map { entry in
            let known = coverage(of: entry.nutrient).known
            return entry.nutrient.ownJSON(self[entry.nutrient], known: known)
        }
        return .object([
            JSON.Member("part_count", .integer(parts)),
            JSON.Member(
                "sums", .object(listed.map { JSON.Member($0.jsonKey, .amount(self[$0], of: $0)) })),
            JSON.Member(
                "parts_known",
                .object(
                    listed.map {
                        JSON.Member($0.key.string, .integer(coverage(of: $0).known))
                    })),
            JSON.Member("own_nutrients", .array(own)),
        ])
    }
}

extension NetCarbs {
    /// The amount, whether it is an upper bound, and the coverage.
    public var member: JSON.Member {
        JSON.Member(
            "net_carbs",
            .object([
                JSON.Member("net_carbs_g", .amount(milligrams, of: .carbs)),
                JSON.Member("parts_known_count", .integer(coverage.known)),
                JSON.Member("part_count", .integer(coverage.parts)),
                JSON.Member("upper_bound", .bool(isUpperBound)),
            ]))
    }
}

extension MacroDistribution {
    /// The shares of the energy.
    public var json: JSON {
        .object([
            JSON.Member("protein_percent", .integer(Int64(protein))),
            JSON.Member("carbs_percent", .integer(Int64(carbs))),
            JSON.Member("fat_percent", .integer(Int64(fat))),
        ])
    }
}

extension MacroShares {
    /// The shares of the energy.
    public var json: JSON {
        .object([
            JSON.Member("protein_percent", .decimal(protein, scale: 2)),
            JSON.Member("carbs_percent", .decimal(carbs, scale: 2)),
            JSON.Member("fat_percent", .decimal(fat, scale: 2)),
        ])
    }
}
