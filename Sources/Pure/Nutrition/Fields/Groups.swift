public import MacrologEvents

/// The shares of energy from protein, carbohydrate and fat, in basis points that sum to 10,000
/// within 50. Stored as the array `[protein, carbs, fat]`.
public struct MacroShares: Hashable, Sendable {
    /// Protein's share, in basis points.
    public let protein: Int64
    /// Carbohydrate's share, in basis points.
    public let carbs: Int64
    /// Fat's share, in basis points.
    public let fat: Int64

    /// Takes three shares; `nil` when one is negative or they do not sum to 100 % within 0.5 %.
    public init?(protein: Int64, carbs: Int64, fat: Int64) {
        let each: ClosedRange<Int64> = 0...10_050
        guard each.contains(protein), each.contains(carbs), each.contains(fat),
            (9_950...10_050).contains(protein + carbs + fat)
        else { return nil }
        (self.protein, self.carbs, self.fat) = (protein, carbs, fat)
    }

    /// Reads the stored array; `nil` for anything else.
    package init?(_ value: Value) {
        guard let parts = value.array, parts.count == 3, let protein = parts[0].int,
            let carbs = parts[1].int, let fat = parts[2].int
        else { return nil }
        self.init(protein: protein, carbs: carbs, fat: fat)
    }

    /// The array that is stored.
    package var value: Value { [.int(protein), .int(carbs), .int(fat)] }
}

/// A meal slot of a person's day. Stored as `[key, name, from_min, to_min]`.
public struct MealSlot: Hashable, Sendable {
    /// The word that `meal_type` holds.
    public let key: UTF8Text
    /// The name shown, 1 to 40 bytes.
    public let name: UTF8Text
    /// When it begins, in minutes after midnight, 0 to 1,439.
    public let fromMinute: Int64
    /// When it ends, 0 to 1,439; before the beginning when it spans midnight.
    public let toMinute: Int64

    /// How many slots a day may have.
    public static let countMax = 12

    /// Takes a slot; `nil` for an invalid key, name or minute.
    public init?(key: UTF8Text, name: UTF8Text, fromMinute: Int64, toMinute: Int64) {
        let minutes: ClosedRange<Int64> = 0...1_439
        guard MealSlot.isKey(key), (1...40).contains(name.byteCount), !FieldShape.hasControls(name),
            minutes.contains(fromMinute), minutes.contains(toMinute)
        else { return nil }
        (self.key, self.name) = (key, name)
        (self.fromMinute, self.toMinute) = (fromMinute, toMinute)
    }

    /// The slots people start with.
    public static let standard: [MealSlot] = [
        MealSlot(key: "breakfast", name: "Breakfast", fromMinute: 300, toMinute: 659),
        MealSlot(key: "lunch", name: "Lunch", fromMinute: 660, toMinute: 899),
        MealSlot(key: "dinner", name: "Dinner", fromMinute: 1_020, toMinute: 1_319),
    ].compactMap { $0 }

    /// The slot of a minute of the day: the first that contains it, else `snack`.
    public static func key(at minute: Int64, among slots: [MealSlot]) -> UTF8Text {
        for slot in slots {
            let spansMidnight = slot.fromMinute > slot.toMinute
            let isAfter = minute >= slot.fromMinute
            let isBefore = minute <= slot.toMinute
            if spansMidnight ? isAfter || isBefore : isAfter && isBefore { return slot.key }
        }
        return CommonSlot.snack.name
    }

    /// Reads a stored list; `nil` for anything else, and for more than twelve.
    package static func list(_ value: Value) -> [MealSlot]? {
        guard let parts = value.array, parts.count <= countMax else { return nil }
        var slots: [MealSlot] = []
        for part in parts {
            guard let fields = part.array, fields.count == 4, let key = fields[0].text,
                let name = fields[1].text, let from = fields[2].int, let to = fields[3].int,
                let slot = MealSlot(key: key, name: name, fromMinute: from, toMinute: to),
                !slots.contains(where: { $0.key == key })
            else { return nil }
            slots.append(slot)
        }
        return slots
    }

    /// The list that is stored.
    package static func value(_ slots: [MealSlot]) -> Value {
        .array(
            slots.map { [.text($0.key), .text($0.name), .int($0.fromMinute), .int($0.toMinute)] })
    }

    static func isKey(_ key: UTF8Text) -> Bool {
        (1...24).contains(key.byteCount)
            && key.string.utf8.allSatisfy {
                $0 >= UInt8(ascii: "a") && $0 <= UInt8(ascii: "z") || ASCII.isDigit($0)
                    || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-")
            }
    }
}

/// What differs on some weekdays: a map from `1` (Monday) to `7` of maps from a goal's field name,
/// such as `energy_mkcal`, to its number.
public struct WeekdayGoals: Hashable, Sendable {
    /// The map that is stored.
    public private(set) var map: ValueMap

    /// No weekday differs.
    public init() { map = ValueMap() }

    /// Reads the stored map; `nil` for other weekdays, other fields and numbers out of bounds.
    package init?(_ value: Value) {
        guard let map = value.map else { return nil }
        for day in map.entries {
            guard WeekdayGoals.names.contains(day.name), let goals = day.value.map else {
                return nil
            }
            for goal in goals.entries {
                guard let spec = GoalPlan.goals.first(where: { $0.name == goal.name }),
                    case .number(_, let hard, _) = spec.shape, let number = goal.value.int,
                    hard.contains(number)
                else { return nil }
            }
        }
        self.map = map
    }

    /// The value that is stored.
    package var value: Value { .map(map) }

    /// A goal's number on a weekday, 1 for Monday to 7; `nil` where the plan's own number counts.
    public subscript(weekday: Int, field: UTF8Text) -> Int64? {
        get {
            guard (1...7).contains(weekday) else { return nil }
            return map[WeekdayGoals.names[weekday - 1]]?.map?[field]?.int
        }
        set {
            guard (1...7).contains(weekday) else { return }
            let name = WeekdayGoals.names[weekday - 1]
            var goals = map[name]?.map ?? ValueMap()
            goals[field] = newValue.map { .int($0) }
            map[name] = goals.entries.isEmpty ? nil : .map(goals)
        }
    }

    private static let names: [UTF8Text] = ["1", "2", "3", "4", "5", "6", "7"]
}
