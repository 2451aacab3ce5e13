/// How sending to an address ends.
///
/// Of one that its owner removed the row stays without address and secret, by which it is recognised. So the
/// request that added it adds it no second time.
import MacrologEvents

extension SQLDatabase where Self: ~Copyable {
    /// Empties an address, and forgets the oldest ones that were emptied; `false` if there is none.
    mutating func emptyWebhook(
        _ id: Identifier, of space: Space, at now: Int64
    ) throws(Failure) -> Bool {
        try run(
            """
            UPDATE webhook SET created = ?1, events = '', target = ?2, secret = ?2, stopped = NULL,
                failures = 0, last_at = NULL, last_status = NULL, last_failure = NULL
            WHERE id = ?3 AND space = ?4 AND length(secret) > 0
            """, now, [UInt8](), id.bytes, space)
        guard try changed() == 1 else { return false }
        try noteDigest(in: .address, of: id)
        try run(
            """
            DELETE FROM webhook WHERE id IN
            (SELECT id FROM webhook WHERE space = ? AND length(secret) = 0
             ORDER BY created DESC LIMIT 1000000000 OFFSET ?)
            """, space, WebhookLimits.removedMax)
        return true
    }

    /// Sends nothing more to the addresses of an account, which someone else may have added, until its owner
    /// tests them.
    mutating func stopWebhooks(of space: Space) throws(Failure) {
        try run("UPDATE webhook SET stopped = 'password' WHERE space = ?", space)
        try noteAddressDigests(of: space)
        try run(
            """
            DELETE FROM webhook_message WHERE due IS NOT NULL
            AND webhook IN (SELECT id FROM webhook WHERE space = ?)
            """, space)
    }

    /// Removes the addresses of an account.
    mutating func removeWebhooks(of space: Space) throws(Failure) {
        try run(
            "DELETE FROM webhook_message WHERE webhook IN (SELECT id FROM webhook WHERE space = ?)",
            space)
        try run("DELETE FROM webhook WHERE space = ?", space)
        try run("DELETE FROM webhook_look WHERE space = ?", space)
    }
}
