public import MacrologEvents
import MacrologJSON
import MacrologSQLite
package import MacrologSystem

/// A device's session at a server: who is logged in, where, and with which tokens.
/// It is `Codable`, so that a ``SessionStore`` of an app can keep it in the keychain; printed, it hides its tokens.
public struct Session: Hashable, Codable, Sendable {
    /// The server's address, such as `https://sync.example.org`.
    public let server: String
    /// The address that the person logged in with.
    public let email: String
    /// The account, the same for all devices of the person.
    public let account: String
    /// Authorizes requests.
    @Secret package internal(set) var accessToken: String
    /// Is exchanged for the next pair of tokens, once.
    @Secret package internal(set) var refreshToken: String
    /// A file of certificates that are trusted besides those of the system; `nil` for none.
    public let certificates: String?

    /// Creates a session from its parts, as a custom store reads them.
    package init(
        server: String, email: String, account: String, accessToken: String, refreshToken: String,
        certificates: String? = nil
    ) {
        self.server = server
        self.email = email
        self.account = account
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.certificates = certificates
    }
}

/// Stores a session between runs: a file here; an app may use the keychain.
public protocol SessionStore: Sendable {
    /// The session; `nil` when not logged in.
    func load() throws -> Session?
    /// Stores a session in place of the previous one; `nil` deletes it.
    func save(_ session: Session?) throws
}

/// Stores the session in a file that only its owner may read, beside the replica's file. The backups of a
/// phone leave it out: a log that was restored from one asks the person to log in.
public struct SessionFile: SessionStore {
    /// The file.
    package let path: String

    /// A file at a path.
    public init(path: String) {
        self.path = path
    }

    /// Reads the session, and refuses a file that others may read.
    public func load() throws -> Session? {
        let bytes: [UInt8]
        do throws(WholeFile.ReadError) {
            guard let found = try WholeFile.read(path, atMost: 16_384, isPrivate: true) else {
                return nil
            }
            bytes = found
        } catch {
            guard case .system(let error) = error else {
                throw SessionError(
                    explanation: "\(path) holds the key to your log and must be yours alone",
                    hint: "let only its owner read it: chmod 600 \(path)")
            }
            throw self.error("read", error)
        }
        guard let json = try? JSON.parse(bytes),
            let server = json["server"]?.string, let email = json["email"]?.string,
            let account = json["account"]?.string, let access = json["access_token"]?.string,
            let refresh = json["refresh_token"]?.string
        else {
            throw SessionError(
                explanation: "\(path) is damaged", hint: "remove it and log in again")
        }
        return Session(
            server: server, email: email, account: account, accessToken: access,
            refreshToken: refresh, certificates: json["certificates_file"]?.string)
    }

    /// Writes the whole session durably, or not at all.
    public func save(_ session: Session?) throws {
        guard let session else {
            do throws(SystemError) { try WholeFile.remove(path) } catch {
                throw self.error("removed", error)
            }
            return
        }
        let json: JSON = [
            "server": .string(session.server), "email": .string(session.email),
            "account": .string(session.account), "access_token": .string(session.accessToken),
            "refresh_token": .string(session.refreshToken),
            "certificates_file": .optional(session.certificates),
        ]
        // If a power failure undid this write, the old refresh token, which is used already, would
        // be presented again. So would that of a phone's backup, on the same phone or another one, and the
        // server would end the session of both.
        do throws(SystemError) {
            try WholeFile.replace(
                path, with: Array(json.pretty.utf8) + [0x0A], staysOnThisDevice: true)
        } catch {
            throw self.error("written", error)
        }
    }

    private func error(_ what: String, _ error: SystemError) -> SessionError {
        SessionError(
            explanation: "\(path) cannot be \(what): \(error)",
            hint: "check the disk, and the permissions of the file and its folder",
            // So a phone answers that is locked since it was switched on.
            isRetryable: error == .notPermitted)
    }
}

/// Why a session file cannot be used.
public struct SessionError: ExplainedError, Hashable, Sendable {
    private let problem: String
    private let advice: String?
    private let passes: Bool

    package init(explanation: String, hint: String?, isRetryable: Bool = false) {
        (problem, advice, passes) = (explanation, hint, isRetryable)
    }

    /// The cause in words, and what a person can do about it.
    public var text: ErrorText {
        ErrorText(cannot: "use the session", problem, hint: advice, isRetryable: passes)
    }
}
