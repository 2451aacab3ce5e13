/// What the gateway asks of the server for the addresses to which accounts have messages sent.
package import MacrologEvents
package import MacrologHTTP

extension SyncServer {
    /// The server's clock, in milliseconds since 1970 UTC.
    package var now: Int64 { clock() }

    /// The addresses of an account, the oldest first.
    package func webhooks(of caller: Caller) throws(Problem) -> [Webhook] {
        do throws(StoreError) { return try store.webhooks(of: caller.space) } catch {
            throw error.problem
        }
    }

    /// Adds an address, if the caller's session is still there. The same request once more changes nothing.
    package func add(
        _ new: NewWebhook, of caller: Caller, for request: HTTPRequest,
        then done: @escaping @Sendable (Result<WebhookAddition, Problem>) -> Void
    ) {
        do throws(StoreError) {
            if let sealed = try store.webhookSecret(new.id, of: caller.space) {
                guard !sealed.isEmpty else { return done(.success(.removed)) }
                let isSame = secrets.open(webhookSecret: sealed, of: new.id) == new.secret
                return done(.success(isSame ? .known : .taken))
            }
        } catch {
            return done(.failure(error.problem))
        }
        let stored = StoredWebhook(
            space: caller.space, maker: caller.session, webhook: new,
            sealed: secrets.seal(webhookSecret: new.secret, of: new.id),
            entry: entry(.webhookAdded, caller, request))
        store.add(stored) { result in
            switch result {
            case .success(let addition?): done(.success(addition))
            case .success(nil): done(.failure(.unauthorized))
            case .failure(let error): done(.failure(error.problem))
            }
        }
    }

    /// Removes an address with everything that waits for it; `false` if the account has no such address.
    package func removeWebhook(
        _ id: Identifier, of caller: Caller, for request: HTTPRequest,
        then done: @escaping @Sendable (Result<Bool, Problem>) -> Void
    ) {
        store.removeWebhook(
            id, of: caller.space, entry: entry(.webhookRemoved, caller, request)
        ) { done($0.mapError { $0.problem }) }
    }

    private func entry(
        _ event: AuditEvent, _ caller: Caller, _ request: HTTPRequest
    ) -> AuditEntry {
        AuditEntry(
            event: event, network: network(of: request), device: caller.label, now: clock())
    }

    /// Whose logs are to be looked at by now for something to tell, besides some accounts.
    package func webhookLooks(
        by now: Int64, besides others: Set<Identifier>
    ) throws(Problem) -> [Caller] {
        do throws(StoreError) {
            return try store.webhookLooks(by: now, besides: others).compactMap {
                try? owner(of: $0)
            }
        } catch {
            throw error.problem
        }
    }

    /// What was known when an account's log was last looked at; `nil` if it has no address, or is
    /// not active.
    package func webhookLook(of caller: Caller) throws(Problem) -> WebhookLook? {
        do throws(StoreError) { return try store.webhookLook(of: caller.space) } catch {
            throw error.problem
        }
    }

    /// Keeps messages until they are sent, and what is known now, together. A message that was kept before is
    /// not kept again.
    package func keep(
        _ messages: [WebhookMessage], of caller: Caller, look: WebhookLook? = nil,
        then done: @escaping @Sendable (Result<Void, Problem>) -> Void
    ) {
        store.add(messages, of: caller.space, look: look, now: clock()) {
            done($0.mapError { $0.problem })
        }
    }

    /// The messages that are due, one for each account besides some.
    package func dueMessages(
        by now: Int64, besides others: Set<Identifier>
    ) throws(Problem) -> [DueMessage] {
        do throws(StoreError) {
            return try store.dueMessages(by: now, besides: others).map { stored in
                let secret = secrets.open(webhookSecret: stored.sealed, of: stored.webhook)
                var content: (String, [UInt8], [UInt8])?
                if let target = stored.target, let secret, let body = stored.body {
                    content = (target, secret, body)
                }
                return DueMessage(
                    id: stored.id, webhook: stored.webhook, account: stored.account,
                    space: stored.space, content: content, attempts: stored.attempts)
            }
        } catch {
            throw error.problem
        }
    }

    /// Whether this process may send the messages of an account, which no other one does within a minute from now.
    package func maySend(_ message: DueMessage) throws(Problem) -> Bool {
        do throws(StoreError) {
            return try store.lease(
                .messages(of: message.space), milliseconds: WebhookLimits.lease)
        } catch {
            throw error.problem
        }
    }

    /// Whether a message is still to be sent: its address or its account may have gone since it was read.
    package func isDue(_ message: DueMessage, by now: Int64) throws(Problem) -> Bool {
        do throws(StoreError) {
            return try store.isDue(message.id, of: message.space, by: now)
        } catch {
            throw error.problem
        }
    }

    /// Notes what became of an attempt.
    package func note(
        _ delivery: WebhookDelivery, of message: DueMessage,
        then done: @escaping @Sendable (Result<Void, Problem>) -> Void
    ) {
        store.note(delivery, of: message.id, to: message.webhook, in: message.space) {
            done($0.mapError { $0.problem })
        }
    }

    /// Whether any account has an address, also one that is disabled; or may have one, of which another process knows.
    package func mayHaveWebhooks() throws(Problem) -> Bool {
        if store.isShared { return true }
        do throws(StoreError) { return try !store.webhookSpaces().isEmpty } catch {
            throw error.problem
        }
    }

    /// The accounts that have an address.
    package func webhookAccounts() throws(Problem) -> [Caller] {
        do throws(StoreError) {
            return try store.webhookSpaces().compactMap { try? owner(of: $0) }
        } catch {
            throw error.problem
        }
    }

    /// The owner of a space, as one who asks without a session; `nil` if the account is disabled or deleted.
    private func owner(of space: Space) throws(StoreError) -> Caller? {
        guard let account = try store.account(of: space), !account.isDisabled else { return nil }
        return Caller(
            account: account.name, session: account.name, right: nil, label: "", space: space)
    }
}
