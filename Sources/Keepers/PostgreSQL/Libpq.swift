package import CMacrologPostgreSQL
package import MacrologSystem

/// libpq, opened by the first connection: a server that keeps its data in SQLite runs without it.
package final class Libpq: Sendable {
    /// Its functions.
    package let call: macrolog_libpq

    /// The library, or why there is none.
    package static let opened: Result<Libpq, LibraryError> = Result { () throws(LibraryError) in
        try Libpq(try Library.open("libpq.so.5", package: "libpq5"))
    }

    private init(_ library: Library) throws(LibraryError) {
        var call = macrolog_libpq()
        call.conninfo_parse = try library.function("PQconninfoParse")
        call.conninfo_free = try library.function("PQconninfoFree")
        call.freemem = try library.function("PQfreemem")
        call.connect = try library.function("PQconnectdbParams")
        call.finish = try library.function("PQfinish")
        call.status = try library.function("PQstatus")
        call.server_version = try library.function("PQserverVersion")
        call.error_message = try library.function("PQerrorMessage")
        call.socket = try library.function("PQsocket")
        call.set_nonblocking = try library.function("PQsetnonblocking")
        call.enter_pipeline_mode = try library.function("PQenterPipelineMode")
        call.pipeline_sync = try library.function("PQpipelineSync")
        call.flush = try library.function("PQflush")
        call.consume_input = try library.function("PQconsumeInput")
        call.is_busy = try library.function("PQisBusy")
        call.get_result = try library.function("PQgetResult")
        call.notifies = try library.function("PQnotifies")
        call.send_prepare = try library.function("PQsendPrepare")
        call.send_prepared = try library.function("PQsendQueryPrepared")
        call.send_params = try library.function("PQsendQueryParams")
        call.set_notice_receiver = try library.function("PQsetNoticeReceiver")
        call.result_status = try library.function("PQresultStatus")
        call.error_field = try library.function("PQresultErrorField")
        call.command_status = try library.function("PQcmdStatus")
        call.command_rows = try library.function("PQcmdTuples")
        call.row_count = try library.function("PQntuples")
        call.column_count = try library.function("PQnfields")
        call.value = try library.function("PQgetvalue")
        call.length = try library.function("PQgetlength")
        call.is_null = try library.function("PQgetisnull")
        call.clear = try library.function("PQclear")
        self.call = call
    }

    /// A field of an error or a notice; "" if it has none.
    func field(_ field: Int, of result: OpaquePointer) -> String {
        call.error_field(result, Int32(truncatingIfNeeded: field)).map { String(cString: $0) } ?? ""
    }

    /// libpq's words about a connection, on one line.
    func message(of connection: OpaquePointer?) -> String {
        let text = call.error_message(connection).map { String(cString: $0) } ?? ""
        return text.split(whereSeparator: \.isNewline).map { line in
            String(line.drop { $0 == " " || $0 == "\t" })
        }.joined(separator: "; ")
    }
}
