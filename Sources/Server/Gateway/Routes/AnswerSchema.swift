/// The form of an answer: an entity by the declaration of its kind, or a report by the list of its members. A test
/// compares each with what the server really answers.
import MacrologEvents
import MacrologFaces
package import MacrologJSON
import MacrologNutrition

extension Schema {
    /// An entity as it is shown: its id, the members of its fields, and what is computed from them.
    ///
    /// - Parameter without: Fields that are shown in another form.
    static func shown(_ kind: Kind, without: [UTF8Text] = []) -> Schema {
        let fields = Schema.entity(kind, without: without).members.map {
            Member($0.name, $0.schema.orNull, $0.summary)
        }
        return .object([Member("id", .id, isRequired: true)] + fields, title: kind.title)
    }

    private var orNull: Schema {
        if case .nullable = self { self } else { .nullable(self) }
    }

    /// An answer with these members and no others: `"day: date, note: text?, meals: list"`. With a question mark it
    /// may be null.
    ///
    /// - Parameter asked: Members that are there where the request asks for them.
    static func report(_ members: String, asked: String = "") -> Schema {
        .object(
            self.members(members, isRequired: true) + self.members(asked, isRequired: false))
    }

    private static func members(_ text: String, isRequired: Bool) -> [Member] {
        text.split(separator: ",").map { part in
            let pair = part.split(separator: ":").map { $0.filter { !$0.isWhitespace } }
            precondition(pair.count == 2, "a member has a name and a form: \(part)")
            let isOptional = pair[1].hasSuffix("?")
            let form = form(isOptional ? String(pair[1].dropLast()) : pair[1])
            return Member(pair[0], isOptional ? .nullable(form) : form, isRequired: isRequired)
        }
    }

    private static func form(_ name: String) -> Schema {
        switch name {
        case "text": .text(0...65_536)
        case "id": .id
        case "date": .day
        case "time": .instant
        case "number": .number(-numberMax...numberMax, scale: 3)
        case "count": .number(0...numberMax, scale: 0)
        case "flag": .flag
        case "list": .anyList
        case "object": .anyObject
        default: preconditionFailure("no form: \(name)")
        }
    }

    private static let numberMax: Int64 = 1 << 53

    /// One page of a list.
    static func page(_ schema: Schema) -> Schema { .list(schema, countMax: 200) }

    /// A whole list.
    static func every(_ schema: Schema) -> Schema { .list(schema, countMax: 100_000) }

    /// What of a real answer is not of this form; `nil` for nothing.
    package func mistake(in answer: JSON, isOpen: Bool) -> String? {
        do throws(APIProblem) {
            try check(answer, at: "", ignoresUnknown: isOpen)
            return nil
        } catch {
            return error.title
        }
    }

    /// Whether an answer may have members that are not declared: those that are computed.
    package var isShownEntity: Bool {
        switch self {
        case .object(_, let title): title != nil
        case .list(let schema, _): schema.isShownEntity
        default: false
        }
    }

    /// A day as a report.
    static let dayMembers = """
        day: date, status: text, goal_status: text?, note: text?, edited_by_newer_version: flag,
        totals: object, net_carbs: object?, planned: object?, slots: list, goals: list, meals: list,
        plan: list, pinned_sums: object, weigh_ins: list, weight_trend_kg: number?, water: object?,
        movement: object?, activities: list, body_fat: list, measures: list, ketones: list, fasts: list
        """
    static let wholeDay = report(dayMembers, asked: "explanations: list")
}
