#if !canImport(Darwin)

    import CMacrologCurl
    import MacrologSystem

    /// libcurl, opened by the first request.
    ///
    /// Loading it with the program would take five times as long as everything that a command does
    /// before it reads its log.
    enum CurlLibrary {
        /// The functions, or why there are none.
        nonisolated(unsafe) static let functions: Result<macrolog_curl, LibraryError> = Result {
            () throws(LibraryError) in try load()
        }

        private static func load() throws(LibraryError) -> macrolog_curl {
            let library = try Library.open("libcurl.so.4", package: "libcurl4")
            var curl = macrolog_curl()
            curl.global_init = try library.function("curl_global_init")
            curl.easy_init = try library.function("curl_easy_init")
            curl.easy_cleanup = try library.function("curl_easy_cleanup")
            curl.easy_strerror = try library.function("curl_easy_strerror")
            curl.easy_setopt = try library.function("curl_easy_setopt")
            curl.slist_append = try library.function("curl_slist_append")
            curl.slist_free_all = try library.function("curl_slist_free_all")
            curl.multi_init = try library.function("curl_multi_init")
            curl.multi_cleanup = try library.function("curl_multi_cleanup")
            curl.multi_add_handle = try library.function("curl_multi_add_handle")
            curl.multi_remove_handle = try library.function("curl_multi_remove_handle")
            curl.multi_perform = try library.function("curl_multi_perform")
            curl.multi_info_read = try library.function("curl_multi_info_read")
            curl.multi_poll = try library.function("curl_multi_poll")
            curl.multi_wakeup = try library.function("curl_multi_wakeup")
            // libcurl counts these calls; one is enough for the process.
            _ = curl.global_init(Int(CURL_GLOBAL_DEFAULT))
            return curl
        }
    }

#endif
