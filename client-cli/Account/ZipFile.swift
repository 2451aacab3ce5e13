/// A zip file without compression (APPNOTE 6.3.10), of any size: ZIP64 where a number is too large.
import MacrologArgumentParsing
import MacrologGzip
import MacrologSystem

struct ZipFile: ~Copyable {
    /// What the directory at the end says of a file.
    private struct Entry {
        let name: [UInt8]
        let checksum: UInt32
        let count: UInt32
        let offset: UInt64
    }

    private var output: OutputFile
    private var entries: [Entry] = []
    private var offset: UInt64 = 0

    init(_ output: consuming OutputFile) {
        self.output = output
    }

    /// Adds a file, whose bytes the body writes piece by piece.
    mutating func add(
        _ name: String, _ body: (_ write: (_ piece: [UInt8]) throws -> Void) throws -> Void
    ) throws {
        // The length and the checksum precede the bytes.
        let scratch = try File.temporary()
        var (checksum, count) = (Checksum(), UInt64(0))
        try body { piece in
            try scratch.write(piece)
            checksum.add(piece)
            count += UInt64(piece.count)
        }
        guard count < UInt64(UInt32.max) else {
            throw CommandError(.dataErr, "\(name) is too long for a zip file: more than 4 GiB")
        }
        let entry = Entry(
            name: Array(name.utf8), checksum: checksum.value, count: UInt32(count), offset: offset)
        entries.append(entry)
        var header = Bytes()
        header.add(UInt32(0x0403_4B50))
        header.add(entry)
        try write(header.all + entry.name)
        scratch.rewind()
        while true {
            let piece = try scratch.read(atMost: 1 << 20)
            guard !piece.isEmpty else { return }
            try write(piece)
        }
    }

    /// Writes the directory, and makes the file durable under its name.
    consuming func complete() throws {
        let start = offset
        for entry in entries {
            let isFar = entry.offset >= UInt64(UInt32.max)
            var header = Bytes()
            header.add(UInt32(0x0201_4B50))
            header.add(UInt16(45))
            header.add(entry, extra: isFar ? 12 : 0)
            for _ in 0..<5 { header.add(UInt16(0)) }
            header.add(isFar ? UInt32.max : UInt32(entry.offset))
            header.all += entry.name
            if isFar {
                header.add(UInt16(1))
                header.add(UInt16(8))
                header.add(entry.offset)
            }
            try write(header.all)
        }
        let (size, count) = (offset - start, UInt64(entries.count))
        var end = Bytes()
        if start >= UInt64(UInt32.max) || count >= UInt64(UInt16.max) {
            end.add(UInt32(0x0606_4B50))
            end.add(UInt64(44))
            end.add(UInt16(45))
            end.add(UInt16(45))
            end.add(UInt64(0))
            for number in [count, count, size, start] { end.add(number) }
            end.add(UInt32(0x0706_4B50))
            end.add(UInt32(0))
            end.add(offset)
            end.add(UInt32(1))
        }
        end.add(UInt32(0x0605_4B50))
        end.add(UInt32(0))
        for _ in 0..<2 { end.add(UInt16(clamping: count)) }
        end.add(UInt32(clamping: size))
        end.add(UInt32(clamping: start))
        end.add(UInt16(0))
        try write(end.all)
        try output.complete()
    }

    private mutating func write(_ bytes: [UInt8]) throws {
        try output.write(bytes)
        offset += UInt64(bytes.count)
    }

    /// Bytes of numbers, the lowest first.
    private struct Bytes {
        var all: [UInt8] = []

        mutating func add(_ number: some FixedWidthInteger) {
            withUnsafeBytes(of: number.littleEndian) { all += $0 }
        }

        /// What a header and the directory both say of a file: made on the first day of 1980, so that
        /// the same account gives the same bytes.
        mutating func add(_ entry: Entry, extra: UInt16 = 0) {
            add(UInt16(45))
            add(UInt16(0x0800))
            add(UInt16(0))
            add(UInt16(0))
            add(UInt16(0x0021))
            add(entry.checksum)
            add(entry.count)
            add(entry.count)
            add(UInt16(entry.name.count))
            add(extra)
        }
    }
}
