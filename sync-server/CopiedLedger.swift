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

    /// Its entries; `nil` if there is none. Without secrets nothing proves who wrote them.
    func entries(_ secrets: Secrets?) throws(CommandError) -> [DeletionLedger.Entry]? {
        let found: [UInt8]?
        do throws(WholeFile.ReadError) {
            found = try WholeFile.read(path, atMost: Self.bytesMax)
        } catch {
            throw CommandError(.noInput, "sync-server: cannot read \(path): \(error)")
        }
        guard let bytes = found else { return nil }
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
        let body = lines.dropLast().flatMap { $0 + [UInt8(ascii: "\n")] }
        let proof = secrets.map { hexadecimal($0.digest(ofCopy: Array(body))) }
        guard bytes.last == UInt8(ascii: "\n"), let last = lines.last,
            proof.map({ last.elementsEqual($0.utf8) }) ?? true,
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

    /// What the ledger has after entries were added.
    struct Added {
        let entries: [DeletionLedger.Entry]
        /// What was wrong with the ledger that was there.
        let problem: String?
    }

    /// Adds the entries of a server's ledger. One that cannot be read is moved aside.
    private func add(
        _ new: [DeletionLedger.Entry], _ secrets: Secrets
    ) throws(CommandError) -> Added {
        let earlier: [DeletionLedger.Entry]?
        var problem: String?
        do throws(CommandError) { earlier = try entries(secrets) } catch {
            problem = try moveAside(error)
            earlier = nil
        }
        let known = Set(earlier ?? [])
        let all = ((earlier ?? []) + new.filter { !known.contains($0) }).sorted { $0.at < $1.at }
        guard earlier == nil || all.count > known.count else {
            return Added(entries: all, problem: nil)
        }
        let body = DeletionLedger.bytes(all)
        let proof = hexadecimal(secrets.digest(ofCopy: body))
        do throws(SystemError) {
            try WholeFile.replace(path, with: body + Array("\(proof)\n".utf8))
        } catch {
            throw CommandError(.cantCreate, "sync-server: cannot write \(path): \(error)")
        }
        return Added(entries: all, problem: problem)
    }

    /// Moves a ledger aside that cannot be read, so that the next deletions are written all the same.
    ///
    /// - Returns: A sentence about it.
    private func moveAside(_ error: CommandError) throws(CommandError) -> String {
        var number = 1
        while Files.exists("\(path).damaged-\(number)") { number += 1 }
        let aside = "\(path).damaged-\(number)"
        do throws(SystemError) { try Files.move(path, to: aside) } catch let failure {
            throw CommandError(
                .cantCreate, "\(error.message)\nsync-server: cannot move it aside: \(failure)")
        }
        return """
            \(path) was damaged, or not of the server with these secrets: it is now \(aside), and a new \
            one has what this server knows
            """
    }

    /// Adds what the ledger of a server has. The caller must hold the lock of the copies.
    func add(of data: DataFolder, _ secrets: Secrets) throws(CommandError) -> Added {
        let entries: [DeletionLedger.Entry]
        do { entries = try DeletionLedger(of: data.database).entries() } catch {
            throw CommandError(.dataErr, data.database, error)
        }
        return try add(entries, secrets)
    }
}
