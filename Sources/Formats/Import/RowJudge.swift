import MacrologEvents
import Macrolog
import MacrologNutrition

/// Decides the result of each row by comparing it with the stored entity, and makes the action.
struct RowJudge {
    let today: Day
    /// The name of the column that a field was read from; `nil` where it has none, or another field's.
    let column: (UTF8Text) -> String?
    /// The fields of a row that may change a stored entity.
    var stating: (_ old: ValueMap, _ stated: ValueMap) -> ValueMap = { _, stated in stated }
    /// Whether what a person has deleted stays deleted. What an undo took away comes back.
    var keepsDeleted = true
    /// The field that says where an entity comes from. Every import writes it again, so that later
    /// changes by a person are recognised and kept; `nil` where rows overwrite what is there.
    var origin: UTF8Text?
    /// Whether a field is also kept because a person has changed others.
    var belongs: (_ field: UTF8Text, _ own: [UTF8Text]) -> Bool = { _, _ in false }

    struct Verdict {
        let row: ImportRow
        let draft: Draft?
    }

    /// The stored entity with a row's id.
    private struct Stored<E: Entity> {
        let entity: E
        let isDeleted: Bool
    }

    func verdicts<E: Entity>(
        _ type: E.Type, _ batch: [(read: ReadRow, id: Identifier?)], in replica: Replica,
        content: (E) -> ImportRow.Content
    ) throws -> [Verdict] {
        let stored = try replica.withStore { store in
            try batch.map { row -> Stored<E>? in
                guard let id = row.id,
                    let entity = try store.entity(type, id, includingDeleted: true)
                else { return nil }
                let isDeleted = try store.entity(type, id) == nil
                return Stored(entity: entity, isDeleted: isDeleted)
            }
        }
        let staying = try replica.read { diary in
            try zip(batch, stored).map { row, stored in
                try staysDeleted(type, row.read, stored, diary)
            }
        }
        return try zip(zip(batch, stored), staying).map { pair, staysDeleted in
            let (row, stored) = pair
            if staysDeleted, row.read.problems.isEmpty {
                return Verdict(
                    row: ImportRow(
                        line: row.read.line, outcome: .deleted,
                        content: stored.map { content($0.entity) }, warnings: []),
                    draft: nil)
            }
            var read = row.read
            if let stored { try limit(&read, to: stored, in: replica) }
            return verdict(read, row.id, stored, content)
        }
    }

    /// Whether a person has deleted the entity of a row, or the one that it is a part of.
    private func staysDeleted<E: Entity>(
        _ type: E.Type, _ read: ReadRow, _ stored: Stored<E>?, _ diary: borrowing Diary
    ) throws -> Bool {
        guard keepsDeleted else { return false }
        if let stored, stored.isDeleted,
            try diary.presence(of: type, stored.entity.id) == .deleted
        {
            return true
        }
        guard let whole = E.kind.whole(of: read.stated) else { return false }
        return try diary.presence(of: whole) == .deleted
    }

    /// Keeps only the fields that may change a stored entity.
    private func limit<E: Entity>(
        _ read: inout ReadRow, to stored: Stored<E>, in replica: Replica
    ) throws {
        let old = stored.entity.fields
        read.stated = stating(old, read.stated)
        guard let origin, !stored.isDeleted else { return }
        let edits = read.stated.entries.filter { old[$0.name] != $0.value }.map {
            ImportEdit(
                kind: E.kind.name, field: $0.name, old: old[$0.name] ?? .null, new: $0.value)
        }
        guard !edits.isEmpty else { return }
        let said = try replica.read {
            try $0.imported(
                EntityKey(E.kind.name, stored.entity.id), by: origin)
        }
        let own = edits.filter { $0.old != said[$0.field] ?? .null }.map(\.field)
        for edit in edits where own.contains(edit.field) || belongs(edit.field, own) {
            read.stated[edit.field] = nil
            read.warnings.append(edit.kept)
        }
    }

