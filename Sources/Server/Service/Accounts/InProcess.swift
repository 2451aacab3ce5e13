/// What the gateway, which runs in the same process, asks of the server besides requests: who sends one,
/// how far the log of an account goes, and a session of its own for each account.
package import MacrologEvents
package import MacrologHTTP
import MacrologSystem
import Synchronization

/// The sender of a request: an account, by one of its sessions.
package struct Caller: Hashable, Sendable {
    /// The name of the account.
    package let account: Identifier
    /// The session.
    package let session: Identifier
    /// Of a token: what it may do; `nil` for a device, which may do everything.
    package let right: TokenRight?
    /// The owner's name of the device or the token.
    let label: String
    /// Where the account's log is.
    let space: Space

    /// Names the account among all that a server has or had: of no two, even after a restore.
    package var folder: String { "\(space)-\(account)" }
}

extension SyncServer {
    /// The account and the session of a request's access token.
    package func caller(of request: HTTPRequest) throws(Problem) -> Caller {
        let session = try sessions.identify(request, now: clock())
        return Caller(
            account: session.account, session: session.id, right: session.right,
            label: session.label, space: session.space)
    }

    /// Refuses a caller whose session has ended since then. Its access token may have expired meanwhile.
    package func requireSession(of caller: Caller) throws(Problem) {
        let session: StoredSession?
        do throws(StoreError) { session = try store.session(caller.session) } catch {
            throw error.problem
        }
        guard session != nil else { throw sessions.refusal(of: caller.session) }
    }

    /// When the caller's token ends, in milliseconds since 1970 UTC; `nil` for a device.
    package func end(of caller: Caller) throws(Problem) -> Int64? {
        guard caller.right != nil else { return nil }
        do throws(StoreError) { return try store.session(caller.session)?.expires } catch {
            throw error.problem
        }
    }

    /// The number of the last event of the caller's log; 0 for none. Usually from memory.
    package func head(of caller: Caller) throws(Problem) -> Int64 {
        do throws(StoreError) { return try store.head(of: caller.space).n.rawValue } catch {
            throw error.problem
        }
    }

    /// The caller's account; `nil` of one that was deleted meanwhile.
    package func account(of caller: Caller) throws(Problem) -> Account? {
        do throws(StoreError) { return try store.account(of: caller.space) } catch {
            throw error.problem
        }
    }

    /// Does something for a request that must be carried out once, while no other process does it for the same one.
    ///
    /// - Parameter request: `nil` for one that may be carried out each time.
    package func alone<T>(with request: Identifier?, _ body: () throws -> T) throws -> T {
        guard let request, store.isShared else { return try body() }
        let task = Lease.request(request)
        let deadline = SystemClock.monotonicMilliseconds + Self.aloneWait
        do throws(StoreError) {
            while try !store.lease(task, milliseconds: Self.aloneLease) {
                guard SystemClock.monotonicMilliseconds < deadline else { throw .busy }
                SystemClock.sleep(milliseconds: Int64.random(in: 5...50))
            }
        } catch {
            throw error.problem
        }
        defer { store.release(task) }
        return try body()
    }

    /// How long another process is waited for, in milliseconds.
    private static let aloneWait: Int64 = 10_000
    /// For how long one process has a request, in milliseconds: longer than a change is tried.
    private static let aloneLease: Int64 = 90_000

    /// Whether the server would take events of an account now.
    ///
    /// - Parameter sizes: The size of each event, in bytes.
    /// - Throws: ``Problem`` if there is no room for all, or the account sends too often.
    package func checkRoom(for sizes: [Int], of caller: Caller) throws(Problem) {
        guard !sizes.isEmpty else { return }
        let quota = quota
        let fitting: Int
        do throws(StoreError) {
            fitting = quota.fitting(
                sizes, besides: try store.head(of: caller.space).n,
                try store.eventBytes(of: caller.space))
        } catch {
            throw error.problem
        }
        guard fitting == sizes.count else {
            noteOverQuota(caller.space)
            throw .eventQuota(quota)
        }
        try limiters[.pushByAccount]?.check(caller.account.bytes, now: clock())
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
            case .success(true):
                // What is known of the earlier one has its end.
                sessions.revoke([id])
                done(.success(accessToken(id, of: caller, now: now)))
            case .success(false): done(.failure(.unauthorized))
            case .failure(let error): done(.failure(error.problem))
            }
        }
    }

    /// 32 bytes that no one can guess: the same ones for the same name, others without one.
    package func unguessable(_ name: Identifier?) -> [UInt8] {
        name.map { secrets.digest(ofShare: $0.bytes) } ?? random(32)
    }

    /// The id of what is shown under a token, 64 hexadecimal digits; `nil` if nothing is.
    package func share(token digits: String) throws(Problem) -> Identifier? {
        guard let token = BlobKey.name(digits: digits.utf8) else { return nil }
        do throws(StoreError) {
            return try store.share(token: secrets.digest(ofShare: token), now: clock())?.id
        } catch {
            throw error.problem
        }
    }

    /// Calls a closure, which must not block, whenever the caller's log has grown, or a session of the account
    /// has ended.
    ///
    /// - Returns: Ends it.
    package func watch(
        _ caller: Caller, _ grown: @escaping @Sendable () -> Void
    ) -> @Sendable () -> Void {
        let number = growth.add(caller.space, grown)
        return { [growth] in growth.remove(number, of: caller.space) }
    }

    /// Records in an account's audit trail that a provider of models was asked, and what it counted.
    package func recordAnalysis(
        by caller: Caller, of request: HTTPRequest, _ provider: String, tokens: Int64
    ) {
        var entry = AuditEntry(event: .analyzed, network: network(of: request), now: clock())
        entry.device = "\(provider), \(tokens) tokens"
        store.record(entry, of: caller.space)
    }

    /// Counts one analysis of an account's day. A restart does not forget it.
    ///
    /// - Parameters:
    ///   - caller: `nil` for all people without an account.
    ///   - done: Receives `nil` if it was counted; or, if there were as many already, the milliseconds until
    ///     the next day begins.
    package func countAnalysis(
        of caller: Caller?, atMost countMax: Int64,
        then done: @escaping @Sendable (Result<Int64?, Problem>) -> Void
    ) {
        store.countAnalysis(of: caller?.space, atMost: countMax, now: clock()) { result in
            done(result.mapError { $0.problem })
        }
    }

    /// What the requests of one stranger have in common: an IPv4 address, or an IPv6 /48, of which one
    /// customer may have all networks.
    package func site(of request: HTTPRequest) -> [UInt8] {
        let network = Network.key(of: Network.address(of: request, proxies: settings.proxies))
        return Network.site(of: network) ?? network
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
