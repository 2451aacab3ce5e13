import MacrologArgumentParsing
import MacrologTerminal
public import Macrolog
import MacrologFaces

/// How values are shown and counted: everything that `config` knows.
public enum PreferenceSettings {
    /// A setting of how things are shown.
    public typealias Preference = Setting<Preferences>

    static let energyUnit = Preference(
        "energy-unit", "energy_unit", EnergyUnit.self, "The unit in which energy is shown.",
        otherwise: .kilocalories
    ) { $0.energyUnit = $1 }
    static let weightUnit = Preference(
        "weight-unit", "weight_unit", WeightUnit.self,
        "The unit in which weights are shown, and read when none is typed.",
        otherwise: .kilograms
    ) { $0.weightUnit = $1 }
    static let heightUnit = Preference(
        "height-unit", "height_unit", .heightUnit, "The unit in which heights are shown.",
        otherwise: HeightUnit.centimeters.name.string, put: { $0.heightUnit = $1 })
    static let volumeUnit = Preference(
        "volume-unit", "volume_unit", VolumeUnit.self, "The unit in which volumes are shown.",
        otherwise: .milliliters
    ) { $0.volumeUnit = $1 }
    static let foodWater = Preference(
        "food-water", "food_water", .yesOrNo,
        "Whether water in food counts as drunk.", otherwise: "no",
        put: { $0.countsFoodWater = $1 })
    static let decimal = Preference(
        "decimal", "decimal", DecimalMark.self,
        "The decimal mark: with comma, 1,234 is about one; with point, a thousand; with auto it is "
            + "refused as ambiguous.", otherwise: .auto
    ) { $0.decimalMark = $1 }
    static let weekStart = Preference(
        "week-start", "week_start", .weekday, "The first day of a week.", otherwise: "monday",
        text: { $0.weekStart.map { Day.weekdayNames[Int($0) - 1] } },
        put: { $0.weekStart = $1.map { Int64($0) } })
    static let zone = Preference(
        "zone", "tz", .zoneName,
        "Your time zone: Europe/Zurich. Entries are on its days, whatever zone the device is in; "
            + "--tz overrides it, and $TZ counts only without it.",
        text: { $0.zone },
        put: { $0.zone = $1 })
    static let dayStart = Preference(
        "day-start", "day_start_min", .moment,
        "When your day begins, up to 08:00: a snack before it belongs to yesterday.",
        otherwise: "00:00", put: { $0.dayStartMinutes = $1?.minute })
    static let mealSlots = Preference(
        "meal-slots", "meal_slots", .mealSlots,
        "The meal slots and their times: breakfast=05:00-10:59,tea=16:00-16:59, each perhaps "
            + "with the name shown, as in tea:'Afternoon tea'=16:00-16:59.",
        otherwise: MealSlot.typed(MealSlot.standard),
        text: { $0.mealSlots.map { MealSlot.typed($0) } }, put: { $0.mealSlots = $1 })
    static let weighPolicy = Preference(
        "weigh-policy", "weigh_policy", WeighPolicy.self,
        "Which of several weigh-ins of a day counts.", otherwise: .first
    ) { $0.weighPolicy = $1 }
    static let showStreaks = Preference(
        "show-streaks", "show_streaks", .yesOrNo, "Whether streaks are shown.", otherwise: "yes",
        put: { $0.showsStreaks = $1 })
    static let photoConsent = Preference(
        "photo-consent", "photo_ai_consent", .yesOrNo,
        "Whether photos of meals may be sent to the provider of models that you configure, "
            + "or that your server's operator did.", otherwise: "no",
        put: { $0.consentsToPhotoAnalysis = $1 })
    static let goalTolerance = Preference(
        "goal-tolerance", "goal_tolerance_bp", .percent,
        "The tolerance of goals that are at most or at least, in percent.",
        otherwise: "5 %", put: { $0.goalToleranceBasisPoints = $1 })
    static let pinnedNutrients = Preference(
        "pinned-nutrients", "pinned_nutrients", .nutrientKeys,
        "The nutrients that `home` shows beside the macros: sodium,iron.",
        text: { $0.pinnedNutrients.joined(separator: ",") },
        put: { $0.pinnedNutrients = $1 ?? [] })
    static let historyDays = Preference(
        "history-days", "history_days", .integer("DAYS", in: 30...36_500),
        "After how many days history is compacted; see `db compact`.",
        otherwise: "never", put: { $0.historyDays = $1 })

    /// All settings, in the order of `config get`.
    public static let all = [
        energyUnit, weightUnit, heightUnit, volumeUnit, foodWater, decimal, weekStart, zone,
        dayStart,
        mealSlots, weighPolicy, showStreaks, photoConsent, goalTolerance, pinnedNutrients,
        historyDays,
    ]
}

/// The days of the week as people type them.
enum Weekdays {
    /// 1 for `monday` or `mon` to 7; `nil` for any other word.
    static func number(_ word: String) -> Int? {
        let small = word.lowercased()
        return Day.weekdayNames.firstIndex { $0 == small || $0.prefix(3) == small }.map { $0 + 1 }
    }

