import MacrologEvents
import MacrologFormats
import MacrologLog

/// A log from an export, as far as it can be played: up to the first event that is missing or was
/// compacted.
struct Rebuilt {
    /// Sealed events by number, without gaps.
    private(set) var sealed: [(event: Event, seal: Seal)] = []
    /// What the device had not sent.
    private(set) var unsealed: [Event] = []
    /// The digest of the first so many sealed events.
    private(set) var digests: [PrefixDigest] = [.empty]

    init(_ export: ExportedLog) {
        for entry in export.entries {
            guard !entry.isCompacted else { return }
            if let seal = entry.seal {
                guard seal.n == head + 1 else { return }
                var digest = digests[digests.count - 1]
                digest.add(
                    hash: entry.event.encoded().withUnsafeBytes { SHA256.words($0) }, seal: seal)
                sealed.append((entry.event, seal))
                digests.append(digest)
            } else {
                unsealed.append(entry.event)
            }
        }
    }

    /// Where the log ends.
    var head: Int64 { Int64(sealed.count) }
}
