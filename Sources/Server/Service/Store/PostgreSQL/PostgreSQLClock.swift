/// The clock of the database, with which all of its nodes have to agree.
import MacrologPostgreSQL

extension PostgreSQLServerStore {
    package func clock() throws(StoreError) -> Int64? {
        try read { db throws(PostgreSQLError) in
            try db.first("SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)") {
                $0.int(0)
            }
        }
    }
}
