/// The manifest of a copy: what it holds, and who made it.
import MacrologEvents
import MacrologJSON
import MacrologCryptography
import MacrologService

/// What a copy holds, in numbers and digests, so that a restore can be compared.
struct Manifest {
    /// Milliseconds since 1970 UTC.
    var madeAt: Int64 = 0
    var epoch: Int64 = 0
    var accounts: Int64 = 0
    var events: Int64 = 0
    var blobs: Int64 = 0
    /// Of the logs of all accounts.
    var digest = ""
    /// SHA-256 of the database, before it is sealed.
    var database = ""
    /// SHA-256 of the secrets, before they are sealed; empty if they are not in the copy.
    var secrets = ""
    /// SHA-256 of the list of blobs.
    var blobList = ""
    /// The public key to which the files are sealed; empty if they are not.
    var sealedTo = ""
    /// SHA-256 of the keys of accounts, before they are sealed; empty where nothing is encrypted at rest.
    var keys = ""
    /// SHA-256 of the list of the accounts that have such a key.
    var accountList = ""
    /// How many entries the ledger of deletions had.
    var deletions: Int64 = 0
    /// The digest of the line above with a key of the server's secrets, in hexadecimal: who may write into
    /// the folder of copies cannot make one.
    private var proof = ""
    /// The line above as it was read, which may have members that this version does not know.
    private var read: [UInt8] = []

    private static var numbers: [(String, WritableKeyPath<Manifest, Int64>)] {
        [
            ("made_at", \.madeAt), ("epoch", \.epoch), ("account_count", \.accounts),
            ("event_count", \.events), ("blob_count", \.blobs), ("deletion_count", \.deletions),
        ]
    }
    private static var texts: [(String, WritableKeyPath<Manifest, String>)] {
        [
            ("digest", \.digest), ("database_sha256", \.database), ("secrets_sha256", \.secrets),
            ("blobs_sha256", \.blobList), ("sealed_to", \.sealedTo), ("keys_sha256", \.keys),
            ("accounts_sha256", \.accountList),
        ]
    }

    /// A JSON object in one line, its SHA-256 in the next, and its keyed digest in the last.
    func text(_ secrets: Secrets) -> String {
        let numbers = Self.numbers.map { JSON.Member($0.0, .integer(self[keyPath: $0.1])) }
        let texts = Self.texts.map { JSON.Member($0.0, .string(self[keyPath: $0.1])) }
        let line = JSON.object(numbers + texts).compact
        let proof = hexadecimal(secrets.digest(ofCopy: Array(line.utf8)))
        return "\(line)\n\(hexadecimal(sha256(Array(line.utf8))))\n\(proof)\n"
    }

    /// Whether the server with these secrets made it.
    func isMade(with secrets: Secrets) -> Bool {
        proof == hexadecimal(secrets.digest(ofCopy: read))
    }

    init() {}

    /// Reads ``text(_:)``; `nil` for anything else.
    init?(_ bytes: [UInt8]) {
        guard let lines = Self.lines(bytes), lines.count == 3,
            let members = (try? JSON.parse(Array(lines[0])))?.object
        else { return nil }
        read = Array(lines[0])
        for member in members {
            switch member.value {
            case .integer(let value):
                guard let path = Self.numbers.first(where: { $0.0 == member.key }) else { continue }
                self[keyPath: path.1] = value
            case .string(let value):
                guard let path = Self.texts.first(where: { $0.0 == member.key }) else { continue }
                self[keyPath: path.1] = value
            default: continue
            }
        }
        proof = String(decoding: lines[2], as: UTF8.self)
    }

    /// Whether an earlier build wrote it: a line and its SHA-256, without a proof of who made it.
    static func isEarlier(_ bytes: [UInt8]) -> Bool { lines(bytes)?.count == 2 }

    /// Its lines, if the second is the SHA-256 of the first.
    private static func lines(_ bytes: [UInt8]) -> [ArraySlice<UInt8>]? {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard lines.count > 2, lines.last?.isEmpty == true,
            lines[1].elementsEqual(hexadecimal(sha256(Array(lines[0]))).utf8)
        else { return nil }
        return lines.dropLast()
    }
}
