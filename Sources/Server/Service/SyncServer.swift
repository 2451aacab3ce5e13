/// The service: a function from a request to a response, independent of sockets.
import MacrologEvents
import MacrologWire
package import MacrologHTTP
package import MacrologCryptography
import MacrologSystem
import Synchronization

/// Who may create an account.
package enum Registration: String, CaseIterable, Sendable {
    case open, invite, closed
}

/// The settings of a server.
package struct ServerSettings: Sendable {
    /// The cost of a password's hash.
    package var passwordCost = PasswordCost.standard
    /// Who may create an account.
    package var registration = Registration.open
    /// The rate limits; a `nil` rate of sync means no limit, for benchmarks.
    package var rates = RateLimits()
    /// Addresses of proxies whose `X-Forwarded-For` is trusted.
    package var proxies: [String] = []
    /// Where links lead; `nil` for the address by which each sender reaches the server.
    package var publicAddress: Origin?
    /// Whether connections are encrypted.
    package var isSecure = false
    /// The maximum number of open polls and streams. The server needs more connections than that,
    /// so that pushes and pulls are still answered.
    package var liveChannelsMax = 9_000
    /// The blob quota of an account, in bytes: 2 GiB.
    package var blobQuota: Int64 = 2 << 30
    /// The maximum number of events of an account.
    package var eventQuota: Int64 = 1_000_000
    /// The maximum size of those events as stored, in bytes: 512 MiB.
    package var eventBytesQuota: Int64 = 512 << 20
    /// Devices whose events an account has.
    package var deviceQuota: Int64 = 2_000
    /// The maximum number of sessions of an account.
    package var sessionsMax = 50

    /// The supported versions of the protocol.
    package var versions: ClosedRange<Int64> = Limits.protocolVersions

    /// The defaults.
    package init() {}
}

/// A log record of the server: never contains an address, a token or an event.
package struct ServerNote: Sendable {
    /// The severity.
    package enum Level: Int, Sendable, Comparable {
        case debug, info, warning, error
        package static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    package let level: Level
    /// What happened, such as `login.failed`.
    package let event: StaticString
    /// Facts about it.
    package let facts: [(StaticString, String)]
}

/// The settings in one object: all threads read them for each request, and copying them under a lock takes longer than
/// the lock is held otherwise.
private final class SettingsNow: Sendable {
    let settings: ServerSettings
    init(_ settings: ServerSettings) { self.settings = settings }
}

/// The server: accounts, sessions, and a log of events for each account.
package final class SyncServer: Sendable {
    /// Receives the response, once.
    package typealias Answer = @Sendable (HTTPResponse) -> Void

    package let store: any ServerStore
    let secrets: Secrets
    let sessions: Sessions
    let hashing: HashQueue
    private let currentSettings: Mutex<SettingsNow>
    let limiters: Limiters
    let live: LiveChannels
    /// Milliseconds since 1970 UTC.
    let clock: @Sendable () -> Int64
    /// Milliseconds of a monotonic clock.
    let monotonic: @Sendable () -> Int64
    /// Returns the given number of unpredictable bytes.
    let random: @Sendable (Int) -> [UInt8]
    let note: @Sendable (ServerNote) -> Void
    /// When an undeclared proxy was last reported.
    let proxyNotice = ProxyNotice()
    /// Uploads in progress.
    let uploads: Uploads
    /// Blob work that waits for the disk, or for a storage.
    let blobWork: BlobThreads
    private let isClosed = Mutex(false)
    private let ticker = Ticker()
    private let ticking: Worker?
    /// Asks which open polls and streams have ended, where other processes end sessions.
    private let sessionTicker = Ticker(interval: SyncServer.sessionsInterval)
    /// When that was last asked by ``tick()``, in milliseconds of a monotonic clock.
    let sessionsAsked = Mutex<Int64>(.min / 2)
    private let sessionChecking = Mutex<Worker?>(nil)

    /// Creates a server. Time and randomness are injected.
    ///
    /// - Parameter monotonic: Milliseconds of a monotonic clock. A caller that passes one must call
    ///   ``tick()`` regularly; without it the server uses the system's clock and ticks by itself.
    package init(
        store: any ServerStore, secrets: Secrets, settings: ServerSettings = ServerSettings(),
        clock: @escaping @Sendable () -> Int64, monotonic: (@Sendable () -> Int64)? = nil,
        random: @escaping @Sendable (Int) -> [UInt8] = { randomBytes($0) },
        note: @escaping @Sendable (ServerNote) -> Void = { _ in }
    ) {
        self.store = store
        self.secrets = secrets
        currentSettings = Mutex(SettingsNow(settings))
        self.clock = clock
        self.random = random
        self.note = note
        sessions = Sessions(store, secrets)
        hashing = HashQueue(cost: settings.passwordCost, clock: clock)
        limiters = Limiters(settings.rates, store.sharedBuckets, secrets)
        let live = LiveChannels(countMax: settings.liveChannelsMax)
        self.live = live
        self.monotonic = monotonic ?? { SystemClock.monotonicMilliseconds }
        uploads = Uploads(store.blobFiles)
        let ownsTime = monotonic == nil
        let collection = CollectionTimes()
        let blobWork = BlobThreads(count: store.blobFiles.isShared ? 8 : 1)
        self.blobWork = blobWork
        ticking =
            ownsTime
            ? ticker.start {
                let now = SystemClock.monotonicMilliseconds
                live.tick(now: now)
                if collection.isDue(now) { _ = blobWork.put { collection.run() } }
            } : nil
        if let hash = try? store.bcryptHash() { hashing.expect(bcrypt: hash) }
        sweepBlobFiles()
        removeDeleted()
        forgetEnded()
        if ownsTime, store.isShared {
            let checking = sessionTicker.start { [weak self] in self?.endRevoked() }
            sessionChecking.withLock { $0 = checking }
        }
        if ownsTime {
            collection.begin { [weak self] in
                self?.collectBlobs()
                self?.removeDeleted()
                self?.forgetEnded()
            }
        }
        store.watch { [growth] heads in
            live.grown(heads)
            growth.grown(heads)
        }
    }

    /// The settings now.
    var settings: ServerSettings { currentSettings.withLock { $0 }.settings }

    /// Changes quotas and proxies while the server runs. Rates, the cost of passwords and the number
    /// of live channels stay as they were at the start.
    package func change(_ body: (inout ServerSettings) -> Void) {
        currentSettings.withLock { now in
            var settings = now.settings
            body(&settings)
            now = SettingsNow(settings)
        }
    }

    /// The event quota of an account.
    var quota: EventQuota {
        let settings = settings
        return EventQuota(
            events: settings.eventQuota, bytes: settings.eventBytesQuota,
            devices: settings.deviceQuota)
    }

    /// Who else hears that a log has grown.
    let growth = GrowthWatchers()
    /// What else is to be removed with an account.
    let deletionWatcher = Mutex<(@Sendable () -> Void)?>(nil)

    /// Which requests wait for the outcome of ``readiness(then:)``.
    let readinessState = Mutex(ReadinessState())

    /// Passwords hashed or checked so far.
    package var hashes: Int { hashing.hashes }

    /// Finishes queued work and closes the store. The server must not be used afterwards; closing
    /// again has no effect.
    package func close() {
        let isFirst = isClosed.withLock { isClosed in
            defer { isClosed = true }
            return !isClosed
        }
        guard isFirst else { return }
        live.close()
        ticker.stop()
        sessionTicker.stop()
        ticking?.join()
        sessionChecking.withLock { $0 }?.join()
        blobWork.close()
        hashing.close()
        store.close()
    }
}
