/// Logs, photos and messages, on several stores.
package import MacrologEvents
package import MacrologWire

extension PlacedStore {
    // MARK: Logs

    package func head(of space: Space) throws(StoreError) -> SpaceHead {
        try finder.read(of: space) { store throws(StoreError) in try store.head(of: space) }
    }

    package func standing(
        of device: Identifier, in space: Space, at cursor: LogNumber
    ) throws(StoreError) -> Standing {
        try finder.readAtOnce(of: space) { store throws(StoreError) in
            let found = try store.placedStanding(of: device, in: space, at: cursor)
            return (found.standing, found.away)
        }
    }

    package func digests(
        of space: Space, upTo ns: [LogNumber]
    ) throws(StoreError) -> [PrefixDigest] {
        try finder.read(of: space) { store throws(StoreError) in
            try store.digests(of: space, upTo: ns)
        }
    }

    package func page(
        of space: Space, after n: LogNumber, for device: Identifier, limits: PageLimits
    ) throws(StoreError) -> Page {
        try finder.read(of: space) { store throws(StoreError) in
            try store.page(of: space, after: n, for: device, limits: limits)
        }
    }

    package func push(_ push: Push, then done: @escaping Done<PushOutcome>) {
        finder.change(of: push.space, { $0.push(push, then: $1) }, then: done)
    }

    package func eventBytes(of space: Space) throws(StoreError) -> Int64 {
        try finder.read(of: space) { store throws(StoreError) in try store.eventBytes(of: space) }
    }

    package func recover(_ recover: Recover, then done: @escaping Done<RecoveryOutcome>) {
        finder.change(of: recover.space, { $0.recover(recover, then: $1) }, then: done)
    }

    // MARK: Photos

    package func blob(_ key: BlobKey) throws(StoreError) -> Int64? {
        try finder.read(of: key.space) { store throws(StoreError) in try store.blob(key) }
    }

    package func blobBytes(of space: Space) throws(StoreError) -> Int64 {
        try finder.read(of: space) { store throws(StoreError) in try store.blobBytes(of: space) }
    }

    package func blobs(
        of space: Space
    ) throws(StoreError) -> [(key: BlobKey, bytes: Int64)] {
        try finder.read(of: space) { store throws(StoreError) in try store.blobs(of: space) }
    }

    package func keep(
        _ key: BlobKey, bytes: Int64, quota: Int64, now: Int64, then done: @escaping Done<Bool>
    ) {
        finder.change(
            of: key.space, { $0.keep(key, bytes: bytes, quota: quota, now: now, then: $1) },
            then: done)
    }

    package func unreferenced(before: Int64) throws(StoreError) -> [BlobKey] {
        gathered(\.space) { store throws(StoreError) in try store.unreferenced(before: before) }
    }

    package func forget(_ key: BlobKey, before: Int64, then done: @escaping Done<Bool>) {
        finder.change(of: key.space, { $0.forget(key, before: before, then: $1) }, then: done)
    }

    // MARK: Messages

    package func add(_ webhook: StoredWebhook, then done: @escaping Done<WebhookAddition?>) {
        finder.change(of: webhook.space, { $0.add(webhook, then: $1) }, then: done)
    }

    package func webhooks(of space: Space) throws(StoreError) -> [Webhook] {
        try finder.read(of: space) { store throws(StoreError) in try store.webhooks(of: space) }
    }

    package func webhookSecret(
        _ id: Identifier, of space: Space
    ) throws(StoreError) -> [UInt8]? {
        try finder.read(of: space) { store throws(StoreError) in
            try store.webhookSecret(id, of: space)
        }
    }

    package func removeWebhook(
        _ id: Identifier, of space: Space, entry: AuditEntry, then done: @escaping Done<Bool>
    ) {
        finder.change(
            of: space, { $0.removeWebhook(id, of: space, entry: entry, then: $1) }, then: done)
    }

    package func webhookSpaces() throws(StoreError) -> [Space] {
        gathered(\.self) { store throws(StoreError) in try store.webhookSpaces() }
    }

    /// As many of each store, so that none waits for the accounts of another.
    package func webhookLooks(
        by now: Int64, besides others: Set<Identifier>
    ) throws(StoreError) -> [Space] {
        gathered(\.self) { store throws(StoreError) in
            try store.webhookLooks(by: now, besides: others)
        }
    }

    package func webhookLook(of space: Space) throws(StoreError) -> WebhookLook? {
        try finder.read(of: space) { store throws(StoreError) in
            try store.webhookLook(of: space)
        }
    }

    package func add(
        _ messages: [WebhookMessage], of space: Space, look: WebhookLook?, now: Int64,
        then done: @escaping Done<Void>
    ) {
        finder.change(
            of: space, { $0.add(messages, of: space, look: look, now: now, then: $1) }, then: done)
    }

    package func dueMessages(
        by now: Int64, besides others: Set<Identifier>
    ) throws(StoreError) -> [StoredMessage] {
        gathered(\.space) { store throws(StoreError) in
            try store.dueMessages(by: now, besides: others)
        }
    }

    package func isDue(
        _ message: Identifier, of space: Space, by now: Int64
    ) throws(StoreError) -> Bool {
        try finder.read(of: space) { store throws(StoreError) in
            try store.isDue(message, of: space, by: now)
        }
    }

    package func note(
        _ delivery: WebhookDelivery, of message: Identifier, to webhook: Identifier,
        in space: Space, then done: @escaping Done<Void>
    ) {
        finder.change(
            of: space, { $0.note(delivery, of: message, to: webhook, in: space, then: $1) },
            then: done)
    }
}
