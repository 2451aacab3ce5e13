public import MacrologEvents
import MacrologWire
import MacrologLegacy
public import Macrolog
public import MacrologNutrition

/// Brings what an earlier system kept of one person into a replica.
///
/// What is here already stays as it is, changed or not, and what was deleted here stays deleted: the
/// earlier system is the past. So importing a file again adds only what is missing.
public struct LegacyImport: Sendable {
    /// Whose rows are imported.
    public enum Owner: Hashable, Sendable {
        /// The person with this id.
        case user(String)
        /// Rows that belong to no one: of before there were accounts.
        case none
    }

    /// A person of the earlier system.
    public struct Person: Hashable, Sendable {
        /// The id in the earlier system.
        public let id: String
        /// The address; `nil` where the file has none.
        public let email: String?
        /// How many rows belong to the person, that of the account not counted.
        public let rowCount: Int
    }

    private let file: LegacyFile
    private let hash: [UInt8]
    private let weightUnit: WeightUnit

    /// The greatest size of a file, in bytes.
    public static let bytesMax = 256 << 20

    /// Reads a whole file.
    ///
    /// - Throws: ``ImportError`` with the line at fault, and what to do.
    public init(_ bytes: [UInt8], weightUnit: WeightUnit) throws(ImportError) {
        do throws(LegacyError) { file = try LegacyFile(bytes) } catch {
            throw ImportError(line: error.line, error.problem, hint: error.hint)
        }
        hash = SHA256.hash(bytes)
        self.weightUnit = weightUnit
    }

    /// Everyone who has rows, in the order of the file.
    public var people: [Person] {
        var ids: [String] = []
        var counts: [String: Int] = [:]
        for row in file.rows {
            guard let id = row.kind == .users ? row.text("id") : row.owner else { continue }
            if counts[id] == nil { ids.append(id) }
            counts[id, default: 0] += row.kind == .users ? 0 : 1
        }
        let emails = Dictionary(
            file.rows(.users).compactMap { row in
                row.text("id").map { ($0, row.text("email")) }
            }, uniquingKeysWith: { first, _ in first })
        return ids.map { Person(id: $0, email: emails[$0] ?? nil, rowCount: counts[$0] ?? 0) }
    }

    /// How many rows belong to no one.
    public var ownerlessCount: Int {
        file.rows.filter { $0.kind != .users && $0.owner == nil }.count
    }

    /// What an import would do. Nothing is written.
    public func plan(in replica: Replica, of owner: Owner) throws -> [ImportPart] {
        var group = ImportGroup.none(replica)
        return try go(replica, owner, &group).parts
    }

    /// Imports, as one action that one undo reverses, also after an interruption.
    public func run(in replica: Replica, of owner: Owner) throws -> (
        parts: [ImportPart], group: Identifier?
    ) {
        let whose = if case .user(let id) = owner { id } else { "" }
        var group = try ImportGroup(
            replica, importing: "legacy", hash: SHA256.hash(hash + Array(whose.utf8)))
        return try go(replica, owner, &group)
    }

    private func go(
        _ replica: Replica, _ owner: Owner, _ group: inout ImportGroup
    ) throws -> (parts: [ImportPart], group: Identifier?) {
        let entries = LegacyEntries(replica: replica, weightUnit: weightUnit)
        let judge = OwnJudge(replica: replica, today: try replica.today())
        let columns = LegacyColumns(file)
        var verdicts: [(place: Int, verdict: OwnVerdict)] = []
        if let profile = try profile(owner, entries, judge, columns) {
            verdicts.append((0, profile))
        }
        let rows = file.rows.filter { isOf(owner, $0) }
        // An active goal comes last, after those that it replaced.
        let active = rows.filter { isActiveGoal($0, columns) }
        var lastStart: Day?
        for row in rows.filter({ !isActiveGoal($0, columns) }) + active {
            let cells = LegacyCells(row, columns)
            for (place, verdict) in try self.verdicts(cells, entries, judge, &lastStart) {
                verdicts.append((place, verdict))
            }
        }
        var parts = Self.nouns.map { ImportPart(noun: $0, summary: ImportSummary(kind: $1)) }
        let recorded = try ImportPart.record(verdicts, in: &parts, &group, today: judge.today)
        if !parts.isEmpty { parts[0].summary.notices = notices(columns) }
        return (parts, recorded ? group.id : nil)
    }

    /// What of the file is not imported, as a person wants to know before the earlier system goes.
    private func notices(_ columns: LegacyColumns) -> [String] {
        var notices = LegacyFile.Kind.allCases.compactMap(columns.notice)
        if !file.otherTables.isEmpty {
            notices.append("tables that are not read: \(file.otherTables.joined(separator: ", "))")
        }
        return notices
    }

    private func isActiveGoal(_ row: LegacyRow, _ columns: LegacyColumns) -> Bool {
        guard row.kind == .goals else { return false }
        var cells = LegacyCells(row, columns)
        return cells.truth("isactive") == true
    }

    private static let nouns: [(String, Kind)] = [
        ("the profile", .profile), ("goals", .goalPlan), ("meals", .meal),
        ("weigh-ins", .weighIn), ("ketones", .ketone),
    ]

    private func isOf(_ owner: Owner, _ row: LegacyRow) -> Bool {
        guard row.kind != .users else { return false }
        switch (owner, row.owner) {
        case (.none, nil): return true
        case (.user(let id), let other?): return id.utf8.elementsEqual(other.utf8)
        default: return false
        }
    }

