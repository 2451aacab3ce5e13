/// What the gateway, which runs in the same process, asks of the server besides requests: who sends one,
/// how far the log of an account goes, and a session of its own for each account.
package import MacrologEvents
package import MacrologHTTP
import Synchronization

/// The sender of a request: an account, by one of its sessions.
package struct Caller: Hashable, Sendable {
    /// The name of the account.
    package let account: Identifier
    /// The session.
    package let session: Identifier
    /// Where the account's log is.
    let space: Space

    /// Names the account among all that a server has or had: of no two, even after a restore.
    package var folder: String { "\(space)-\(account)" }
}

extension SyncServer {
    /// The account and the session of a request's access token.
    package func caller(of request: HTTPRequest) throws(Problem) -> Caller {
        let session = try sessions.authenticate(request, now: clock())
        return Caller(account: session.account, session: session.id, space: session.space)
    }

    /// The number of the last event of the caller's log; 0 for none. Usually from memory.
    package func head(of caller: Caller) throws(Problem) -> Int64 {
        do throws(StoreError) { return try store.head(of: caller.space).n.rawValue } catch {
            throw error.problem
        }
    }

    /// Begins or continues the one session of the gateway for the caller's account, and returns an access
    /// token of it. Its id follows from the account, so that an account has one, whatever happens.
    ///
    /// - Parameter label: What the owner sees in the list of devices.
    package func gatewayToken(
        for caller: Caller, label: String,
        then done: @escaping @Sendable (Result<String, Problem>) -> Void
    ) {
        let now = clock()
        let id = Identifier.v5(namespace: caller.account, name: "gateway")
        do throws(StoreError) {
            if let stored = try store.session(id), now < stored.expires - SessionLimits.idle {
                return done(.success(accessToken(id, of: caller, now: now)))
            }
        } catch {
            return done(.failure(error.problem))
        }
        store.beginOwn(id, of: caller.space, label: label, now: now) { [self] result in
            switch result {
            case .success(true): done(.success(accessToken(id, of: caller, now: now)))
            case .success(false): done(.failure(.unauthorized))
            case .failure(let error): done(.failure(error.problem))
            }
        }
    }

    /// Calls a closure, which must not block, whenever the caller's log has grown.
    ///
    /// - Returns: Ends it.
    package func watch(
        _ caller: Caller, _ grown: @escaping @Sendable () -> Void
    ) -> @Sendable () -> Void {
        let number = growth.add(caller.space, grown)
        return { [growth] in growth.remove(number, of: caller.space) }
    }

    /// Sets what is called when accounts were deleted. It must not block.
    package func onDeletion(_ body: @escaping @Sendable () -> Void) {
        deletionWatcher.withLock { $0 = body }
    }

    /// The account of a ``Caller/folder``; `nil` if it is none of this server any more.
    package func account(ofFolder name: String) -> Identifier? {
        let parts = name.split(separator: "-", maxSplits: 1)
        guard parts.count == 2, let space = Space(parts[0]), let id = Identifier(String(parts[1])),
            let account = try? store.account(of: space), account.name == id
        else { return nil }
        return id
    }

    private func accessToken(_ session: Identifier, of caller: Caller, now: Int64) -> String {
        AccessToken(
            session: session, account: caller.account, issued: now / 1_000, id: random(12)
        ).signed(by: secrets.tokens)
    }
}
