/// Addresses to which accounts have messages sent, and the messages that wait.
import MacrologEvents

/// What is stored of a new address besides its owner's part.
package struct StoredWebhook: Sendable {
    let space: Space
    /// The session that adds it, which must still be there when it is added.
    let maker: Identifier
    let webhook: NewWebhook
    /// The secret, sealed.
    let sealed: [UInt8]
    let entry: AuditEntry
}

/// A due message as it is stored.
package struct StoredMessage: Sendable {
    let id, webhook, account: Identifier
    let space: Space
    /// `nil` if it cannot be decrypted, as `body`.
    let target: String?
    /// The secret, sealed.
    let sealed: [UInt8]
    let attempts: Int64
    let body: [UInt8]?
}

/// A due message with its address and its account, before it is decrypted.
private struct DueRow {
    let id, webhook, account: Identifier
    let space: Space
    let target, sealed, body: [UInt8]
    let attempts: Int64

    init(_ row: borrowing some SQLRow & ~Copyable) {
        (id, webhook, account) = (row.identifier(0), row.identifier(1), row.identifier(3))
        (space, attempts) = (row.space(2), row.int(6))
        (target, sealed, body) = (row.bytes(4), row.bytes(5), row.bytes(7))
    }
}

extension SQLServerStore {
    package func add(_ stored: StoredWebhook, then done: @escaping Done<WebhookAddition?>) {
        let cipher: AccountCipher
        do throws(StoreError) { cipher = try atRest.cipher(of: stored.space) } catch {
            return done(.failure(error))
        }
        let target = cipher.stored(
            Array(stored.webhook.target.utf8), as: .target(of: stored.webhook.id))
        let state = cipher.stored(Array(stored.webhook.look.state.utf8), as: .look)
        change(
            .of(stored.space), { db, _ in try db.add(stored, target: target, state: state) },
            then: done)
    }

    package func webhooks(of space: Space) throws(StoreError) -> [Webhook] {
        let cipher = try atRest.cipher(of: space)
        let rows = try read { db throws(Database.Failure) in
            try db.all(
                """
                SELECT id, created, events, target, stopped, last_at, last_status, last_failure,
                    (SELECT count(*) FROM webhook_message
                     WHERE webhook = webhook.id AND due IS NOT NULL)
                FROM webhook WHERE space = ? AND length(secret) > 0 ORDER BY created, id
                """, space
            ) { row in
                let last = row.intOrNull(5).map {
                    Webhook.Attempt(
                        at: $0, status: row.intOrNull(6),
                        failure: row.isNull(7) ? nil : row.text(7))
                }
                return (
                    row.identifier(0), row.moment(1), row.text(2), row.bytes(3),
                    row.isNull(4) ? nil : Webhook.Stop(rawValue: row.text(4)) ?? .failing,
                    row.int(8), last
                )
            }
        }
        var webhooks: [Webhook] = []
        for (id, created, events, target, stopped, waiting, last) in rows {
            webhooks.append(
                Webhook(
                    id: id, created: created,
                    events: events.split(separator: " ").map(String.init),
                    target: try cipher.text(target, as: .target(of: id)), stopped: stopped,
                    waiting: waiting, last: last))
        }
        return webhooks
    }

    package func webhookSecret(
        _ id: Identifier, of space: Space
    ) throws(StoreError) -> [UInt8]? {
        try read { db throws(Database.Failure) in
            try db.first(
                "SELECT secret FROM webhook WHERE id = ? AND space = ?", id.bytes, space
            ) { $0.bytes(0) }
        }
    }

