import MacrologEvents
import MacrologWire
import MacrologFormats
import MacrologLog

/// A log from an export, as far as it can be replayed: up to the first event that is missing or
/// compacted.
struct Rebuilt {
    /// Sealed events by number, without gaps.
    private(set) var sealed: [(event: Event, seal: Seal)] = []
    /// The device's unsealed events.
    private(set) var unsealed: [Event] = []
    /// The digests of the prefixes of the sealed events, by length.
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

    /// The end of the log.
    var head: Int64 { Int64(sealed.count) }
}
