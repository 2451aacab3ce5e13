/// What an operator asks of a server: one JSON object for each request and each answer, the same over
/// the socket of a running server and directly over the store.
package import MacrologJSON
import MacrologEvents
import MacrologCryptography
import MacrologSystem

package enum Administration {
    /// Of the program; a running server of another one refuses.
    package static let version = "0.1.0"

    /// A request: what to do, and the rest of what was typed.
    package static func request(_ verb: String, _ members: [JSON.Member]) -> JSON {
        .object(
            [JSON.Member("version", .string(version)), JSON.Member("verb", .string(verb))] + members
        )
    }

    /// Why a request was refused.
    package struct Refusal: Error, Sendable {
        /// What kind of refusal it is.
        package enum Kind: String, Sendable {
            case invalid, missing, taken, busy, failed, otherVersion = "other_version"
        }

        package let kind: Kind
        /// What is wrong, and what to do.
        package let sentence: String

        init(_ kind: Kind, _ sentence: String) {
            self.kind = kind
            self.sentence = sentence
        }

        init(_ error: StoreError) {
            switch error {
            case .busy, .elsewhere: self.init(.busy, "the server is busy; try again soon")
            case .unmounted: self.init(.busy, "the folder of photos is not mounted; mount it")
            case .full: self.init(.failed, "the disk is full; make room, and try again")
            case .failed(let detail): self.init(.failed, detail)
            }
        }
    }

    /// The result in an answer.
    package static func result(of answer: [UInt8]) throws(Refusal) -> JSON {
        guard let answer = try? JSON.parse(answer), let version = answer["version"]?.string else {
            throw Refusal(
                .failed, "the server's answer cannot be read; try again, and look into its log")
        }
        guard version.utf8.elementsEqual(Self.version.utf8) else {
            throw Refusal(
                .otherVersion,
                "the server that runs is version \(version), and this is \(Self.version); restart it"
            )
        }
        if let kind = answer["refused"]?.string.flatMap({ Refusal.Kind(rawValue: $0) }) {
            throw Refusal(kind, answer["sentence"]?.string ?? "")
        }
        return answer["result"] ?? .null
    }
}

extension SyncServer {
    /// Answers one request of the operator. Waits for the disk.
    package func administer(_ request: [UInt8]) -> [UInt8] {
        var members = [JSON.Member("version", .string(Administration.version))]
        do throws(Administration.Refusal) {
            members.append(JSON.Member("result", try result(of: request)))
        } catch {
            members.append(JSON.Member("refused", .string(error.kind.rawValue)))
            members.append(JSON.Member("sentence", .string(error.sentence)))
        }
        return Array(JSON.object(members).compact.utf8)
    }

    private func result(of request: [UInt8]) throws(Administration.Refusal) -> JSON {
        guard let request = try? JSON.parse(request), let verb = request["verb"]?.string else {
            throw Administration.Refusal(.invalid, "this is no request of an operator")
        }
        // The answer says the version, too.
        guard let version = request["version"]?.string,
            version.utf8.elementsEqual(Administration.version.utf8)
        else { throw Administration.Refusal(.otherVersion, "this program is another version") }
        guard let answer = Self.verbs[verb] else {
            throw Administration.Refusal(.otherVersion, "this server does not know \(verb)")
        }
        return try answer(self)(request)
    }

    /// What can be asked.
    private static let verbs:
        [String: @Sendable (SyncServer) -> (JSON) throws(Administration.Refusal) -> JSON] = [
            "user list": SyncServer.listUsers, "user show": SyncServer.showUser,
            "user add": SyncServer.addUser, "user disable": SyncServer.disableUser,
            "user enable": SyncServer.enableUser, "user delete": SyncServer.deleteUser,
            "user reset-code": SyncServer.makeResetCode,
            "user sessions": SyncServer.userSessions, "user usage": SyncServer.usage,
            "user audit": SyncServer.userAudit,
            "invite create": SyncServer.createInvitation,
            "invite list": SyncServer.listInvitations,
            "invite revoke": SyncServer.revokeInvitation,
        ]

    /// Makes a change, and waits until it is on the disk.
    func settled<Value: Sendable>(
        _ change: (@escaping Done<Value>) -> Void
    ) throws(Administration.Refusal) -> Value {
        let outcome = Monitor<Result<Value, StoreError>?>(nil)
        change { result in
            outcome.withLock { $0 = result }
            outcome.wakeAll()
        }
        return try read { () throws(StoreError) in try outcome.wait(until: { $0 }).get() }
    }

    /// Reads from the store.
    func read<Value>(
        _ body: () throws(StoreError) -> Value
    ) throws(Administration.Refusal) -> Value {
        do throws(StoreError) { return try body() } catch {
            noteFailure(error.problem)
            throw Administration.Refusal(error)
        }
    }
}
