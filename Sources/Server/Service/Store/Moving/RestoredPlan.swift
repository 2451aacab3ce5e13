/// What is done to the accounts of a service after one or more of its stores went back: found out for some numbers at a
/// time, and then done store by store.
import MacrologPostgreSQL
import MacrologEvents

/// A row of an account, as one store has it.
struct RestoredRow {
    let space: Space
    let emailKey: [UInt8]
    let email: String
    let copy: RestoredAccount.Copy
}

/// What is to be done to accounts of some numbers.
struct RestoredPlan {
    var closing: [(RestoredStores.Account, servedBy: String)] = []
    var opening: [RestoredStores.Account] = []
    var deleting: [RestoredStores.Account] = []
    var lost: [RestoredStores.Account] = []
    /// The directory shall say so.
    var placing: [(row: RestoredRow, store: String)] = []
}

extension RestoredStores {
    func settle(
        _ range: ClosedRange<Space>, _ directory: String, _ renewal: Renewal,
        _ report: inout Report
    ) throws {
        let plan = try plan(range, directory)
        for (store, _) in stores { try change(store, plan, renewal) }
        let superseded = try place(plan, in: directory)
        for account in plan.closing { try removeRows(account.0.space, from: account.0.store) }
        report.older += plan.closing.map(\.0)
        report.reopened += plan.opening
        report.deleted += plan.deleting
        report.deleted += try delete(superseded, renewal)
        report.lost += plan.lost
    }

    private func plan(_ range: ClosedRange<Space>, _ directory: String) throws -> RestoredPlan {
        var rows: [Space: [RestoredRow]] = [:]
        for (store, _) in stores {
            for row in try self.rows(range, store) { rows[row.space, default: []].append(row) }
        }
        let placements = try placements(range, directory)
        var plan = RestoredPlan()
        for space in Set(rows.keys).union(placements.keys).sorted() {
            let (own, placed) = (rows[space] ?? [], placements[space])
            let account = RestoredAccount(
                copies: own.map(\.copy), placed: placed, restored: restored,
                directoryIsRestored: restored.contains(directory))
            add(account.outcome, space, own, placed, to: &plan)
        }
        return plan
    }

    private func add(
        _ outcome: RestoredAccount.Outcome, _ space: Space, _ rows: [RestoredRow],
        _ placed: RestoredAccount.Placed?, to plan: inout RestoredPlan
    ) {
        func account(_ row: RestoredRow) -> Account {
            Account(space: space, email: row.email, store: row.copy.store)
        }
        func newest(_ store: String) {
            for row in rows where row.copy.store != store {
                plan.closing.append((account(row), servedBy: store))
            }
        }
        switch outcome {
        case .untouched: break
        case .lost:
            plan.lost.append(Account(space: space, email: "", store: placed?.store ?? ""))
        case .deleted(let store):
            newest(store)
            plan.deleting += rows.filter { $0.copy.store == store }.map(account)
        case .served(let store, let reopens):
            newest(store)
            for row in rows where row.copy.store == store {
                if reopens { plan.opening.append(account(row)) }
                let isPlaced =
                    placed?.store == store && placed?.isReleased == row.copy.isDeleted
                if !isPlaced { plan.placing.append((row, store)) }
            }
        }
    }

    /// Opens and closes the accounts of a store in one transaction.
    private func change(_ store: String, _ plan: RestoredPlan, _ renewal: Renewal) throws {
        let closing = plan.closing.filter { $0.0.store == store }
        let opening = plan.opening.filter { $0.store == store }
        let deleting = plan.deleting.filter { $0.store == store }
        guard !closing.isEmpty || !opening.isEmpty || !deleting.isEmpty else { return }
        var connection = try open(store)
        try connection.transaction { db in
            try db.allowPlacing()
            for (account, other) in closing {
                try db.run(
                    "UPDATE account SET away = ? WHERE space = ?", other, account.space)
            }
            for account in opening {
                try db.reopen(account.space, now: renewal.now)
                // Its log may have grown in the store that was lost.
                guard !restored.contains(store) else { continue }
                _ = try db.beRestored(
                    account.space, epoch: renewal.epoch, endsSessions: renewal.endsSessions,
                    deletions: renewal.deletions, now: renewal.now)
            }
            for account in deleting { try db.deleteAgain(account.space, now: renewal.now) }
        }
        try note(.settled(store))
    }

