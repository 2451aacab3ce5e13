import Dispatch
import MacrologEvents
import MacrologHTTP
import MacrologLog
import MacrologReadModels
import Synchronization

/// The state of a replica's photos.
public struct PhotoStatus: Hashable, Sendable {
    /// Photos that entries name.
    package let named: Int64
    /// Photos of entries that are not on this device: ``Account/fetchPhotos()`` downloads them.
    public let missing: Int64
    /// Photos of entries that were damaged on this device and that the server has not confirmed: this
    /// device may be the only one that has them.
    public let damaged: Int64
    /// Photos of entries that this device has, and that the server has not confirmed.
    public let waiting: Int64
    /// Why the last upload failed, in a sentence; `nil` when it succeeded.
    public let lastError: String?

    /// Collects the parts.
    package init(
        named: Int64, missing: Int64, damaged: Int64, waiting: Int64, lastError: String?
    ) {
        self.named = named
        self.missing = missing
        self.damaged = damaged
        self.waiting = waiting
        self.lastError = lastError
    }
}

extension Replica {
    /// The folder of this device's photos.
    package var blobs: BlobFolder { BlobFolder(of: path) }

    /// A photo's bytes, which match its name; `nil` while it is not on this device.
    public func photo(_ name: [UInt8]) throws -> [UInt8]? { try blobs.read(name) }

    /// Whether a photo was on this device, whose disk damaged it. Known after it was read.
    package func hasDamagedPhoto(_ name: [UInt8]) -> Bool {
        // In a folder that is read-only it is still where it was.
        blobs.isSetAside(name) || blobs.bytes(of: name) != nil
    }

    /// The state of the photos, without asking the network.
    public func photoStatus() throws -> PhotoStatus {
        let (now, folder) = (now, blobs)
        return try withStore { store in
            let names = try store.blobNames()
            let open = try store.blobsToOffer(now: now, believed: PhotoQueue.believed)
            return PhotoStatus(
                named: Int64(names.count),
                missing: Int64(names.count { folder.bytes(of: $0) == nil }),
                damaged: Int64(open.count { folder.isSetAside($0) }),
                waiting: Int64(open.count { folder.bytes(of: $0) != nil }),
                lastError: try SyncMemory.photoError(in: &store.db))
        }
    }
}

extension SyncError {
    /// Whether the next photo may succeed.
    fileprivate var concernsOnePhoto: Bool {
        switch code {
        case .storage, .malformed: true
        case .refused(let status, _, _): [400, 404, 409, 413, 415].contains(status)
        case .notTheServer(let status): status == 413
        case .transport, .unsupportedVersion, .divergent, .damaged, .rolledBack: false
        }
    }

    /// Whether this device could not store something.
    fileprivate var concernsDisk: Bool {
        if case .storage = code { true } else { false }
    }
}

extension Account {
    /// Uploads every photo on this device that the server has not confirmed. Events never wait for
    /// it: ``sync(sharesFile:progress:)`` calls it after they have been exchanged, and ignores its
    /// failures.
    ///
    /// - Returns: How many were sent.
    /// - Throws: ``AccountError``; what has been sent so far is kept, even part of a photo.
    @discardableResult
    package func sendPhotos(sharesFile: Bool = false) async throws -> Int {
        do {
            let sent = try await carryPhotos(sharesFile: sharesFile)
            try remember(photoError: nil)
            return sent
        } catch let error as SyncError {
            try remember(photoError: error.description)
            throw AccountError(error)
        }
    }

    private func carryPhotos(sharesFile: Bool) async throws -> Int {
        guard let session = try session else { throw AccountError.loggedOut }
        try requireOwner(session)
        let (server, transport) = (session.server, connect(try origin(session.server)))
        let queue = PhotoQueue(folder: replica.blobs, transport: transport)
        let (replica, now) = (replica, replica.now)
        let (waiting, epoch) = try replica.withStore {
            (try queue.waiting(in: &$0, now: now), $0.log.epoch)
        }
        var (sent, firstError) = (0, SyncError?.none)
        for name in waiting {
            try Task.checkCancellation()
            if sharesFile { replica.releaseFile() }
            do {
                try await offload(cancelling: transport, on: photoQueue) { [self] in
                    try queue.send(name, accessToken: self.session(at: server).accessToken)
                    try replica.withStore {
                        try $0.noteBlob(name, epoch: epoch, at: now)
                    }
                }
                sent += 1
            } catch let error as SyncError where error.concernsOnePhoto {
                // This photo stays where it is; the others are tried.
                firstError = firstError ?? error
            }
        }
        if let firstError { throw firstError }
        return sent
    }

    private func remember(photoError: String?) throws {
        try replica.withStore { store in
            guard try SyncMemory.photoError(in: &store.db) != photoError else { return }
            try SyncMemory.note(photoError: photoError, in: &store.db)
        }
    }