    package func removeWebhook(
        _ id: Identifier, of space: Space, entry: AuditEntry, then done: @escaping Done<Bool>
    ) {
        change(
            .of(space),
            { db, overlay in
                try db.run(
                    """
                    DELETE FROM webhook_message WHERE webhook =
                    (SELECT id FROM webhook WHERE id = ? AND space = ?)
                    """, id.bytes, space)
                guard try db.emptyWebhook(id, of: space, at: entry.now) else { return false }
                try db.run(
                    """
                    DELETE FROM webhook_look WHERE space = ?1 AND NOT EXISTS
                    (SELECT 1 FROM webhook WHERE space = ?1 AND length(secret) > 0)
                    """, space)
                try db.record(entry, of: space)
                overlay.emptiesLog = true
                return true
            }, then: done)
    }

    package func webhookSpaces() throws(StoreError) -> [Space] {
        try read { db throws(Database.Failure) in
            try db.all(
                "SELECT DISTINCT space FROM webhook WHERE length(secret) > 0 ORDER BY space"
            ) { $0.space(0) }
        }
    }

    package func webhookLooks(
        by now: Int64, besides others: Set<Identifier>
    ) throws(StoreError) -> [Space] {
        try read { db throws(Database.Failure) in
            var found: [Space] = []
            try db.forEachWhile(
                """
                SELECT space, name FROM webhook_look JOIN account USING (space)
                WHERE look <= ? AND disabled IS NULL AND deleted IS NULL ORDER BY look LIMIT ?
                """, now, WebhookLimits.atOnce + Int64(others.count)
            ) { row in
                if !others.contains(row.identifier(1)) { found.append(row.space(0)) }
                return found.count < WebhookLimits.atOnce
            }
            return found
        }
    }

    package func webhookLook(of space: Space) throws(StoreError) -> WebhookLook? {
        let row = try read { db throws(Database.Failure) in
            try db.first(
                """
                SELECT look, state FROM webhook_look JOIN account USING (space)
                WHERE space = ? AND disabled IS NULL AND deleted IS NULL
                """, space
            ) { ($0.moment(0), $0.bytes(1)) }
        }
        guard let (at, state) = row else { return nil }
        return WebhookLook(at: at, state: try atRest.cipher(of: space).text(state, as: .look))
    }

    package func add(
        _ messages: [WebhookMessage], of space: Space, look: WebhookLook?, now: Int64,
        then done: @escaping Done<Void>
    ) {
        let cipher: AccountCipher
        do throws(StoreError) { cipher = try atRest.cipher(of: space) } catch {
            return done(.failure(error))
        }
        let stored = messages.map { ($0, cipher.stored($0.body, as: .message($0.id))) }
        let known = look.map { ($0.at, cipher.stored(Array($0.state.utf8), as: .look)) }
        change(
            .of(space),
            { db, _ in
                for (message, body) in stored { try db.add(message, body, of: space, now) }
                guard let (at, state) = known else { return }
                try db.run(
                    "UPDATE webhook_look SET look = ?, state = ? WHERE space = ?", at, state, space)
                try db.noteLookDigest(of: space)
            }, then: done)
    }

    package func isDue(
        _ message: Identifier, of space: Space, by now: Int64
    ) throws(StoreError) -> Bool {
        try read { db throws(Database.Failure) in
            try db.first(
                """
                SELECT 1 FROM webhook_message AS message JOIN webhook ON webhook.id = webhook
                JOIN account USING (space)
                WHERE message.id = ? AND space = ? AND due <= ?
                    AND disabled IS NULL AND deleted IS NULL
                """, message.bytes, space, now
            ) { _ in true } ?? false
        }
    }

