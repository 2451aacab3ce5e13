/// The form of an answer: an entity by the declaration of its kind, or a report by the list of its members. A test
/// compares each with what the server really answers.
import MacrologEvents
import MacrologFaces
package import MacrologJSON
import MacrologNutrition

extension Schema {
    /// An entity as it is shown: its id, the members of its fields, and what is computed from them.
    ///
    /// - Parameters:
    ///   - without: Fields that are shown in another form.
    ///   - computed: The computed members that are always there, as in ``report(_:asked:isOpen:)``.
    static func shown(_ kind: Kind, without: [UTF8Text] = [], computed: String = "") -> Schema {
        .object(
            [Member("id", .id, isRequired: true)] + set(kind, without: without)
                + members(computed, isRequired: true), title: kind.title, isOpen: true)
    }

    /// What is set of the one entity of a kind: the profile, or the preferences.
    static func settings(_ kind: Kind) -> Schema {
        .object(set(kind, without: []), title: kind.title, isOpen: true)
    }

    private static func set(_ kind: Kind, without: [UTF8Text]) -> [Member] {
        Schema.entity(kind, without: without).members.map {
            Member($0.name, $0.schema.orNull, $0.summary)
        }
    }

    private var orNull: Schema {
        if case .nullable = self { self } else { .nullable(self) }
    }

    /// An answer with these members: `"day: date, note: text?, meals: [meal]"`. With a question mark it may be null;
    /// in brackets it is a list. Forms are those of ``form(_:)``.
    ///
    /// - Parameters:
    ///   - asked: Members that are there where the request asks for them.
    ///   - title: The name under which it is published.
    ///   - isOpen: Whether there may be others.
    static func report(
        _ members: String, asked: String = "", title: String? = nil, isOpen: Bool = false
    ) -> Schema {
        .object(
            self.members(members, isRequired: true) + self.members(asked, isRequired: false),
            title: title, isOpen: isOpen)
    }

    private static func members(_ text: String, isRequired: Bool) -> [Member] {
        text.split(separator: ",").map { part in
            let pair = part.split(separator: ":").map { $0.filter { !$0.isWhitespace } }
            precondition(pair.count == 2, "a member has a name and a form: \(part)")
            return Member(pair[0], form(pair[1]), isRequired: isRequired)
        }
    }

    /// The form of a name: one of its own, one of ``parts``, or a kind of entity.
    private static func form(_ name: String) -> Schema {
        if name.hasSuffix("?") { return .nullable(form(String(name.dropLast()))) }
        if name.hasPrefix("[") { return .every(form(String(name.dropFirst().dropLast()))) }
        switch name {
        case "text": return .text(0...65_536)
        case "id": return .id
        case "date": return .day
        case "time": return .instant
        case "clock": return .clock
        case "number": return .number(-numberMax...numberMax, scale: 3)
        case "count": return .number(0...numberMax, scale: 0)
        case "flag": return .flag
        case "object": return .anyObject
        case "meal": return .meal
        default:
            if let kind = Kind.named(UTF8Text(name)) { return .shown(kind) }
            guard let members = parts[name] else { preconditionFailure("no form: \(name)") }
            return .report(members, title: name.replacing("_", with: " "))
        }
    }

    private static let numberMax: Int64 = 1 << 53

    /// What several answers have in common.
    private static let parts = [
        "totals": "part_count: count, sums: object, parts_known: object, own_nutrients: [object]",
        "net_carbs":
            "net_carbs_g: number?, parts_known_count: count, part_count: count, upper_bound: flag",
        "slot_sum": "slot: text, totals: totals",
        "hydration": """
        drunk_ml: number?, drink_count: count, counted_from_food_ml: number?, total_ml: number?, target_ml: number?,
        remaining_ml: number?
        """,
        "movement": movementMembers,
        "shares": "protein_percent: number, carbs_percent: number, fat_percent: number",
        "advice": adviceMembers,
        "goals_of_day": goalMembers,
        "expenditure":
            "energy_kcal: number?, plus_minus_kcal: number?, confidence: text, explanation: text",
        "calendar_day":
            "day: date, goal_status: text?, status: text, logged: flag, energy_kcal: number?",
        "energy_of_day": "day: date, energy_kcal: number?",
        "weight_of_day": "day: date, weight_kg: number, trend_kg: number",
        "projection": """
        target_kg: number, arrival: text, day: date?, earliest: date?, latest: date?, slope_kg_per_week: number?,
        plus_minus_kg_per_week: number?
        """,
        "eaten": "energy_kcal: number?, protein_g: number?, carbs_g: number?, fat_g: number?",
        "coach_context": coachMembers,
        "activity_today": "active_kcal: number?, workouts: [text]",
        "soreness": "soreness: count",
        "event": """
        event: text, device_id: id, seq: count, clock_notation: text, clock: [dot], base: seal, n: count?,
        sealed_at: time?, recorded_at: time?, type: text, compacted: flag, group_id: id?, changes: [change]
        """,
        "dot": "device_id: id, seq: count",
        "seal": "epoch: count, n: count",
        "change": "kind: text, id: id, operations: [object]",
        "cell": "kind: text, id: id, cell: text",
        "key": "kind: text, id: id",
        "side": "value: object, by: event",
        "dish_part": "name: text, calories: count, carbs: count, protein: count, fats: count",
        "dish_total":
            "calories: count, carbs: count, protein: count, fats: count, healthScore: count",
        "dish_sum": "calories: count, carbs: count, protein: count, fats: count",
        "dish": dishMembers,
        "eaten_item": """
        id: id, name: text, portion: text?, calories: number, protein: number, carbs: number,
        fat: number
        """,
        "eaten_meal": eatenMealMembers,
        "weight_entry": weightEntryMembers,
        "ketone_entry": ketoneEntryMembers,
        "person": personMembers,
    ]

