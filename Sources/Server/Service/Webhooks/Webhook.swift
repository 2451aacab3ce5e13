/// Addresses to which an account has messages sent: what the server stores of them. What the messages say is
/// decided elsewhere. All times are milliseconds since 1970 UTC.
package import MacrologEvents

/// An address as its owner sees it.
package struct Webhook: Sendable {
    package let id: Identifier
    package let created: Int64
    /// Which messages are sent to it.
    package let events: [String]
    /// The address.
    package let target: String
    /// Why nothing is sent to it any more; `nil` while it is.
    package let stopped: Stop?
    /// Messages that wait for their next attempt.
    package let waiting: Int64
    /// The last attempt; `nil` before the first.
    package let last: Attempt?

    /// One attempt to send a message.
    package struct Attempt: Sendable {
        package let at: Int64
        /// The status of the answer; `nil` for no answer.
        package let status: Int64?
        /// Why it failed; `nil` if the message was taken.
        package let failure: String?

        /// Memberwise initializer.
        package init(at: Int64, status: Int64?, failure: String?) {
            self.at = at
            self.status = status
            self.failure = failure
        }
    }

    /// Why nothing is sent to an address any more. A message that it takes ends it.
    package enum Stop: String, Sendable {
        /// It answered 410.
        case gone
        /// Messages were given up one after the other.
        case failing
        /// The server was restored from a copy in which the address may have been removed.
        case restored
        /// The password was set: someone else may have added the address.
        case password
    }
}

/// An address to add.
package struct NewWebhook: Sendable {
    package let id: Identifier
    package let events: [String]
    package let target: String
    /// What messages are signed with.
    package let secret: [UInt8]
    /// How many an account may have.
    package let countMax: Int64
    /// What is known when it is added, for ``SyncServer/webhookLooks(by:)``.
    package let look: WebhookLook

    /// Memberwise initializer.
    package init(
        id: Identifier, events: [String], target: String, secret: [UInt8], countMax: Int64,
        look: WebhookLook
    ) {
        self.id = id
        self.events = events
        self.target = target
        self.secret = secret
        self.countMax = countMax
        self.look = look
    }
}

/// When to look again for something to tell, and what was known before: text that the server keeps as it is.
package struct WebhookLook: Hashable, Sendable {
    package let at: Int64
    package let state: String

    /// Memberwise initializer.
    package init(at: Int64, state: String) {
        self.at = at
        self.state = state
    }
}

/// The outcome of adding an address.
package enum WebhookAddition: Hashable, Sendable {
    case added
    /// The same request has added it before.
    case known
    /// There is another one with this id.
    case taken
    /// The account had one with this id, and removed it: it stays removed.
    case removed
    /// The account has as many as it may.
    case noRoom
}

/// A message to send to one address.
package struct WebhookMessage: Sendable {
    package let id: Identifier
    package let webhook: Identifier
    /// JSON.
    package let body: [UInt8]

    /// Memberwise initializer.
    package init(id: Identifier, webhook: Identifier, body: [UInt8]) {
        self.id = id
        self.webhook = webhook
        self.body = body
    }
}

/// A message whose next attempt is due.
package struct DueMessage: Sendable {
    package let id: Identifier
    package let webhook: Identifier
    package let account: Identifier
    let space: Space
    /// What is sent; `nil` if it cannot be decrypted any more.
    package let content: (target: String, secret: [UInt8], body: [UInt8])?
    /// Attempts before this one.
    package let attempts: Int64
}

/// What became of an attempt.
package struct WebhookDelivery: Sendable {
    package let attempt: Webhook.Attempt
    /// When it is tried again; `nil` if the message was taken or given up.
    package let retry: Int64?
    /// Whether the address is no more.
    package let isGone: Bool

    /// Memberwise initializer.
    package init(_ attempt: Webhook.Attempt, retry: Int64?, isGone: Bool = false) {
        self.attempt = attempt
        self.retry = retry
        self.isGone = isGone
    }
}

/// Limits that an operator cannot change.
package enum WebhookLimits {
    /// Messages that wait for one address; the oldest ones go first.
    package static let waitingMax: Int64 = 100
    /// How many messages are given up in a row before nothing more is sent.
    package static let givenUpMax: Int64 = 10
    /// How long the ids of messages are kept, so that none is made twice, in milliseconds.
    package static let kept: Int64 = 3 * 86_400_000
    /// How many of these ids an address has; the oldest ones go first.
    package static let keptMax: Int64 = 1_000
    /// Of how many addresses that an account removed the ids are kept, so that none is added twice; the oldest
    /// ones go first.
    package static let removedMax: Int64 = 1_000
    /// How many messages, or accounts, are read at once.
    package static let atOnce: Int64 = 64
    /// For how long one process sends the messages of an account before another may, in milliseconds: much longer
    /// than an attempt takes.
    package static let lease: Int64 = 60_000
}
