/// `user import`: the accounts of an earlier system, with the passwords that people know.
import MacrologArgumentParsing
import MacrologJSON
import MacrologLegacy
import MacrologService
import MacrologSystem

enum LegacyUsers {
    private static let file = Parameter.argument(
        "file", .file, "What pg_dump writes in its plain format, or JSON with the member users.")
    /// The greatest size of a file, in bytes.
    private static let bytesMax = 256 << 20

    static let command = Command<Void, CommandError>(
        "user import", "Add the accounts of an earlier system.", example: "user import dump.sql",
        explanation: """
            Each person logs in with the password of before, whose bcrypt hash is taken and replaced at \
            the first login; who has none needs user reset-code. An address that has an account already \
            is left alone, so the same file can be imported again. What people recorded comes with \
            macrolog import legacy, which each of them types on a device.
            """
    ) { arguments, _ throws(CommandError) in
        let users = try users(arguments[file])
        var outcome = Outcome()
        for user in users { try add(user, arguments[Serve.data], &outcome) }
        outcome.tell(inJSON: arguments[Administer.json])
        guard outcome.problems.isEmpty else {
            throw CommandError(
                .dataErr,
                "sync-server: \(outcome.problems.count) of \(users.count) accounts were refused; all "
                    + "others are here.")
        }
    } parameters: {
        file
        Administer.everywhere
    }

    private static func users(_ path: String) throws(CommandError) -> [LegacyRow] {
        let found: [UInt8]?
        do throws(WholeFile.ReadError) {
            found = try WholeFile.read(path, atMost: bytesMax)
        } catch {
            throw CommandError(.noInput, "sync-server: cannot read \(path): \(error)")
        }
        guard let bytes = found else {
            throw CommandError(.noInput, "sync-server: there is no file \(path).")
        }
        do throws(LegacyError) { return try LegacyFile(bytes).rows(.users) } catch {
            throw CommandError(
                .dataErr,
                "sync-server: \(path), line \(error.line): \(error.problem); \(error.hint).")
        }
    }

    /// Adds one account, or notes why not. What stops all others is thrown.
    private static func add(
        _ user: LegacyRow, _ folder: String, _ outcome: inout Outcome
    ) throws(CommandError) {
        guard let email = user.text("email") else {
            return outcome.problems.append("line \(user.line): the account has no address")
        }
        let hash = user.text("passwordhash") ?? user.text("password")
        let members =
            [JSON.Member("email", .string(email))]
            + (hash.map { [JSON.Member("bcrypt_hash", .string($0))] } ?? [])
        do throws(CommandError) {
            _ = try Administer.ask("user add", members, in: folder)
            outcome.added.append(email)
            if hash == nil { outcome.withoutPassword.append(email) }
        } catch {
            switch error.exitCode {
            case .cantCreate: outcome.known.append(email)
            case .dataErr: outcome.problems.append("line \(user.line): \(error.message)")
            default: throw error
            }
        }
    }

    private struct Outcome {
        var added: [String] = []
        var known: [String] = []
        var withoutPassword: [String] = []
        var problems: [String] = []

        func tell(inJSON: Bool) {
            guard !inJSON else { return Standard.output(json.pretty + "\n") }
            var lines = [
                "Added \(added.count) accounts; \(known.count) were here already."
            ]
            for email in withoutPassword {
                lines.append("\(email) has no password: sync-server user reset-code \(email)")
            }
            Standard.output(lines.map { $0 + "\n" }.joined())
            for problem in problems { Standard.error(problem + "\n") }
        }

        private var json: JSON {
            func list(_ texts: [String]) -> JSON { .array(texts.map { .string($0) }) }
            return [
                "added": list(added), "known": list(known),
                "without_password": list(withoutPassword), "problems": list(problems),
            ]
        }
    }
}