    /// A photo's bytes, from this device or else from the server; then it is stored here.
    ///
    /// - Throws: ``PhotoError/notArrived`` when neither has it, or ``PhotoError/unusable(_:file:)`` when this
    ///   device had it, and its disk damaged it; ``AccountError`` when the server cannot be asked, or the
    ///   session is one of another account than the log's.
    public func photo(_ name: [UInt8]) async throws -> [UInt8] {
        do { return try await fetchPhoto(name) } catch let error as SyncError {
            throw AccountError(error)
        }
    }

    private func fetchPhoto(_ name: [UInt8]) async throws -> [UInt8] {
        if let bytes = try replica.photo(name) { return bytes }
        guard let session = try session else { throw AccountError.loggedOut }
        try requireOwner(session)
        let (server, transport) = (session.server, connect(try origin(session.server)))
        let queue = PhotoQueue(folder: replica.blobs, transport: transport)
        let isHere = try await renewing(
            transport, at: server, on: fetchQueue, session.accessToken
        ) { token in try queue.fetch(name, accessToken: token) }
        guard isHere, let bytes = try replica.photo(name) else {
            throw replica.hasDamagedPhoto(name) ? PhotoError.damagedHere : .notArrived
        }
        let (now, replica) = (replica.now, replica)
        try replica.withStore {
            let epoch = $0.log.epoch
            try $0.noteBlob(name, epoch: epoch, at: now)
        }
        return bytes
    }

    /// Downloads every photo that an entry names and that is not here yet. One that cannot be had keeps no
    /// other waiting.
    ///
    /// - Returns: How many arrived, and how many the server does not have.
    /// - Throws: ``AccountError``, after all others where one photo alone is at fault. What has arrived is
    ///   kept.
    public func fetchPhotos() async throws -> (fetched: Int, missing: Int) {
        let folder = replica.blobs
        let absent = try replica.withStore { try $0.blobNames() }.filter {
            folder.bytes(of: $0) == nil
        }
        var (fetched, missing, firstError) = (0, 0, SyncError?.none)
        for name in absent {
            try Task.checkCancellation()
            do {
                _ = try await fetchPhoto(name)
                fetched += 1
            } catch let error as PhotoError where error == .notArrived || error == .damagedHere {
                missing += 1
            } catch let error as SyncError {
                // A folder that cannot be used takes no other photo either.
                guard error.concernsOnePhoto, !error.concernsDisk else { throw AccountError(error) }
                firstError = firstError ?? error
            }
        }
        if let firstError { throw AccountError(firstError) }
        return (fetched, missing)
    }

    /// Sends a request with the access token, and once more with a new one if that has expired.
    ///
    /// - Throws: ``SyncError``, and what the session's store throws.
    func renewing<T: Sendable>(
        _ transport: any Transport, at server: String, on queue: DispatchQueue, _ token: String,
        _ work: @escaping @Sendable (String) throws -> T
    ) async throws -> T {
        do {
            return try await offload(cancelling: transport, on: queue) { try work(token) }
        } catch let error as SyncError where error.errorClass == .unauthorized {
            let token = try await renewTokens(transport, at: server, refused: token)
            return try await offload(cancelling: transport, on: queue) { try work(token) }
        }
    }

    /// Exchanges the refresh token for the next pair of tokens, once others are renewed.
    ///
    /// - Parameters:
    ///   - server: The server to which the transport leads.
    ///   - refused: The access token that the server has refused. Another one is stored if it has been renewed
    ///     meanwhile, and is not renewed again.
    /// - Returns: The access token.
    @discardableResult
    func renewTokens(
        _ transport: any Transport, at server: String, refused: String? = nil
    ) async throws -> String {
        try await offload(cancelling: transport, on: renewalQueue) { [self] in
            var session = try session(at: server)
            if let refused, session.accessToken != refused { return session.accessToken }
            let tokens = try AccountExchange.tokens(
                Self.send(AccountExchange.refresh(session.refreshToken), transport))
            guard tokens.account == session.account else { throw AccountError.otherAccount }
            let used = session.refreshToken
            session.accessToken = tokens.accessToken
            session.refreshToken = tokens.refreshToken
            return try replacement.withLock { _ in
                // A person who has logged out or in meanwhile has no session, or another one.
                let current = try self.session(at: server)
                guard current.account == session.account else { throw AccountError.otherAccount }
                guard current.refreshToken == used else { return current.accessToken }
                try sessions.save(session)
                return session.accessToken
            }
        }
    }

    /// Uploads photos whenever it is woken, and retries after a failure at growing intervals. Ends
    /// when the stream does.
    func keepSendingPhotos(on wakeUps: AsyncStream<Void>, sharesFile: Bool) async {
        var random = SystemRandomNumberGenerator()
        for await _ in wakeUps {
            var failures = 0
            while !Task.isCancelled {
                do {
                    try await sendPhotos(sharesFile: sharesFile)
                    break
                } catch AccountError.busy, AccountError.sync {
                    failures += 1
                    if sharesFile { replica.releaseFile() }
                    let wait = Backoff.delay(failures: failures, atLeast: 0, random: &random)
                    try? await Task.sleep(for: .milliseconds(wait))
                } catch {
                    // Logged out, or no space on the disk: the next exchange wakes it again.
                    break
                }
            }
            if sharesFile { replica.releaseFile() }
        }
    }
}
