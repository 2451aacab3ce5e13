package import MacrologEvents

/// Which blobs an event names: every byte string of 32 bytes in one of its operations, whatever the
/// operation is (`protocol.md` §6).
package struct BlobMention: Hashable, Sendable {
    /// The SHA-256 of the blob.
    public let name: [UInt8]
    /// Whether the event only removes the name from sets.
    public fileprivate(set) var isRemoval: Bool

    /// The length of a blob's name, in bytes.
    public static let nameBytes = 32
}

extension BlobMention {
    /// The blobs that an event names, each once.
    ///
    /// Nearly every event names none. That is detected without decoding: its bytes nowhere contain
    /// the head of a byte string of 32 bytes.
    ///
    /// - Parameter body: An event's bytes, already checked.
    public static func all(in body: [UInt8]) -> [BlobMention] {
        guard body.withUnsafeBytes({ mayMention($0) }), let event = try? Event.decoded(body) else {
            return []
        }
        return all(in: event)
    }

    /// The blobs that an event names, each once.
    public static func all(in event: Event) -> [BlobMention] {
        var mentions: [BlobMention] = []
        for change in event.changes {
            for operation in change.operations {
                let isRemoval = if case .remove = operation { true } else { false }
                operation.forEachName { name in
                    if let index = mentions.firstIndex(where: { $0.name == name }) {
                        mentions[index].isRemoval = mentions[index].isRemoval && isRemoval
                    } else {
                        mentions.append(BlobMention(name: name, isRemoval: isRemoval))
                    }
                }
            }
        }
        return mentions
    }

    /// Whether the bytes 58 20 occur anywhere; eight positions are tested at a time.
    private static func mayMention(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var offset = 0
        while offset + 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            // A byte 58 becomes zero, and only a zero byte borrows from its highest bit.
            let zeroed = word ^ 0x5858_5858_5858_5858
            if (zeroed &- 0x0101_0101_0101_0101) & ~zeroed & 0x8080_8080_8080_8080 != 0 {
                for place in offset..<min(offset + 8, bytes.count - 1)
                where bytes[place] == 0x58 && bytes[place + 1] == 0x20 {
                    return true
                }
            }
            offset += 8
        }
        // A name needs more bytes after its head than are left.
        return false
    }
}

extension CellOperation {
    /// Whether the operation only adds a blob's name to a set, or removes it from one, as an
    /// element: the only kind of reference that can end.
    package func isMembership(of name: [UInt8]) -> Bool {
        switch self {
        case .add(_, .bytes(let bytes)), .remove(_, .bytes(let bytes)): bytes == name
        default: false
        }
    }

    /// Whether the operation names a blob.
    package func names(_ name: [UInt8]) -> Bool {
        var isFound = false
        forEachName { isFound = isFound || $0 == name }
        return isFound
    }

    fileprivate func forEachName(_ body: ([UInt8]) -> Void) {
        switch self {
        case .set(let fields): for entry in fields.entries { entry.value.forEachName(body) }
        case .add(_, let element), .remove(_, let element): element.forEachName(body)
        case .delete, .restore: return
        case .unknown(_, let arguments): for value in arguments { value.forEachName(body) }
        }
    }
}

extension Value {
    fileprivate func forEachName(_ body: ([UInt8]) -> Void) {
        switch self {
        case .bytes(let bytes): if bytes.count == BlobMention.nameBytes { body(bytes) }
        case .array(let values): for value in values { value.forEachName(body) }
        case .map(let map): for entry in map.entries { entry.value.forEachName(body) }
        case .null, .bool, .int, .text: return
        }
    }
}
