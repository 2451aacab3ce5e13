// The entry point: reads the arguments, runs the command, and exits with its code.

import MacrologArgumentParsing
import MacrologSystem

// Before any thread starts: libcurl would write the keys of every connection into that file.
Environment.remove("SSLKEYLOGFILE")
Running.allocatesFromOneHeap()
let words = CommandLine.arguments
if words.isEmpty {
    // Not even the program's name arrived: some libraries that are loaded before a program hide its
    // arguments from Swift. Exiting with success would lose what a person meant to record.
    Terminal.complain("macrolog: the arguments did not arrive; try again without LD_PRELOAD")
    Main.leave(.software)
}
await Main.run(Array(words.dropFirst()))
