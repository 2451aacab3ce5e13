// The door of the program: reads the words, runs the verb, and says how it went.

import MacrologArgumentParsing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

// Before any thread: libcurl would write the keys of every connection into that file.
unsetenv("SSLKEYLOGFILE")
let words = CommandLine.arguments
if words.isEmpty {
    // Not even the program's name: some libraries that are loaded before a program hide its words
    // from Swift. To do nothing and call it done would lose what somebody meant to record.
    Terminal.complain("macrolog: the words typed did not arrive; try again without LD_PRELOAD")
    Door.leave(.software)
}
Door.leave(await Door.open(Array(words.dropFirst())))
