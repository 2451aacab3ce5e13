/// Which replicas are open: each from the first request of its account until it was idle for a while, and no
/// more at once than a limit.
import Macrolog
import MacrologEngine
import MacrologEvents
import MacrologWire
import MacrologService
import MacrologSystem
import Synchronization

final class Persons: Sendable {
    private struct Open {
        let person: Person
        /// Milliseconds of a monotonic clock.
        var used: Int64
    }

    private let open = Mutex<[Identifier: Open]>([:])
    private let server: SyncServer
    /// Where each account has a folder.
    private let folder: String
    private let countMax: Int
    private let spools: Spools
    private let webhooks: Webhooks?

    init(
        _ server: SyncServer, in folder: String, _ settings: GatewaySettings, _ webhooks: Webhooks?
    ) {
        self.webhooks = webhooks
        self.server = server
        self.folder = folder
        spools = Spools(
            in: folder, countMax: settings.answersMax, bytesMax: settings.answerBytesMax)
        countMax = settings.replicasMax
    }

    /// The replica of an account, opened if need be. To be called in the account's lane only.
    func person(of caller: Caller) throws -> Person {
        let now = SystemClock.monotonicMilliseconds
        if let person = known(caller.account, now) { return person }
        let person = try Person(caller, server, in: "\(folder)/\(caller.folder)", spools, webhooks)
        open.withLock { open in
            if open.count >= countMax, let oldest = open.min(by: { $0.value.used < $1.value.used })
            {
                open[oldest.key] = nil
            }
            open[caller.account] = Open(person: person, used: now)
        }
        return person
    }

    private func known(_ account: Identifier, _ now: Int64) -> Person? {
        open.withLock { open in
            open[account]?.used = now
            return open[account]?.person
        }
    }

    /// How many are open.
    var count: Int { open.withLock { $0.count } }

    /// Closes those that were not used for some milliseconds.
    func closeIdle(after milliseconds: Int64) {
        let limit = SystemClock.monotonicMilliseconds - milliseconds
        open.withLock { open in open = open.filter { $0.value.used > limit } }
    }

    /// Removes the replica of an account. To be called in the account's lane only.
    func discard(_ account: Identifier, folder name: String) {
        let person = open.withLock { $0.removeValue(forKey: account)?.person }
        person?.replica.releaseFile()
        Files.removeAll("\(folder)/\(name)")
    }

    /// The replicas of accounts that are deleted, open or not: their accounts and their folders. What has
    /// another name in the folder is not the gateway's, and stays.
    func orphans() -> [(account: Identifier, folder: String)] {
        Files.names(in: folder).compactMap { name in
            let parts = name.split(separator: "-", maxSplits: 1)
            guard parts.count == 2, Space(parts[0]) != nil,
                let account = Identifier(String(parts[1])), server.account(ofFolder: name) == nil
            else { return nil }
            return (account, name)
        }
    }
}

extension Gateway {
    /// Whether an error is that the disk of the server has no room left. Then a replica can often not be kept
    /// either, and what it reports is no advice for the client.
    func isOfFullDisk(_ error: any Error) -> Bool {
        switch error {
        case let error as SystemError: error.isFull
        case let error as ReplicaError:
            [.disk, .cannotOpen].contains(error.code) && !server.hasRoom
        case AccountError.sync(let cause): !cause.isRetryable && !server.hasRoom
        default: false
        }
    }
}
