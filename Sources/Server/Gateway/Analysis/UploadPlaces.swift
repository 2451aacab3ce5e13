/// Who sends forms with photos now. A form stays in memory from its first byte until it is answered, and its
/// sender may take minutes: so few are received at once, and fewer of one sender.
import MacrologEvents
import Synchronization

final class UploadPlaces: Sendable {
    enum Sender: Hashable {
        case account(Identifier)
        /// Someone without an account, by ``SyncServer/site(of:)``.
        case stranger([UInt8])

        var isStranger: Bool { if case .stranger = self { true } else { false } }
    }

    /// How many forms are received or analysed at the same time.
    static let countMax = 16
    /// How many of them are of one sender.
    static let perSenderMax = 2
    /// How many are of people without an account: the others are kept for accounts.
    static let strangersMax = 8

    private let held = Mutex<[Sender: Int]>([:])

    /// Takes a place; false if there is none for this sender.
    func take(_ sender: Sender) -> Bool {
        held.withLock { held in
            let strangers = held.filter(\.key.isStranger).values.reduce(0, +)
            guard held.values.reduce(0, +) < Self.countMax,
                held[sender, default: 0] < Self.perSenderMax,
                !sender.isStranger || strangers < Self.strangersMax
            else { return false }
            held[sender, default: 0] += 1
            return true
        }
    }

    /// Gives a place back.
    func release(_ sender: Sender) {
        held.withLock { held in
            guard let count = held[sender] else { return }
            held[sender] = count > 1 ? count - 1 : nil
        }
    }
}
