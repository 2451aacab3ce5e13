import MacrologEvents
import MacrologWire
import MacrologLog
import MacrologNutritionModels
import MacrologReadModels

/// Every admitted event is delivered to every device exactly as it was admitted, and neither
/// the server's numbers nor the numbers of any device have gaps.
enum CompletenessCheck {
    static func problems(_ own: [SimulatedDevice], _ log: ServerLog) throws -> [String] {
        var problems: [String] = []
        var seqs: [Identifier: Int64] = [:]
        var digest = PrefixDigest.empty
        for row in log.rows {
            let dot = row.stored.header.dot
            if dot.seq != seqs[dot.device, default: 0] + 1 {
                problems.append("the server: event \(row.seal.n) is not the next of its device")
            }
            seqs[dot.device] = dot.seq.rawValue
            digest.add(PrefixDigest.summand(hash: Self.words(row.hash), seal: row.seal))
        }
        if digest != log.digest { problems.append("the server: a digest that is not its log's") }
        for device in own {
            if device.store.log.cursor != Int64(log.rows.count) {
                problems.append(
                    "\(device.name): \(device.store.log.cursor) of \(log.rows.count) events")
            }
            if device.store.log.digest != digest {
                problems.append("\(device.name): holds something else than was admitted")
            }
        }
        return problems
    }

    private static func words(_ bytes: [UInt8]) -> SHA256.Words {
        var words = SHA256.Words()
        for (index, byte) in bytes.prefix(32).enumerated() {
            words[index / 4] = words[index / 4] << 8 | UInt32(byte)
        }
        return words
    }
}