    /// Has the directory say who serves which account.
    ///
    /// - Returns: Accounts whose address another one has, which can only be because they were deleted.
    private func place(_ plan: RestoredPlan, in directory: String) throws -> Set<Space> {
        guard !plan.placing.isEmpty else { return [] }
        var connection = try open(directory)
        let superseded = try connection.transaction { db in
            var superseded: Set<Space> = []
            for (row, store) in plan.placing {
                let key = row.copy.isDeleted ? nil : row.emailKey
                superseded.formUnion(try db.put(row.space, key, in: store))
            }
            return superseded
        }
        try note(.placed)
        return superseded
    }

    /// Deletes accounts again in the stores that went back.
    private func delete(_ spaces: Set<Space>, _ renewal: Renewal) throws -> [Account] {
        var deleted: [Account] = []
        for store in spaces.isEmpty ? [] : restored.sorted() {
            var connection = try open(store)
            deleted += try connection.transaction { db in
                try db.allowPlacing()
                var deleted: [Account] = []
                for space in spaces.sorted() {
                    let email = try db.first(
                        "SELECT email FROM account WHERE space = ? AND deleted IS NULL", space
                    ) { $0.text(0) }
                    guard let email else { continue }
                    try db.deleteAgain(space, now: renewal.now)
                    deleted.append(Account(space: space, email: email, store: store))
                }
                return deleted
            }
        }
        return deleted
    }

    private func removeRows(_ space: Space, from store: String) throws {
        var connection = try open(store)
        var isMore = true
        while isMore {
            isMore = try connection.transaction { db in
                let isMore = try db.remove(space, 1_000)
                if !isMore {
                    try db.run(
                        "DELETE FROM account WHERE space = ? AND away IS NOT NULL", space)
                }
                return isMore
            }
            try note(.removed(from: store))
        }
    }

    // MARK: Reading

    private func rows(_ range: ClosedRange<Space>, _ store: String) throws -> [RestoredRow] {
        var connection = try open(store)
        return try connection.all(
            """
            SELECT space, email_key, email, arrival, away, deleted FROM account
            WHERE space BETWEEN ? AND ?
            """, range.lowerBound, range.upperBound
        ) {
            RestoredRow(
                space: $0.space(0), emailKey: $0.bytes(1), email: $0.text(2),
                copy: RestoredAccount.Copy(
                    store: store, arrival: $0.int(3), away: $0.textOrNull(4),
                    isDeleted: !$0.isNull(5)))
        }
    }

    private func placements(
        _ range: ClosedRange<Space>, _ directory: String
    ) throws -> [Space: RestoredAccount.Placed] {
        var connection = try open(directory)
        let all = try connection.all(
            "SELECT space, store, email_key FROM placement WHERE space BETWEEN ? AND ?",
            range.lowerBound, range.upperBound
        ) { ($0.space(0), RestoredAccount.Placed(store: $0.text(1), isReleased: $0.isNull(2))) }
        return Dictionary(all, uniquingKeysWith: { first, _ in first })
    }
}

extension PostgreSQLConnection {
    /// Serves an account again that was closed. What was removed of its log since was the end of it.
    fileprivate mutating func reopen(_ space: Space, now: Int64) throws(PostgreSQLError) {
        try run(
            """
            UPDATE account SET away = NULL, event_bytes = (
                SELECT CAST(coalesce(sum(length(body)), 0) AS bigint) FROM event WHERE space = ?1)
            WHERE space = ?1
            """, space)
        // The events that name them may come back from devices.
        try run("UPDATE blob SET stored = ? WHERE space = ?", now, space)
    }

    fileprivate mutating func deleteAgain(_ space: Space, now: Int64) throws(PostgreSQLError) {
        try run("UPDATE account SET away = NULL WHERE space = ?", space)
        _ = try markDeleted(space, at: now)
    }

    /// Has the directory say where an account is, and what its address is.
    ///
    /// - Returns: The accounts that had this address before: of two with one address the one with the smaller number
    ///   was deleted.
    fileprivate mutating func put(
        _ space: Space, _ emailKey: [UInt8]?, in store: String
    ) throws(PostgreSQLError) -> [Space] {
        var (key, superseded) = (emailKey, [Space]())
        if let emailKey, let other = try placement(of: emailKey), other.space != space {
            if other.space < space {
                try run("UPDATE placement SET email_key = NULL WHERE space = ?", other.space)
                superseded = [other.space]
            } else {
                (key, superseded) = (nil, [space])
            }
        }
        try run(
            """
            INSERT INTO placement (space, email_key, store) VALUES (?1, ?2, ?3)
            ON CONFLICT (space) DO UPDATE SET email_key = excluded.email_key
            WHERE placement.email_key IS DISTINCT FROM excluded.email_key
            """, space, key, store)
        if try placement(of: space)?.store != store { try place(space, in: store) }
        return superseded
    }
}