    /// What a row becomes, each with its place among ``nouns``.
    ///
    /// - Parameter lastStart: The latest day on which a goal of the rows before began.
    private func verdicts(
        _ cells: LegacyCells, _ entries: LegacyEntries, _ judge: OwnJudge, _ lastStart: inout Day?
    ) throws -> [(Int, OwnVerdict)] {
        var cells = cells
        switch cells.row.kind {
        case .users: return []
        case .profiles, .goals:
            let goal = try entries.goal(&cells, after: lastStart)
            if cells.row.kind == .goals, let start = goal?.startDate {
                lastStart = max(lastStart ?? start, start)
            }
            return try goal == nil && cells.problems.isEmpty
                ? [] : [(1, verdict(goal, cells, judge))]
        case .meals: return [(2, try meal(&cells, entries, judge))]
        case .metrics:
            let weighIn = try entries.weighIn(&cells)
            let ketone = try entries.ketone(&cells)
            if weighIn == nil, ketone == nil {
                if cells.problems.isEmpty {
                    cells.refuse("weight", "says nothing", "fill it in, or take the row out")
                }
                return [(3, try verdict(weighIn, cells, judge))]
            }
            var found: [(Int, OwnVerdict)] = []
            if let weighIn {
                found.append((3, try verdict(weighIn, cells, judge) { .weighIn($0) }))
            }
            if let ketone { found.append((4, try verdict(ketone, cells, judge))) }
            return found
        }
    }

    /// New where it was never here; otherwise what is here stays.
    private func verdict<E: Entity>(
        _ entity: E?, _ cells: LegacyCells, _ judge: OwnJudge,
        content: (E) -> ImportRow.Content? = { _ in nil }
    ) throws -> OwnVerdict {
        let line = cells.row.line
        let problems = cells.problems + (entity.map { judge.problems(of: $0, line: line) } ?? [])
        guard let entity, problems.isEmpty else {
            return OwnVerdict(rows: [.rejected(line, problems)])
        }
        let known = try judge.known(E.self, entity.id)
        if known.presence == .deleted { return OwnVerdict(rows: [.deleted(line)]) }
        let isHere = known.presence == .here
        return OwnVerdict(
            rows: [
                ImportRow(
                    line: line, outcome: isHere ? .same : judge.outcome(known, entity),
                    content: content(entity),
                    warnings: isHere ? [] : cells.warnings + judge.warnings(about: entity))
            ], drafts: isHere ? [] : [judge.draft(known, entity)].compactMap(\.self))
    }

    private func meal(
        _ cells: inout LegacyCells, _ entries: LegacyEntries, _ judge: OwnJudge
    ) throws -> OwnVerdict {
        let read = try entries.meal(&cells)
        let line = cells.row.line
        guard let (meal, items) = read else {
            return OwnVerdict(rows: [.rejected(line, cells.problems)])
        }
        let problems = items.flatMap { judge.problems(of: $0, line: line) }
        guard problems.isEmpty else { return OwnVerdict(rows: [.rejected(line, problems)]) }
        var verdict = try verdict(meal, cells, judge) { .meal($0) }
        guard !verdict.drafts.isEmpty else { return verdict }
        let known = try judge.known(Meal.self, meal.id)
        let parts = try items.map { ($0, try judge.known(MealItem.self, $0.id)) }
        let first = parts.prefix(Self.partsMax)
        verdict.drafts = [
            .add(
                meal, items: first.map(\.0), replacing: known.isDeleted ? known.entity : nil,
                deletedItems: first.filter(\.1.isDeleted).compactMap(\.1.entity),
                today: judge.today)
        ]
        verdict.drafts += parts.dropFirst(first.count).compactMap { judge.draft($0.1, $0.0) }
        return verdict
    }

    /// How many items are added in one event, so that it stays within an event's limit.
    private static let partsMax = 20

    /// The profile, filled where it says nothing; `nil` if the file has none of this person.
    private func profile(
        _ owner: Owner, _ entries: LegacyEntries, _ judge: OwnJudge, _ columns: LegacyColumns
    ) throws -> OwnVerdict? {
        guard case .user(let id) = owner else { return nil }
        let rows = file.rows.filter { row in
            let whose = row.kind == .users ? row.text("id") : row.owner
            return [.users, .profiles].contains(row.kind)
                && whose?.utf8.elementsEqual(id.utf8) == true
        }
        guard !rows.isEmpty else { return nil }
        let known = try judge.known(Profile.self, Identities.profile)
        let old = known.entity ?? Profile(id: Identities.profile, fields: ValueMap())
        var (profile, problems, warnings) = (old, [RowFinding](), [String]())
        // A profile's own row says more than that of its account.
        for row in rows.filter({ $0.kind == .profiles }) + rows.filter({ $0.kind == .users }) {
            var cells = LegacyCells(row, columns)
            profile = try entries.profile(profile, &cells)
            problems += cells.problems
            warnings += cells.warnings
        }
        let line = rows[0].line
        problems += judge.problems(of: profile, line: line)
        guard problems.isEmpty else { return OwnVerdict(rows: [.rejected(line, problems)]) }
        let edits = ImportEdit.all(from: old, to: profile)
        let outcome: ImportRow.Outcome = edits.isEmpty ? .same : .changed(edits)
        let row = ImportRow(line: line, outcome: outcome, content: nil, warnings: warnings)
        return OwnVerdict(
            rows: [row],
            drafts: edits.isEmpty ? [] : [judge.draft(known, profile)].compactMap(\.self))
    }
}
