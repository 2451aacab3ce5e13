import Foundation
import Testing

/// A suite that types lines into the real program, on the log of one computer.
protocol TypingSuite {
    var computer: Computer { get }
}

extension TypingSuite {
    /// What the program prints, warnings included, which must succeed.
    @discardableResult
    func type(_ line: String, at place: SourceLocation = #_sourceLocation) throws -> String {
        let result = try computer.run(Transcript.words("macrolog " + line), together: true)
        #expect(result.status == 0, "\(line): \(result.output)", sourceLocation: place)
        return result.output
    }

    /// What the program prints as JSON.
    func json(_ line: String, at place: SourceLocation = #_sourceLocation) throws -> NSDictionary {
        let result = try computer.run(Transcript.words("macrolog " + line + " --json"))
        let value = try JSONSerialization.jsonObject(with: Data(result.output.utf8))
        return try #require(
            value as? NSDictionary, "\(line): \(result.output) \(result.errors)",
            sourceLocation: place)
    }
}