    private func verdict<E: Entity>(
        _ read: ReadRow, _ id: Identifier?, _ stored: Stored<E>?,
        _ content: (E) -> ImportRow.Content
    ) -> Verdict {
        guard read.problems.isEmpty, let id else { return reject(read, read.problems) }
        var fields = read.stated
        for entry in read.defaults.entries where fields[entry.name] == nil {
            fields[entry.name] = entry.value
        }
        if let stored {
            let old = stored.entity.fields
            fields = Self.merged(old, read.stated)
        }
        guard let entity = E(id: id, fields: fields) else {
            return reject(
                read,
                [
                    problem(
                        read.line, "local_date", of: E.kind, "is outside what can be stored",
                        "type a day from 1900 to 2200")
                ])
        }
        let stale = stored.map { $0.entity }
        let findings = entity.findings(today: today)
        let hard = findings.filter { $0.severity == .hard }
        guard hard.isEmpty else {
            return reject(
                read,
                hard.map {
                    problem(
                        read.line, $0.field, of: E.kind, $0.problem.string, $0.hint.string)
                })
        }
        let (outcome, draft) = step(from: stale, to: entity, stored?.isDeleted ?? false)
        let warnings = findings.map {
            "\(column($0.field) ?? Kind.title(of: $0.field, in: E.kind.name)) \($0.problem.string)"
        }
        return Verdict(
            row: ImportRow(
                line: read.line, outcome: outcome, content: content(entity),
                warnings: read.warnings + (outcome == .same ? [] : warnings)),
            draft: draft)
    }

    private func step<E: Entity>(
        from old: E?, to new: E, _ wasDeleted: Bool
    ) -> (ImportRow.Outcome, Draft?) {
        guard let old, !wasDeleted else {
            return (
                .new(wasDeleted: wasDeleted),
                .add(new, replacing: wasDeleted ? old : nil, today: today)
            )
        }
        let edit = Draft.edit(from: old, to: new, today: today)
        guard let edit else { return (.same, nil) }
        let edits = ImportEdit.all(from: old, to: new)
        return (.changed(edits), named(edit, new.fields))
    }

    /// The edit as made by an import, which sets the field for the entity's origin.
    private func named(_ edit: Draft, _ fields: ValueMap) -> Draft {
        guard let origin, let source = fields[origin] else { return edit }
        let changes = edit.changes.map { change in
            Change(
                change.entity,
                change.operations.map { operation in
                    guard case .set(var fields) = operation else { return operation }
                    fields[origin] = source
                    return .set(fields)
                })
        }
        return Draft(edit.type, changes, findings: edit.findings)
    }

    /// The stored entity, updated with the values of the row. If day and minute are equal, or
    /// the instant, the stored moment is kept: a file imported again in another zone is the same file.
    private static func merged(_ old: ValueMap, _ stated: ValueMap) -> ValueMap {
        var fields = old
        for entry in stated.entries { fields[entry.name] = entry.value }
        if let before = old["local_date"].flatMap({ LocalDate($0) }),
            let after = stated["local_date"].flatMap({ LocalDate($0) }),
            before.day == after.day && ClockTime.text(before) == ClockTime.text(after)
                || before.occurredAt != nil && before.occurredAt == after.occurredAt
        {
            fields["local_date"] = before.value
        }
        return fields
    }

    private func reject(_ read: ReadRow, _ problems: [RowFinding]) -> Verdict {
        Verdict(
            row: ImportRow(
                line: read.line, outcome: .rejected(problems), content: nil,
                warnings: read.warnings),
            draft: nil)
    }

    private func problem(
        _ line: Int, _ field: UTF8Text, of kind: Kind, _ problem: String, _ hint: String
    ) -> RowFinding {
        RowFinding(
            line: line, column: column(field) ?? Kind.title(of: field, in: kind.name),
            problem: problem, hint: hint)
    }
}
