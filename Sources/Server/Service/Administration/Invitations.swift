/// Invitations to register.
import MacrologJSON
import MacrologSystem

extension SyncServer {
    func createInvitation(_ request: JSON) throws(Refusal) -> JSON {
        guard let uses = request["uses"]?.integer, (1...1_000_000).contains(uses),
            let days = request["days"]?.integer, (1...3_650).contains(days)
        else {
            throw Refusal(
                .invalid, "an invitation is for 1 to 1,000,000 accounts, and for 1 to 3,650 days")
        }
        let code = SecretCode(random: random)
        let now = clock()
        let expires = now + days * 86_400_000
        let digest = secrets.digest(ofCode: code.bytes)
        let number = try settled {
            store.addInvitation(digest, uses: uses, expires: expires, now: now, then: $0)
        }
        return [
            "invitation": [
                "number": .integer(number), "code": .string(code.text), "uses": .integer(uses),
                "expires_at": .string(SystemClock.utc(expires)),
            ]
        ]
    }

    /// The invitations that can still be used.
    func listInvitations(_: JSON) throws(Refusal) -> JSON {
        let now = clock()
        let all = try read { () throws(StoreError) in try store.invitations() }
        return [
            "invitations": .array(
                all.filter { $0.used < $0.uses && now < $0.expires }.map {
                    [
                        "number": .integer($0.number),
                        "created_at": .string(SystemClock.utc($0.created)),
                        "expires_at": .string(SystemClock.utc($0.expires)),
                        "uses": .integer($0.uses), "used": .integer($0.used),
                    ]
                })
        ]
    }

    func revokeInvitation(_ request: JSON) throws(Refusal) -> JSON {
        let number = request["number"]?.integer ?? 0
        guard try settled({ store.removeInvitation(number, then: $0) }) else {
            throw Refusal(.missing, "there is no invitation \(number): invite list")
        }
        return ["revoked": .integer(number)]
    }
}
