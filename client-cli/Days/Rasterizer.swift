import MacrologArgumentParsing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Draws an SVG document as a PNG file, twice as large, with the program `rsvg-convert` of librsvg.
enum Rasterizer {
    static func draw(_ svg: String, into file: inout OutputFile, _ words: ParsedArguments) throws {
        // The document is an unlinked file, so that neither process blocks on the other.
        guard let document = tmpfile() else { throw failed(words, strerror(errno)) }
        defer { fclose(document) }
        let bytes = Array(svg.utf8)
        guard Terminal.write(bytes, to: fileno(document)) == nil else {
            throw failed(words, strerror(errno))
        }
        rewind(document)
        guard let picture = tmpfile() else { throw failed(words, strerror(errno)) }
        defer { fclose(picture) }
        switch try run(
            ["rsvg-convert", "--format=png", "--zoom=2"], fileno(document), fileno(picture), words)
        {
        case 0: break
        case let status: throw failed(words, "rsvg-convert ended with status \(status)")
        }
        rewind(picture)
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = fread(&buffer, 1, buffer.count, picture)
            guard count > 0 else { break }
            try file.write(Array(buffer[..<count]))
        }
    }

    private static func run(
        _ words: [String], _ input: CInt, _ output: CInt, _ command: ParsedArguments
    ) throws -> CInt {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        var arguments = words.map { strdup($0) } + [nil]
        defer { for text in arguments { free(text) } }
        var child: pid_t = 0
        guard posix_spawnp(&child, words[0], &actions, nil, &arguments, environ) == 0 else {
            throw CommandError(
                .unavailable,
                """
                \(command.command): drawing a PNG file needs the program rsvg-convert: \
                sudo apt-get install librsvg2-bin, or write --svg
                """)
        }
        var status: CInt = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        return status
    }

    private static func failed(_ words: ParsedArguments, _ reason: UnsafeMutablePointer<CChar>)
        -> CommandError
    {
        failed(words, String(cString: reason))
    }

    private static func failed(_ words: ParsedArguments, _ reason: String) -> CommandError {
        CommandError(.ioErr, "\(words.command): the PNG file cannot be drawn: \(reason)")
    }
}