    package func dueMessages(
        by now: Int64, besides others: Set<Identifier>
    ) throws(StoreError) -> [StoredMessage] {
        // The first of each account: its messages are sent one after the other.
        let rows = try read { db throws(Database.Failure) in
            var rows: [DueRow] = []
            try db.forEachWhile(
                """
                SELECT message.id, webhook.id, webhook.space, name, target, secret, attempts, body
                FROM (SELECT m.id AS id, due,
                          row_number() OVER (PARTITION BY space ORDER BY due, m.id) AS turn
                      FROM webhook_message AS m JOIN webhook AS w ON w.id = m.webhook
                      WHERE due <= ?) AS first
                JOIN webhook_message AS message ON message.id = first.id
                JOIN webhook ON webhook.id = message.webhook
                JOIN account ON account.space = webhook.space
                WHERE turn = 1 AND disabled IS NULL AND deleted IS NULL ORDER BY first.due LIMIT ?
                """, now, WebhookLimits.atOnce + Int64(others.count)
            ) { row in
                if !others.contains(row.identifier(3)) { rows.append(DueRow(row)) }
                return rows.count < WebhookLimits.atOnce
            }
            return rows
        }
        return rows.map { row in
            // What cannot be decrypted is given up, and holds up nothing.
            let cipher = try? atRest.cipher(of: row.space)
            return StoredMessage(
                id: row.id, webhook: row.webhook, account: row.account, space: row.space,
                target: try? cipher?.text(row.target, as: .target(of: row.webhook)),
                sealed: row.sealed, attempts: row.attempts,
                body: (try? cipher?.text(row.body, as: .message(row.id))).map { Array($0.utf8) })
        }
    }

    package func note(
        _ delivery: WebhookDelivery, of message: Identifier, to webhook: Identifier,
        in space: Space, then done: @escaping Done<Void>
    ) {
        change(.of(space), { db, _ in try db.note(delivery, of: message, to: webhook) }, then: done)
    }
}

