import Foundation

/// A picture in shades of grey that tests print on, turn, blur and disturb.
package struct PixelSample: Sendable {
    package let width: Int
    package let height: Int
    /// Row by row: 0 is black.
    package private(set) var bytes: [UInt8]

    package init(width: Int, height: Int, shade: UInt8 = 255) {
        (self.width, self.height) = (width, height)
        bytes = [UInt8](repeating: shade, count: width * height)
    }

    /// Takes the pixels of a picture.
    package init(width: Int, height: Int, bytes: [UInt8]) {
        precondition(bytes.count == width * height)
        (self.width, self.height, self.bytes) = (width, height, bytes)
    }

    /// Fills a rectangle whose edges may lie between pixels.
    package mutating func fill(
        x: ClosedRange<Double>, y: ClosedRange<Int>, shade: Double
    ) {
        for column in max(Int(x.lowerBound), 0)..<min(Int(x.upperBound.rounded(.up)), width) {
            let left = max(x.lowerBound, Double(column))
            let cover = min(x.upperBound, Double(column + 1)) - left
            for row in max(y.lowerBound, 0)...min(y.upperBound, height - 1) {
                let old = Double(bytes[row * width + column])
                bytes[row * width + column] = UInt8(old + (shade - old) * cover)
            }
        }
    }

    /// Copies another picture over this one, whole.
    package mutating func paste(_ other: PixelSample, x: Int, y: Int) {
        for row in 0..<other.height {
            for column in 0..<other.width {
                bytes[(y + row) * width + x + column] = other.bytes[row * other.width + column]
            }
        }
    }

    /// The picture turned about its middle, clockwise; what comes in from outside has the shade of the
    /// upper left corner.
    package func turned(degrees: Double) -> PixelSample {
        guard degrees != 0 else { return self }
        let (sine, cosine) = (sin(degrees * .pi / 180), cos(degrees * .pi / 180))
        let (middleX, middleY) = (Double(width - 1) / 2, Double(height - 1) / 2)
        var result = PixelSample(width: width, height: height, shade: bytes[0])
        for row in 0..<height {
            for column in 0..<width {
                let (right, down) = (Double(column) - middleX, Double(row) - middleY)
                let x = middleX + right * cosine + down * sine
                let y = middleY - right * sine + down * cosine
                let (left, upper) = (Int(x.rounded(.down)), Int(y.rounded(.down)))
                guard left >= 0, upper >= 0, left + 1 < width, upper + 1 < height else { continue }
                let (partX, partY) = (x - Double(left), y - Double(upper))
                let at = upper * width + left
                let above = mixed(bytes[at], bytes[at + 1], partX)
                let below = mixed(bytes[at + width], bytes[at + width + 1], partX)
                result.bytes[row * width + column] = UInt8(above + (below - above) * partY)
            }
        }
        return result
    }

    /// The picture turned by right angles, clockwise.
    package func turned(quarters: Int) -> PixelSample {
        guard quarters % 4 != 0 else { return self }
        var result = PixelSample(width: height, height: width)
        for row in 0..<height {
            for column in 0..<width {
                result.bytes[column * height + height - 1 - row] = bytes[row * width + column]
            }
        }
        return result.turned(quarters: quarters - 1)
    }

    /// The picture out of focus.
    ///
    /// - Parameter sigma: Of a normal distribution, in pixels.
    package func blurred(sigma: Double) -> PixelSample {
        guard sigma > 0 else { return self }
        let reach = max(Int((3 * sigma).rounded(.up)), 1)
        let weights = (-reach...reach).map { exp(-Double($0 * $0) / (2 * sigma * sigma)) }
        let sum = weights.reduce(0, +)
        let parts = weights.map { Int($0 / sum * 65_536) }
        var result = self
        for (from, step, count) in [(0, 1, width), (1, width, height)] {
            let source = result.bytes
            for line in 0..<(from == 0 ? height : width) {
                let start = from == 0 ? line * width : line
                for place in 0..<count {
                    var total = 32_768
                    for offset in -reach...reach {
                        let near = min(max(place + offset, 0), count - 1)
                        total += Int(source[start + near * step]) * parts[offset + reach]
                    }
                    result.bytes[start + place * step] = UInt8(min(total >> 16, 255))
                }
            }
        }
        return result
    }

    /// The picture with less light to the right, and with noise.
    ///
    /// - Parameters:
    ///   - dark: By how many percent the right edge is darker.
    ///   - noise: How far, on average about, a pixel is off, in shades.
    package func disturbed(dark: Int, noise: Int, _ dice: inout Dice) -> PixelSample {
        var result = self
        for row in 0..<height {
            for column in 0..<width {
                let at = row * width + column
                let dice = dice.next()
                // The sum of four even numbers is nearly normal.
                let four =
                    Int(dice & 255) + Int(dice >> 8 & 255) + Int(dice >> 16 & 255)
                    + Int(dice >> 24 & 255)
                let light = Int(bytes[at]) * (width * 100 - dark * column) / (width * 100)
                result.bytes[at] = UInt8(clamping: light + (four - 510) * noise / 148)
            }
        }
        return result
    }

    /// The picture as a PNG file (W3C PNG, third edition), not compressed.
    package var png: [UInt8] {
        var lines: [UInt8] = []
        lines.reserveCapacity(bytes.count + height)
        for row in 0..<height {
            lines.append(0)
            lines += bytes[row * width..<(row + 1) * width]
        }
        var packed: [UInt8] = [0x78, 1]
        var (low, high): (UInt32, UInt32) = (1, 0)
        for byte in lines {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        for start in stride(from: 0, to: lines.count, by: 65_535) {
            let piece = lines[start..<min(start + 65_535, lines.count)]
            let count = UInt16(piece.count)
            packed.append(start + 65_535 >= lines.count ? 1 : 0)
            packed += [UInt8(count & 255), UInt8(count >> 8)]
            packed += [UInt8(~count & 255), UInt8(~count >> 8)]
            packed += piece
        }
        packed += PNGSample.big(high << 16 | low)
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            + PNGSample.chunk(
                "IHDR",
                PNGSample.big(UInt32(width)) + PNGSample.big(UInt32(height)) + [8, 0, 0, 0, 0])
            + PNGSample.chunk("IDAT", packed) + PNGSample.chunk("IEND", [])
    }
}

private func mixed(_ left: UInt8, _ right: UInt8, _ part: Double) -> Double {
    Double(left) + (Double(right) - Double(left)) * part
}
