/// Buckets of attempts that all nodes charge: who is refused at one node is refused at all of them.
import MacrologPostgreSQL

extension PostgreSQLServerStore: SharedBuckets {
    package var sharedBuckets: (any SharedBuckets)? { self }

    /// A bucket is one number: when it is full again. A token that is taken makes that later by one interval, and no
    /// later than the time in which an empty bucket fills. When a connection breaks, two may be taken.
    package func charge(
        _ bucket: [UInt8], _ rate: Rate, now: Int64
    ) throws(StoreError) -> Int64? {
        let latest = now + rate.burst * rate.interval
        return try whole { db throws(PostgreSQLError) in
            let charged = try db.first(
                """
                INSERT INTO attempt AS a (bucket, full_at) VALUES (?1, ?2 + ?3)
                ON CONFLICT (bucket) DO UPDATE SET full_at = greatest(a.full_at, ?2) + ?3
                WHERE greatest(a.full_at, ?2) + ?3 <= ?4 RETURNING 1
                """, bucket, now, rate.interval, latest
            ) { _ in true }
            guard charged == nil else { return nil }
            // A bucket that fills later than an empty one was charged by a node whose clock is ahead. It is empty now.
            try db.run(
                "UPDATE attempt SET full_at = ?2 WHERE bucket = ?1 AND full_at > ?2", bucket, latest
            )
            let full = try db.first("SELECT full_at FROM attempt WHERE bucket = ?", bucket) {
                $0.int(0)
            }
            return max(1, (full ?? now) + rate.interval - latest)
        }
    }

    /// What fails fills by itself, and is not tried again: nothing is given back twice.
    package func refund(_ bucket: [UInt8], _ rate: Rate) {
        _ = try? pool.lend { db in
            try db.transaction {
                try $0.run(
                    "UPDATE attempt SET full_at = full_at - ? WHERE bucket = ?", rate.interval,
                    bucket)
            }
        }
    }
}
