import MacrologEvents
import Macrolog
import MacrologNutrition

/// Decides the result for one entity that a file in this program's own layout names by its id.
///
/// A missing entity is added; an existing one is edited where the file differs; one that a person
/// has deleted stays deleted, unless it is wanted back; one that disappeared with an undone action is restored.
struct OwnJudge {
    let replica: Replica
    let today: Day
    /// Whether what a person has deleted comes back.
    var restoresDeleted = false

    /// The known state of an id.
    struct Known<E: Entity> {
        let presence: Presence
        /// The stored entity, deleted or not.
        let entity: E?

        var isDeleted: Bool { presence == .undone }
    }

    func known<E: Entity>(_ type: E.Type, _ id: Identifier) throws -> Known<E> {
        var presence = try replica.read { try $0.presence(of: type, id) }
        if presence == .deleted, restoresDeleted { presence = .undone }
        let entity =
            presence == .absent
            ? nil : try replica.read { try $0.entity(type, id, includingDeleted: true) }
        return Known(presence: entity == nil ? .absent : presence, entity: entity)
    }

    /// Violations of hard bounds, as problems of a row.
    func problems<E: Entity>(of entity: E, line: Int) -> [RowFinding] {
        entity.findings(today: today).filter { $0.severity == .hard }.map {
            RowFinding(
                line: line, column: Self.column($0.field, of: E.kind), problem: $0.problem.string,
                hint: $0.hint.string)
        }
    }

    /// Warnings about an entity that is added or changed.
    func warnings<E: Entity>(about entity: E) -> [String] {
        entity.findings(today: today).filter { $0.severity == .soft }
            .map { "\(Kind.title(of: $0.field, in: E.kind.name)) \($0.problem.string)" }
    }

    func outcome<E: Entity>(_ known: Known<E>, _ new: E) -> ImportRow.Outcome {
        guard let old = known.entity, known.presence == .here else {
            return .new(wasDeleted: known.isDeleted)
        }
        let edits = ImportEdit.all(from: old, to: new)
        return edits.isEmpty ? .same : .changed(edits)
    }

    func draft<E: Entity>(_ known: Known<E>, _ new: E) -> Draft? {
        guard let old = known.entity, known.presence == .here else {
            return .add(new, replacing: known.isDeleted ? known.entity : nil, today: today)
        }
        return .edit(from: old, to: new, today: today)
    }

    /// The column of a field, or its name in words.
    private static func column(_ field: UTF8Text, of kind: Kind) -> String {
        switch field {
        case "dish_name": "dish"
        case "name": "item"
        case "consumed_share_bp": "share_pct"
        case "weight_g": "kg"
        case "body_fat_bp": "bodyfat_pct"
        case "volume_ul": "ml"
        case _ where OwnLayout.meals.contains(field.string): field.string
        default:
            Nutrient(key: field).map(OwnLayout.header) ?? Kind.title(of: field, in: kind.name)
        }
    }
}

/// The results of rows, and the drafts for them.
struct OwnVerdict {
    var rows: [ImportRow] = []
    var drafts: [Draft] = []
}