extension SQLDatabase where Self: ~Copyable {
    fileprivate mutating func add(
        _ stored: StoredWebhook, target: [UInt8], state: [UInt8]
    ) throws(Failure) -> WebhookAddition? {
        let (new, space) = (stored.webhook, stored.space)
        guard try isActive(space), try session(stored.maker) != nil else { return nil }
        let count = try first(
            "SELECT count(*) FROM webhook WHERE space = ? AND length(secret) > 0", space
        ) { $0.int(0) }
        guard count ?? 0 < new.countMax else { return .noRoom }
        try run(
            "INSERT INTO webhook (id, space, created, events, target, secret) VALUES (?, ?, ?, ?, ?, ?)",
            new.id.bytes, space, stored.entry.now, new.events.joined(separator: " "), target,
            stored.sealed)
        // With an earlier address what was known is newer.
        try run(
            "INSERT INTO webhook_look (space, look, state) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            space, new.look.at, state)
        try noteDigest(in: .address, of: new.id)
        try noteLookDigest(of: space)
        try record(stored.entry, of: space)
        return .added
    }

    fileprivate mutating func add(
        _ message: WebhookMessage, _ body: [UInt8], of space: Space, _ now: Int64
    ) throws(Failure) {
        try run(
            """
            INSERT INTO webhook_message (id, webhook, created, due, body)
            SELECT ?1, id, ?2, ?2, ?3 FROM webhook
            WHERE id = ?4 AND space = ?5 AND length(secret) > 0
            ON CONFLICT DO NOTHING
            """, message.id.bytes, now, body, message.webhook.bytes, space)
        guard try changed() == 1 else { return }
        try noteDigest(in: .message, of: message.id)
        try run(
            """
            DELETE FROM webhook_message WHERE id IN
            (SELECT id FROM webhook_message WHERE webhook = ? AND due IS NOT NULL
             ORDER BY created DESC, due DESC LIMIT 1000000000 OFFSET ?)
            """, message.webhook.bytes, WebhookLimits.waitingMax)
    }

    fileprivate mutating func note(
        _ delivery: WebhookDelivery, of message: Identifier, to webhook: Identifier
    ) throws(Failure) {
        let attempt = delivery.attempt
        try run(
            """
            UPDATE webhook_message SET attempts = attempts + 1, due = ?1,
                body = CASE WHEN ?1 IS NULL THEN ?3 ELSE body END WHERE id = ?2
            """, delivery.retry, message.bytes, [UInt8]())
        // One that was deleted while it was sent belongs to what has ended: it lifts no stop.
        guard try changed() == 1 else { return }
        let isGivenUp = attempt.failure != nil && delivery.retry == nil
        try run(
            """
            UPDATE webhook SET last_at = ?1, last_status = ?2, last_failure = ?3,
                failures = CASE WHEN ?3 IS NULL THEN 0 ELSE failures + ?4 END,
                stopped = CASE WHEN ?3 IS NULL THEN NULL WHEN ?5 = 1 THEN 'gone'
                    WHEN failures + ?4 >= ?6 THEN 'failing' ELSE stopped END
            WHERE id = ?7 AND length(secret) > 0
            """, attempt.at, attempt.status, attempt.failure, Int64(isGivenUp ? 1 : 0),
            Int64(delivery.isGone ? 1 : 0), WebhookLimits.givenUpMax, webhook.bytes)
        try noteDigest(in: .message, of: message)
        try noteDigest(in: .address, of: webhook)
        try run(
            """
            DELETE FROM webhook_message WHERE webhook = ?1 AND
            (due IS NULL AND created < ?2 OR due IS NOT NULL AND
             (SELECT stopped FROM webhook WHERE id = ?1) IN ('gone', 'failing'))
            """, webhook.bytes, attempt.at - WebhookLimits.kept)
        try run(
            """
            DELETE FROM webhook_message WHERE id IN
            (SELECT id FROM webhook_message WHERE webhook = ? AND due IS NULL
             ORDER BY created DESC LIMIT 1000000000 OFFSET ?)
            """, webhook.bytes, WebhookLimits.keptMax)
    }

    /// Encrypts the addresses and messages that are stored as they are.
    mutating func encryptWebhooks(_ atRest: AtRest) throws {
        let plain = try all(
            "SELECT id, space, target FROM webhook WHERE substr(target, 1, 1) <> x'FF' AND length(secret) > 0"
        ) { ($0.identifier(0), $0.space(1), $0.bytes(2)) }
        for (id, space, target) in plain {
            try run(
                "UPDATE webhook SET target = ? WHERE id = ?",
                try atRest.cipher(of: space).stored(target, as: .target(of: id)), id.bytes)
            try noteDigest(in: .address, of: id)
        }
        let messages = try all(
            """
            SELECT webhook_message.id, space, body FROM webhook_message
            JOIN webhook ON webhook.id = webhook
            WHERE due IS NOT NULL AND substr(body, 1, 1) <> x'FF'
            """
        ) { ($0.identifier(0), $0.space(1), $0.bytes(2)) }
        for (id, space, body) in messages {
            try run(
                "UPDATE webhook_message SET body = ? WHERE id = ?",
                try atRest.cipher(of: space).stored(body, as: .message(id)), id.bytes)
            try noteDigest(in: .message, of: id)
        }
        let looks = try all(
            "SELECT space, state FROM webhook_look WHERE substr(state, 1, 1) <> x'FF'"
        ) { ($0.space(0), $0.bytes(1)) }
        for (space, state) in looks {
            try run(
                "UPDATE webhook_look SET state = ? WHERE space = ?",
                try atRest.cipher(of: space).stored(state, as: .look), space)
            try noteLookDigest(of: space)
        }
    }
}

extension AccountCipher {
    fileprivate func text(
        _ stored: [UInt8], as context: Context
    ) throws(StoreError) -> String {
        guard
            let text = plain(stored, as: context).flatMap({ String(validating: $0, as: UTF8.self) })
        else { throw .failed("what is stored of a webhook cannot be decrypted") }
        return text
    }
}

extension AccountCipher.Context {
    /// An address to which messages are sent.
    fileprivate static func target(of webhook: Identifier) -> Self {
        Self(bytes: [4] + webhook.bytes)
    }
    /// A message that waits.
    fileprivate static func message(_ id: Identifier) -> Self { Self(bytes: [5] + id.bytes) }
    /// What was known of a log when it was last looked at.
    fileprivate static let look = Self(bytes: [6])
}
