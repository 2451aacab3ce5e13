import CMacrologPostgreSQL
import MacrologSystem

/// Where a database is, and how to reach it: a URL `postgres://…` or libpq's `keyword=value` words,
/// both with several hosts if wanted
/// (https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING).
package struct PostgreSQLAddress: Sendable {
    /// As it was given. It holds no password.
    package let text: String
    /// A file of passwords in the form of `~/.pgpass`; `nil` for what `PGPASSFILE` and libpq's own rules
    /// say.
    package let passwordFile: String?
    /// Whether a pooler that gives each transaction another connection is in between, as PgBouncer does
    /// in transaction mode: then nothing may outlive a transaction.
    package let isPooled: Bool
    /// More options for libpq, by keyword.
    private var more: [(keyword: String, value: String)] = []

    /// Reads an address.
    ///
    /// - Parameters:
    ///   - text: A URL or words. A password in it is refused: everybody on the machine could read it.
    ///   - schema: The schema whose tables are meant; `nil` for the user's own rules.
    package init(
        _ text: String, passwordFile: String? = nil, isPooled: Bool = false, schema: String? = nil
    ) throws(PostgreSQLError) {
        self.text = text
        self.passwordFile = passwordFile
        self.isPooled = isPooled
        let given = try Self.options(text)
        guard given["password"] == nil, given["sslpassword"] == nil else {
            throw PostgreSQLError(
                .address, operation: "reading the address of the database",
                detail: "it holds a password, which everybody on this machine could read",
                hint:
                    "write it into a file of mode 0600, one line host:port:database:user:password, "
                    + "and name that file")
        }
        // Each value is libpq's own default unless the address says something else.
        let wanted = [
            ("connect_timeout", "3"), ("keepalives_idle", "10"), ("keepalives_interval", "5"),
            ("keepalives_count", "3"), ("tcp_user_timeout", "10000"),
            ("target_session_attrs", "read-write"), ("application_name", "sync-server"),
        ]
        more = wanted.filter { given[$0.0] == nil }
        // What a pooler does not know, it refuses.
        more += [("client_encoding", "UTF8")]
        if let passwordFile { more.append(("passfile", passwordFile)) }
        if let schema { more.append(("options", "-c search_path=\(schema)")) }
    }

    /// The host, user and name of the database, for messages.
    package var summary: String {
        guard let given = try? Self.options(text) else { return "the database" }
        let name = given["dbname"] ?? given["user"] ?? "its default database"
        return "\(name) on \(given["host"] ?? given["hostaddr"] ?? "the local socket")"
    }

    /// The options that a text gives.
    private static func options(_ text: String) throws(PostgreSQLError) -> [String: String] {
        let library = try Libpq.required()
        var message: UnsafeMutablePointer<CChar>?
        guard let options = library.call.conninfo_parse(text, &message) else {
            defer { library.call.freemem(message) }
            let detail = message.map { String(cString: $0) } ?? "it cannot be read"
            throw PostgreSQLError(
                .address, operation: "reading the address of the database",
                detail: String(detail.split(whereSeparator: \.isNewline).first ?? ""),
                hint: "write it as postgres://user@host:5432/database")
        }
        defer { library.call.conninfo_free(options) }
        var given: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val {
                given[String(cString: keyword)] = String(cString: value)
            }
            option += 1
        }
        return given
    }

    /// Connects, waiting at most three seconds for each host. The caller closes it.
    func connect(_ library: Libpq) -> OpaquePointer? {
        let words = [("dbname", text)] + more
        let keywords = words.map { Self.copy($0.0) } + [nil]
        let values = words.map { Self.copy($0.1) } + [nil]
        defer { for copy in keywords + values { copy?.deallocate() } }
        return library.call.connect(
            keywords.map { UnsafePointer($0) }, values.map { UnsafePointer($0) }, 1)
    }

    private static func copy(_ text: String) -> UnsafeMutablePointer<CChar>? {
        let bytes = Array(text.utf8CString)
        let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
        copy.initialize(from: bytes, count: bytes.count)
        return copy
    }
}

extension Libpq {
    /// The library, or the error that names its package.
    static func required() throws(PostgreSQLError) -> Libpq {
        switch opened {
        case .success(let library): return library
        case .failure(let error):
            throw PostgreSQLError(
                .library(error), operation: "opening libpq", detail: error.explanation,
                hint: error.hint)
        }
    }
}