    /// One page of a list.
    static func page(_ schema: Schema) -> Schema { .list(schema, countMax: 200) }

    /// A whole list.
    static func every(_ schema: Schema) -> Schema { .list(schema, countMax: 100_000) }

    /// What of a real answer is not of this form; `nil` for nothing.
    package func mistake(in answer: JSON) -> String? {
        do throws(APIProblem) {
            try check(answer, at: "", ignoresUnknown: false)
            return nil
        } catch {
            return error.title
        }
    }
}

// MARK: Frequent answers

extension Schema {
    private static let dayMembers = """
        day: date, status: text, goal_status: text?, note: text?, edited_by_newer_version: flag,
        totals: totals, net_carbs: net_carbs?, planned: totals?, slots: [slot_sum], goals: [object],
        meals: [meal], plan: [plan_entry], pinned_sums: object, weigh_ins: [weigh_in],
        weight_trend_kg: number?, water: hydration?, movement: movement?, movement_goals: [object], activities: [activity],
        body_fat: [body_fat], measures: [body_measure], ketones: [ketone], fasts: [fast],
        check_in: check_in?
        """
    private static let movementMembers = """
        active_kcal: number?, workouts_kcal: number?, active_source: text?, steps: count?, steps_source: text?,
        duplicate_ids: [id], unknown_energy_ids: [id]
        """
    private static let goalMembers = """
        day: date, plan_id: id?, since: date?, mode: text?, goals: [object], water_ml: number?,
        burned_kcal: number?, steps: count?, explanation: text?
        """
    private static let coachMembers = """
        base_kcal: number?, active_kcal: number?, target_kcal: number?, eaten: eaten, workouts: [text],
        last_meal: text?, since_workout: text?
        """
    private static let adviceMembers = "topic: text, text: text"
    private static let dishMembers = """
        id: id, dishName: text, date: date, imagePath: text, ingredients: [dish_part], total: dish_total,
        healthScore: count, totalMismatch: flag
        """
    private static let eatenMealMembers = """
        id: id, name: text, date: date, createdAt: time?, isConsumed: flag, consumedAt: time?, dietScore: count?,
        dietScoreExplanation: [text], customNotes: text?, tags: [text], items: [eaten_item],
        calories: number, protein: number, carbs: number, fat: number
        """
    private static let weightEntryMembers =
        "id: id, date: date, weight: number, unit: text, ketoneLevel: number?, notes: text?"
    private static let ketoneEntryMembers =
        "id: id, date: date, ketoneLevel: number, inKetosis: flag, notes: text?"
    private static let personMembers = """
        displayName: text?, dietPreference: text?, dailyCalorieGoal: number?, currentWeight: number?,
        ketoneLevel: number?
        """

    /// A meal with its parts and their sum.
    static let meal = shown(
        .meal, without: ["photo_sha256s"],
        computed: """
            photos: [text], conflict: flag, edited_by_newer_version: flag, items: [meal_item], totals: totals,
            diet_score: object?
            """)
    /// A day as a report.
    static let wholeDay = report(dayMembers, asked: "explanations: [object]")
    /// Today at a glance.
    static let home = report(
        dayMembers
            + ", context: coach_context, messages: [advice], streak_days: count, next_reminder: reminder?"
    )
    static let movement = report("day: date, " + movementMembers)
    static let goalsOfDay = report(goalMembers)
    static let coachContext = report(coachMembers)
    static let wideCoachContext = report(
        """
        resting_kcal: number?, age_years: count?, sex: text?, week_workouts: [text], activity_today: activity_today,
        steps: count?, hrv_ms: number?, sleep_hours: number?, sleep_quality: text?, muscle_soreness: soreness?,
        body_aim: text?, slope_kg_per_week: number?, energy_levels: text?, meal_timing: text?, met_percent: number?
        """)
    static let advice = report(adviceMembers)
    /// The events of something, oldest first.
    static let events = page(form("event"))
    /// An entry of any kind, or its id alone.
    static let recorded = report("id: id", isOpen: true)
    /// A dish of CarbCal.
    static let dish = report(dishMembers)
    /// A meal of NutritionAI.
    static let eatenMeal = report(eatenMealMembers)
    static let weightEntry = report(weightEntryMembers)
    static let ketoneEntry = report(ketoneEntryMembers)
    /// The person of NutritionAI.
    static let person = report(personMembers)
}