    /// `mon`
    static func short(_ number: Int) -> String { String(Day.weekdayNames[number - 1].prefix(3)) }
}

extension Form where Value == HeightUnit {
    /// `cm` or `ftin`, for which `ft` is understood, too.
    static var heightUnit: Form {
        let words = Form.word(HeightUnit.self)
        return Form(words.placeholder, completion: words.completion) { word throws(BadValue) in
            try words.read(word == "ft" ? HeightUnit.feet.name.string : word)
        }
    }
}

extension Form where Value == Int {
    /// A day of the week, 1 for Monday to 7.
    static var weekday: Form {
        Form("WEEKDAY", completion: .words(Day.weekdayNames)) { word throws(BadValue) in
            guard let number = Weekdays.number(word) else {
                throw BadValue("is not a day of the week", instead: "one such as monday or mon")
            }
            return number
        }
    }
}

extension Form where Value == String {
    /// A time zone that the system knows.
    static var zoneName: Form {
        Form("ZONE") { word throws(BadValue) in
            guard Zone.exists(word) else {
                throw BadValue(
                    "is not a time zone of this system",
                    instead: "an IANA name such as Europe/Zurich")
            }
            return word
        }
    }
}

extension Form where Value == [String] {
    /// `sodium,iron,x:omega_3`
    static var nutrientKeys: Form {
        Form("NUTRIENTS") { word throws(BadValue) in
            var keys: [String] = []
            for part in word.split(separator: ",") {
                let key = part.trimmingSpaces
                guard let nutrient = Nutrient(key: UTF8Text(key)) else {
                    throw BadValue(
                        "names \"\(printable(key))\", which is not a nutrient",
                        instead: "names such as sodium,iron or x: and a name of your own")
                }
                if !keys.contains(nutrient.key.string) { keys.append(nutrient.key.string) }
            }
            return keys
        }
    }
}

extension Form where Value == [MealSlot] {
    /// `breakfast=05:00-10:59,tea:Afternoon tea=16:00-16:59`
    static var mealSlots: Form {
        Form("SLOTS") { word throws(BadValue) in
            var slots: [MealSlot] = []
            for part in word.split(separator: ",", omittingEmptySubsequences: false) {
                guard let slot = MealSlot(typed: part.trimmingSpaces) else {
                    throw BadValue(
                        "has \"\(printable(part.trimmingSpaces))\", which is not a meal slot",
                        instead: "breakfast=05:00-10:59,lunch=11:00-14:59, keys in small letters")
                }
                guard !slots.contains(where: { $0.key == slot.key }) else {
                    throw BadValue("has \(slot.key) twice", instead: "each meal slot once")
                }
                if let other = slots.first(where: { $0.overlaps(slot) }) {
                    throw BadValue(
                        "has \(other.key) and \(slot.key) at the same time",
                        instead: "times that do not overlap, such as 05:00-10:59 and 11:00-14:59")
                }
                slots.append(slot)
            }
            guard slots.count <= MealSlot.countMax else {
                throw BadValue(
                    "has \(slots.count) meal slots", instead: "\(MealSlot.countMax) at most")
            }
            return slots
        }
    }
}

extension MealSlot {
    /// Reads `tea=16:00-16:59` or `tea:Afternoon tea=16:00-16:59`.
    fileprivate init?(typed: String) {
        guard let equals = typed.lastIndex(of: "=") else { return nil }
        let times = typed[typed.index(after: equals)...].split(
            separator: "-", omittingEmptySubsequences: false)
        guard times.count == 2, let from = Moment(times[0].trimmingSpaces),
            let to = Moment(times[1].trimmingSpaces)
        else { return nil }
        let names = typed[..<equals].split(
            separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let key = names[0].trimmingSpaces
        let name = names.count == 2 ? names[1].trimmingSpaces : key.capitalised
        self.init(
            key: UTF8Text(key), name: UTF8Text(name), fromMinute: from.minute, toMinute: to.minute)
    }

    /// Whether a minute of the day is in both: then one begins inside the other.
    fileprivate func overlaps(_ other: MealSlot) -> Bool {
        contains(other.fromMinute) || other.contains(fromMinute)
    }

    private func contains(_ minute: Int64) -> Bool {
        fromMinute <= toMinute
            ? (fromMinute...toMinute).contains(minute) : minute >= fromMinute || minute <= toMinute
    }

    /// Slots as a person would type them.
    fileprivate static func typed(_ slots: [MealSlot]) -> String {
        slots.map { slot in
            let key = slot.key.string
            let name = slot.name == UTF8Text(key.capitalised) ? "" : ":\(slot.name.string)"
            return "\(key)\(name)=\(clockText(slot.fromMinute))-\(clockText(slot.toMinute))"
        }.joined(separator: ",")
    }
}

extension StringProtocol {
    /// The text without leading and trailing spaces.
    var trimmingSpaces: String {
        var rest = self[...]
        while rest.first == " " { rest.removeFirst() }
        while rest.last == " " { rest.removeLast() }
        return String(rest)
    }
}
