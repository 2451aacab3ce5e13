/// The ledger of deletions beside copies: what was deleted or disabled after a copy was made, so that a
/// restore on an empty machine does not bring it back.
import MacrologArgumentParsing
import MacrologEvents
import MacrologService
import MacrologSystem

/// The file `server.db.deletions` in a folder of copies: the entries, and in the last line their keyed
/// digest.
struct CopiedLedger: Sendable {
    let path: String
    private static let bytesMax = 1 << 30

    /// The ledger beside the copies of a folder.
    init(in folder: String) {
        path = "\(folder)/server.db.deletions"
    }

    /// Its entries; `nil` if there is none.
    func entries(_ secrets: Secrets) throws(CommandError) -> [DeletionLedger.Entry]? {
        let found: [UInt8]?
        do throws(WholeFile.ReadError) {
            found = try WholeFile.read(path, atMost: Self.bytesMax)
        } catch {
            throw CommandError(.noInput, "sync-server: cannot read \(path): \(error)")
        }
        guard let bytes = found else { return nil }
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
        let body = lines.dropLast().flatMap { $0 + [UInt8(ascii: "\n")] }
        let proof = hexadecimal(secrets.digest(ofCopy: Array(body)))
        guard bytes.last == UInt8(ascii: "\n"), let last = lines.last,
            last.elementsEqual(proof.utf8),
            let entries = try? DeletionLedger.entries(Array(body))
        else {
            throw CommandError(
                .dataErr,
                """
                sync-server: \(path) is damaged, or not of the server with these secrets. Restore it \
                from another place, or move it away: then who was deleted after the copy is back.
                """)
        }
        return entries
    }

    /// Adds the entries of a server's ledger.
    ///
    /// - Returns: How many it has now.
    @discardableResult
    func add(_ new: [DeletionLedger.Entry], _ secrets: Secrets) throws(CommandError) -> Int {
        let earlier = try entries(secrets)
        let known = Set(earlier ?? [])
        let all = ((earlier ?? []) + new.filter { !known.contains($0) }).sorted { $0.at < $1.at }
        guard earlier == nil || all.count > known.count else { return all.count }
        let body = DeletionLedger.bytes(all)
        let proof = hexadecimal(secrets.digest(ofCopy: body))
        do throws(SystemError) {
            try WholeFile.replace(path, with: body + Array("\(proof)\n".utf8))
        } catch {
            throw CommandError(.cantCreate, "sync-server: cannot write \(path): \(error)")
        }
        return all.count
    }

    /// Adds what the ledger of a server has.
    @discardableResult
    func add(of data: DataFolder, _ secrets: Secrets) throws(CommandError) -> Int {
        let entries: [DeletionLedger.Entry]
        do { entries = try DeletionLedger(of: data.database).entries() } catch {
            throw CommandError(.dataErr, data.database, error)
        }
        return try add(entries, secrets)
    }
}
